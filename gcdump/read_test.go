package gcdump_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/gcdump"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// sums are the last line of "peer graph", the reader that is dotnet-gcdump's library.
type sums struct {
	Nodes      int    `json:"nodes"`
	References int64  `json:"references"`
	Bytes      int64  `json:"bytes"`
	Undefined  int    `json:"undefined"`
	Checksum   string `json:"checksum"`
	Error      string `json:"error"`
}

// sumsOf computes the sums of a file.
func sumsOf(f *gcdump.File) sums {
	s := sums{Nodes: f.Len()}
	crc := crc32.NewIEEE()
	var n gcdump.Node
	var b []byte
	for i := range int32(f.Len()) {
		f.Node(i, &n)
		s.References += int64(len(n.Children))
		s.Bytes += int64(n.Size)
		if n.Type == 0 {
			s.Undefined++
		}
		b = binary.LittleEndian.AppendUint32(b[:0], uint32(n.Type))
		b = binary.LittleEndian.AppendUint32(b, uint32(n.Size))
		b = binary.LittleEndian.AppendUint64(b, n.Address)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(n.Children)))
		for _, c := range n.Children {
			b = binary.LittleEndian.AppendUint32(b, uint32(c))
		}
		crc.Write(b)
	}
	s.Checksum = fmt.Sprintf("%08x", crc.Sum32())
	return s
}

// overflows are the cases that the library refuses because of a defect of its own.
var overflows = []string{"high-address"}

// TestCases compares the graphs of the hand-made files with what dotnet-gcdump's library
// reads, and refuses the files that it refuses.
func TestCases(t *testing.T) {
	dir := filepath.Join(shared.Dir(t), "heap", "gcdump-cases")
	table, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if len(cells) < 4 {
			continue // the last line counts the others
		}
		var want sums
		if err := json.Unmarshal([]byte(cells[3]), &want); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, cells[0]+".gcdump"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := gcdump.Parse(data)
		switch refused := want.Error != "" && !slices.Contains(overflows, cells[0]); {
		case refused && err == nil:
			t.Errorf("%s is read; the library says %s", cells[0], want.Error)
		case !refused && err != nil:
			t.Errorf("%s: %v", cells[0], err)
		case want.Error == "":
			if got := sumsOf(f); got != want {
				t.Errorf("%s: %+v, want %+v", cells[0], got, want)
			}
		}
	}
}

// changed are the cases that Write does not write with the same bytes: of an old version,
// with unknown fields, without the end of the file or with bytes after it.
var changed = []string{"cut-tail", "old-v4", "old-v5", "old-v7", "segments-old", "tail-junk", "unknown-tags"}

// TestWriteUnchanged reads files and writes them with the same bytes, or reads the same
// graph from what it wrote.
func TestWriteUnchanged(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(filepath.Join(shared.Dir(t), "heap", "gcdump-cases"), "*.gcdump"))
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := gcdump.Parse(data)
		if err != nil {
			continue // TestCases has the files that are refused
		}
		written++
		var out bytes.Buffer
		if err := f.Write(&out); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same := bytes.Equal(out.Bytes(), data)
		if want := !slices.Contains(changed, strings.TrimSuffix(filepath.Base(name), ".gcdump")); same != want {
			t.Errorf("%s: %d bytes of %d, equal %v, want %v", filepath.Base(name), out.Len(), len(data), same, want)
		}
		again, err := gcdump.Parse(out.Bytes())
		if err != nil {
			t.Errorf("%s: what was written: %v", name, err)
		} else if sumsOf(again) != sumsOf(f) {
			t.Errorf("%s: what was written has another graph", name)
		}
	}
	if written < 20 {
		t.Errorf("%d files", written)
	}
}
