package heapsnapshot_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile/heapsnapshot"
)

// snapshot is what the tests read of a snapshot.
type snapshot struct {
	Snapshot struct {
		Meta struct {
			NodeFields []string          `json:"node_fields"`
			EdgeFields []string          `json:"edge_fields"`
			NodeTypes  []json.RawMessage `json:"node_types"`
			EdgeTypes  []json.RawMessage `json:"edge_types"`
		}
		NodeCount int `json:"node_count"`
		EdgeCount int `json:"edge_count"`
	}
	Nodes, Edges []int
	Strings      []string
}

// load reads the dump of a trace.
func load(t testing.TB, stream []byte) (*heap.Heap, *heap.Dominators) {
	t.Helper()
	h, err := heap.FromReader(t.Context(), codec.NewBytesReader(stream, codec.Options{}), heap.Options{})
	expect.NoError(t, err)
	expect.Stop(t)
	d, err := h.Dominators(t.Context())
	expect.NoError(t, err)
	return h, d
}

// TestSnapshot reads a snapshot as a graph and compares it with the dump.
func TestSnapshot(t *testing.T) {
	for name, stream := range map[string][]byte{
		"small": shared.Trace(t, "net10-mix-gcheap.v4"), "leak": shared.TruthFile(t, "heap-leak-dump1.v4.nettrace.zst"),
	} {
		t.Run(name, func(t *testing.T) {
			h, d := load(t, stream)
			var b bytes.Buffer
			expect.NoError(t, heapsnapshot.Write(&b, h, d))
			var s snapshot
			expect.NoError(t, json.Unmarshal(b.Bytes(), &s))
			expect.Stop(t)
			s.compare(t, h)
		})
	}
}

// compare compares the nodes with the objects, and the edges with the references, the
// roots that keep an object, and the objects that none reaches.
func (s *snapshot) compare(t *testing.T, h *heap.Heap) {
	const fields = 5
	expect.Len(t, "fields of a node", s.Snapshot.Meta.NodeFields, fields)
	expect.Len(t, "types of the fields of a node", s.Snapshot.Meta.NodeTypes, fields)
	expect.Len(t, "types of the fields of an edge", s.Snapshot.Meta.EdgeTypes, 3)
	expect.Equal(t, "nodes", s.Snapshot.NodeCount, h.Len()+2)
	expect.Len(t, "numbers of nodes", s.Nodes, fields*(h.Len()+2))
	expect.Len(t, "numbers of edges", s.Edges, 3*s.Snapshot.EdgeCount)
	expect.Stop(t)
	next := 0
	reached := map[int]bool{0: true}
	for n := range s.Snapshot.NodeCount {
		node := s.Nodes[fields*n:][:fields]
		var targets []int
		for range node[4] {
			e := s.Edges[3*next:][:3]
			if e[2]%fields != 0 || e[2]/fields >= s.Snapshot.NodeCount {
				t.Fatalf("edge %d leads to %d", next, e[2])
			}
			targets = append(targets, e[2]/fields)
			reached[e[2]/fields] = true
			next++
		}
		if n < 2 {
			continue
		}
		v := int32(n - 2)
		expect.Equal(t, "type", s.Strings[node[1]], h.Object(v).Type)
		expect.Equal(t, "size", node[3], int(h.Size(v)))
		expect.Len(t, "references", targets, len(h.References(v)))
		for i, to := range h.References(v) {
			expect.Equal(t, "reference", targets[i], int(to)+2)
		}
		expect.Stop(t)
	}
	expect.Equal(t, "edges of all nodes", next, s.Snapshot.EdgeCount)
	expect.Equal(t, "nodes with an edge to them", len(reached), s.Snapshot.NodeCount)
}

// failing is a writer that always fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriteError(t *testing.T) {
	h, d := load(t, shared.Trace(t, "net10-mix-gcheap.v4"))
	full := errors.New("disk full")
	expect.ErrorIs(t, heapsnapshot.Write(failing{full}, h, d), full)
}
