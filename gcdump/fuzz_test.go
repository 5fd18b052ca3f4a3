package gcdump_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/gcdump"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// FuzzParse reads any bytes. What it accepts, it writes, and reads again with the same
// graph.
func FuzzParse(f *testing.F) {
	b := heap.NewBuilder([]string{"A", "B[]"}, 0)
	if err := b.Add(8, 24, 0, []int32{1, 0}); err != nil {
		f.Fatal(err)
	}
	if err := b.Add(32, 5000, 1, nil); err != nil {
		f.Fatal(err)
	}
	file, _ := gcdump.FromHeap(b.Heap(heap.Dump{}), gcdump.Origin{})
	var seed bytes.Buffer
	if err := file.Write(&seed); err != nil {
		f.Fatal(err)
	}
	f.Add(seed.Bytes())
	if shared.Present(f) {
		names, err := filepath.Glob(filepath.Join(shared.Dir(f), "heap", "gcdump-cases", "*.gcdump"))
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := gcdump.Parse(data)
		if err != nil {
			return
		}
		if h, err := file.Heap(t.Context(), gcdump.HeapOptions{Limit: 1 << 24}); err == nil {
			if _, err := h.Dominators(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if err := file.Write(&out); err != nil {
			t.Fatal(err)
		}
		again, err := gcdump.Parse(out.Bytes())
		if err != nil {
			t.Fatalf("what was written: %v", err)
		}
		if sumsOf(again) != sumsOf(file) {
			t.Fatal("what was written has another graph")
		}
	})
}
