package heap_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// dump has a dump with all that is computed of it.
type dump struct {
	*heap.Heap
	tree  *heap.Dominators
	paths *heap.Paths
}

// readDump reads the dump of a trace.
func readDump(t testing.TB, stream []byte) dump {
	t.Helper()
	h, err := heap.FromReader(t.Context(), codec.NewBytesReader(stream, codec.Options{}), heap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := h.Dominators(t.Context())
	expect.NoError(t, err)
	paths, err := h.Paths(t.Context())
	expect.NoError(t, err)
	expect.Stop(t)
	return dump{h, tree, paths}
}

// leakDumps are the two dumps of the program heap-leak.
var leakDumps = []string{"heap-leak-dump1.v4.nettrace.zst", "heap-leak-dump2.v4.nettrace.zst"}

// TestRows compares the numbers of rows with those that TraceEvent reads.
func TestRows(t *testing.T) {
	te := shared.OtherReader(t)
	for name, stream := range map[string][]byte{
		"net10-mix-gcheap": shared.Trace(t, "net10-mix-gcheap.v4"),
		"heap-leak-1":      shared.TruthFile(t, leakDumps[0]),
		"heap-leak-2":      shared.TruthFile(t, leakDumps[1]),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.nettrace")
			expect.NoError(t, os.WriteFile(path, stream, 0o600))
			out, err := exec.Command(te, "ndjson", path).Output()
			if err != nil {
				t.Fatal(err)
			}
			want := map[int]int64{}
			lines := bufio.NewScanner(bytes.NewReader(out))
			lines.Buffer(nil, 1<<24)
			for lines.Scan() {
				var e struct {
					Provider, Payload string
					ID                int
				}
				expect.NoError(t, json.Unmarshal(lines.Bytes(), &e))
				if e.Provider == "Microsoft-Windows-DotNETRuntime" && len(e.Payload) >= 16 {
					want[e.ID] += count(t, e.ID, e.Payload)
				}
			}
			d := readDump(t, stream).Dump
			expect.Equal(t, "objects", d.Objects, want[18])
			expect.Equal(t, "edges", d.Edges, want[19])
			expect.Equal(t, "roots", d.Roots, want[16])
			expect.Equal(t, "weak edges", d.WeakEdges, want[17])
			expect.Equal(t, "statics", d.Statics, want[38])
			expect.Equal(t, "types", d.Types, want[15])
			expect.Equal(t, "complete", d.Complete(), true)
		})
	}
}

// count returns the field Count of a payload in hexadecimal digits: the first field of
// BulkType and GCBulkRootStaticVar, the second one of the others.
func count(t *testing.T, id int, payload string) int64 {
	if id != 15 && id != 38 {
		payload = payload[8:]
	}
	var n [4]byte
	if _, err := fmt.Sscanf(payload[:8], "%02x%02x%02x%02x", &n[0], &n[1], &n[2], &n[3]); err != nil {
		t.Fatal(err)
	}
	return int64(n[0]) | int64(n[1])<<8 | int64(n[2])<<16 | int64(n[3])<<24
}

func TestSmallDump(t *testing.T) {
	d := readDump(t, shared.Trace(t, "net10-mix-gcheap.v4"))
	expect.Equal(t, "objects", d.Dump.Objects, 980)
	expect.Equal(t, "edges", d.Dump.Edges, 817)
	expect.Equal(t, "roots", d.Dump.Roots, 75)
	expect.Equal(t, "types", d.Dump.Types, 166)
	weak := 0
	for i := range d.Roots {
		if d.Roots[i].Weak() {
			weak++
		}
	}
	expect.Equal(t, "roots with an object", len(d.Roots), 68)
	expect.Equal(t, "weak roots", weak, 18)
	expect.Equal(t, "unresolved", d.Unresolved, 0)
}

// truth is a line of what the program heap-leak says about its own memory.
type truth struct {
	Phase       int
	Class       string
	Count       int64
	Bytes       uint64
	Held        string
	Path        []string
	Retained    string
	WithWeak    uint64 `json:"withWeakTable"`
	Handles     *struct{ Normal, Pinned, WeakLive int }
	WeakTable   string
	Entries     int
	Key, Value  string
	FrozenCount int `json:"frozenStrings"`
}

// truths returns the lines about a dump.
func truths(t *testing.T, phase int) (list []truth) {
	current := 0
	for line := range bytes.Lines(shared.TruthFile(t, "heap-leak.truth.ndjson")) {
		var x truth
		if bytes.Contains(line, []byte(`"start"`)) || bytes.Contains(line, []byte(`"end"`)) {
			continue
		}
		expect.NoError(t, json.Unmarshal(line, &x))
		if x.Phase != 0 {
			current = x.Phase
		} else if current == phase {
			list = append(list, x)
		}
	}
	return list
}

// TestTruth compares the dumps with what the program says about its own memory.
func TestTruth(t *testing.T) {
	for i, file := range leakDumps {
		t.Run(file, func(t *testing.T) {
			d := readDump(t, shared.TruthFile(t, file))
			totals := map[string]heap.TypeTotal{}
			for _, total := range d.Types(d.tree) {
				totals[total.Name] = total
			}
			for _, x := range truths(t, i+1) {
				switch {
				case x.Class != "":
					expect.Equal(t, x.Class+": objects", totals[x.Class].Count, x.Count)
					expect.Equal(t, x.Class+": bytes", totals[x.Class].Shallow, x.Bytes)
					if x.Count > 0 && len(x.Path) > 0 {
						d.comparePath(t, &x)
					}
				case x.Retained != "":
					d.compareRetained(t, &x)
				case x.Handles != nil:
					expect.Equal(t, "normal handles", d.handles("HandleTarget", 0), x.Handles.Normal)
					expect.Equal(t, "pinned handles", d.handles("PinnedTarget", heap.PinnedRoot), x.Handles.Pinned)
					expect.Equal(t, "weak handles", d.handles("WeakTarget", heap.WeakRoot), x.Handles.WeakLive)
				case x.WeakTable != "":
					expect.Equal(t, "entries of the weak table", d.dependent(x.Key, x.Value), x.Entries)
				}
			}
		})
	}
}

// handles returns the number of handles with an object of a type.
func (d *dump) handles(typ string, flags heap.RootFlags) (n int) {
	for _, r := range d.Roots {
		if r.Kind == heap.HandleRoot && r.Flags == flags && d.Object(r.Object).Type == typ {
			n++
		}
	}
	return n
}

// dependent returns the number of edges of dependent handles between two types.
func (d *dump) dependent(key, value string) (n int) {
	for i := range int32(d.Len()) {
		if d.Object(i).Type != key {
			continue
		}
		for _, to := range d.References(i) {
			if d.EdgeName(i, to) == "dependent handle" && d.Object(to).Type == value {
				n++
			}
		}
	}
	return n
}

// static returns the static field with a name, without its class.
func (d *dump) static(name string) *heap.Static {
	_, field, _ := strings.Cut(name, ".")
	i := slices.IndexFunc(d.Statics, func(s heap.Static) bool { return s.Name == field })
	if i < 0 {
		return nil
	}
	return &d.Statics[i]
}

// compareRetained compares what a static field retains: the bytes that its object
// retains, rounded up to multiples of 8 for each object, unless another field has the
// same object.
func (d *dump) compareRetained(t *testing.T, x *truth) {
	s := d.static(x.Retained)
	if s == nil {
		t.Errorf("no static field %s", x.Retained)
		return
	}
	var got uint64
	var add func(v int32)
	add = func(v int32) {
		got += (d.Size(v) + 7) &^ 7
		for _, child := range d.tree.Children(v) {
			add(child)
		}
	}
	add(s.Object)
	want := max(x.Bytes, x.WithWeak)
	if x.Bytes == 0 {
		names := d.EdgeName(s.Array, s.Object)
		expect.Contains(t, "fields of the object", names, "Shared1", "Shared2")
		return
	}
	expect.Equal(t, "bytes retained by "+x.Retained, got, want)
}

// shorterPaths are the paths that differ from those of the program. A thread static is
// reported as a root of the thread's stack, without the name of the field. The stack of
// a waiting thread also has the array of the object in its local variable.
var shorterPaths = map[string][]string{
	"PerThread":   {"PerThread"},
	"OnStackItem": {"System.Object[]", "OnStackItem"},
}

// comparePath compares the path to some object of a class. Where the object is in a
// static field, the path has its name.
func (d *dump) comparePath(t *testing.T, x *truth) {
	want := x.Path
	if shorter := shorterPaths[x.Class]; shorter != nil {
		want = shorter
	}
	field := ""
	if strings.Contains(want[0], ".") && len(want) > 1 && d.static(want[0]) != nil {
		field, want = d.static(want[0]).Name, want[1:]
	}
	for i := range int32(d.Len()) {
		path := d.paths.To(i)
		if d.Object(i).Type != x.Class || len(path) < len(want) {
			continue
		}
		var types []string
		for _, v := range path[len(path)-len(want):] {
			types = append(types, d.Object(v).Type)
		}
		named := field == ""
		if before := len(path) - len(want); before > 0 && !named {
			named = slices.Contains(strings.Split(d.EdgeName(path[before-1], path[before]), ", "), field)
		}
		if slices.Equal(types, want) && named {
			return
		}
	}
	t.Errorf("no path to %s like %q", x.Class, x.Path)
}
