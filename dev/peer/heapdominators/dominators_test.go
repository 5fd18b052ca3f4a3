package heapdominators

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/graph/flow"
	"gonum.org/v1/gonum/graph/simple"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestDominators compares the dominator and the retained size of every object of real
// dumps with those that follow from gonum's dominator tree.
func TestDominators(t *testing.T) {
	for name, stream := range map[string][]byte{
		"net10-mix-gcheap": shared.Trace(t, "net10-mix-gcheap.v4"),
		"heap-leak-1":      shared.TruthFile(t, "heap-leak-dump1.v4.nettrace.zst"),
		"heap-leak-2":      shared.TruthFile(t, "heap-leak-dump2.v4.nettrace.zst"),
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			h, err := heap.FromReader(ctx, codec.NewBytesReader(stream, codec.Options{}), heap.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ours, err := h.Dominators(ctx)
			expect.NoError(t, err)
			compare(t, h, ours)
		})
	}
}

// compare compares two dominator trees and the sizes that they result in. The objects
// that no root reaches have the edges from Heap.Unreached that its documentation lists.
func compare(t *testing.T, h *heap.Heap, ours *heap.Dominators) {
	tree := flow.Dominators(simple.Node(h.Root()), edges(h))
	retained := make([]uint64, h.Len()+2)
	for v := range retained {
		id := int64(v)
		for at := simple.Node(id); ; at = simple.Node(id) {
			retained[id] += h.Size(int32(v))
			above := tree.DominatorOf(int64(at))
			if above == nil || above.ID() == id {
				break
			}
			id = above.ID()
		}
	}
	for v := range int32(h.Len() + 2) {
		if ours.Retained(v) != retained[v] {
			t.Errorf("retained by %d: got %d, want %d", v, ours.Retained(v), retained[v])
		}
		if v == h.Root() {
			continue
		}
		if above := tree.DominatorOf(int64(v)); above == nil || int32(above.ID()) != ours.Parent(v) {
			t.Errorf("dominator of %d: got %d, want %v", v, ours.Parent(v), above)
		}
		expect.Stop(t)
	}
}

// edges returns the graph: the roots that keep an object, the references, and the edges
// to the objects that no root reaches.
func edges(h *heap.Heap) *simple.DirectedGraph {
	g := simple.NewDirectedGraph()
	add := func(from, to int32) {
		if from != to {
			g.SetEdge(simple.Edge{F: simple.Node(from), T: simple.Node(to)})
		}
	}
	add(h.Root(), h.Unreached())
	reached := make([]bool, h.Len())
	var left []int32
	reach := func(v int32) {
		if !reached[v] {
			reached[v] = true
			left = append(left, v)
		}
	}
	follow := func() {
		for len(left) > 0 {
			v := left[len(left)-1]
			left = left[:len(left)-1]
			for _, to := range h.References(v) {
				add(v, to)
				reach(to)
			}
		}
	}
	for i := range h.Roots {
		if r := &h.Roots[i]; !r.Weak() {
			add(h.Root(), r.Object)
			reach(r.Object)
		}
	}
	follow()
	fromRoots := append([]bool(nil), reached...)
	referred := make([]bool, h.Len())
	for v := range int32(h.Len()) {
		for _, to := range h.References(v) {
			referred[to] = referred[to] || !reached[v] && to != v
		}
	}
	follow = func() {
		for len(left) > 0 {
			v := left[len(left)-1]
			left = left[:len(left)-1]
			for _, to := range h.References(v) {
				if !fromRoots[to] {
					add(v, to)
					reach(to)
				}
			}
		}
	}
	for _, cycles := range []bool{false, true} {
		for v := range int32(h.Len()) {
			if !reached[v] && (cycles || !referred[v]) {
				add(h.Unreached(), v)
				reach(v)
				follow()
			}
		}
	}
	return g
}
