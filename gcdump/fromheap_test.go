package gcdump_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/gcdump"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// total has the objects of a type.
type total struct{ count, bytes, references int64 }

// totals returns the totals of objects by the type's name, changed by a function.
func totals(f *gcdump.File, name func(string) string) map[string]total {
	byType := map[string]total{}
	var n gcdump.Node
	for i := range int32(f.Len()) {
		if f.Node(i, &n); n.Address == 0 {
			continue
		}
		key := name(f.TypeName(n.Type))
		t := byType[key]
		byType[key] = total{t.count + 1, t.bytes + int64(n.Size), t.references + int64(len(n.Children))}
	}
	return byType
}

// spoil changes the brackets of a name as dotnet-gcdump does, which leaves no ranks of
// arrays.
func spoil(name string) string {
	return strings.ReplaceAll(strings.NewReplacer("[", "<", "]", ">").Replace(name), "<>", "[]")
}

func unpack(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared.Dir(t), "heap", "traces", "heap", name+".zst"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if data, err = d.DecodeAll(data, nil); err != nil {
		t.Fatal(err)
	}
	return data
}

// recorded are dumps as NetTrace; dotnet-gcdump converted each to NAME.converted.gcdump.
var recorded = []string{"heap-types", "heap-places", "heap-shapes", "heap-leak-phase1", "heap-leak-phase2"}

// TestFromHeap writes the dumps of traces. Each type of objects has the objects, bytes and
// references that dotnet-gcdump finds in the same trace; the references to values of
// dependent handles are extra, because dotnet-gcdump loses them.
func TestFromHeap(t *testing.T) {
	for _, name := range recorded {
		h, err := heap.FromReader(t.Context(), codec.NewBytesReader(unpack(t, name+".v4.nettrace"), codec.Options{}), heap.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, capped := gcdump.FromHeap(h, gcdump.Origin{Is64Bit: true, Process: name, Tool: "nettrace"})
		var out bytes.Buffer
		if err := f.Write(&out); err != nil || capped != 0 {
			t.Fatal(name, err, capped)
		}
		f, err = gcdump.Parse(out.Bytes())
		if err != nil {
			t.Fatal(name, err)
		}
		if !f.Time().Equal(h.Dump.Begin.Truncate(100)) || *f.Process != name || f.Log != nil {
			t.Errorf("%s: time %v of %v, process %v", name, f.Time(), h.Dump.Begin, *f.Process)
		}
		theirs, err := gcdump.Parse(unpack(t, name+".converted.gcdump"))
		if err != nil {
			t.Fatal(name, err)
		}
		got, want := totals(f, spoil), totals(theirs, func(s string) string { return s })
		var extra, weak int64
		for typ, g := range got {
			extra += g.references - want[typ].references
			g.references = want[typ].references
			got[typ] = g
		}
		for i := range int32(h.Len()) {
			for _, to := range h.References(i) {
				if h.EdgeName(i, to) == "dependent handle" {
					weak++
				}
			}
		}
		if extra != weak {
			t.Errorf("%s: %d references more than dotnet-gcdump, and %d dependent handles", name, extra, weak)
		}
		if !maps.Equal(got, want) {
			for typ, w := range want {
				if got[typ] != w {
					t.Errorf("%s: %s: %+v, dotnet-gcdump has %+v", name, typ, got[typ], w)
				}
			}
			t.Errorf("%s: %d types, dotnet-gcdump has %d", name, len(got), len(want))
		}
		again, err := f.Heap(t.Context(), gcdump.HeapOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		sameRoots(t, name, h, again)
	}
}

// sameRoots compares the roots of two heaps with the same objects: the kinds of those that
// keep an object. A static field whose slot is in an object is a root of the file.
func sameRoots(t *testing.T, name string, before, after *heap.Heap) {
	t.Helper()
	if before.Len() != after.Len() {
		t.Fatalf("%s: %d objects, read again %d", name, before.Len(), after.Len())
	}
	kinds := func(h *heap.Heap) map[heap.RootKind]int {
		n := map[heap.RootKind]int{}
		for i := range h.Roots {
			if r := &h.Roots[i]; !r.Weak() {
				n[r.Kind]++
			}
		}
		n[heap.StaticRoot] += len(h.Statics)
		return n
	}
	if b, a := kinds(before), kinds(after); !maps.Equal(b, a) {
		t.Errorf("%s: roots by kind %v, read again %v", name, b, a)
	}
}
