package heap

import "context"

// Dominators is the dominator tree of a Heap: the object above another one is on
// every path from the roots to it. Without the upper one, the lower one would be
// collected. Dominators does not change.
type Dominators struct {
	heap     *Heap
	parents  []int32 // vertex above, by vertex
	retained []uint64
	offsets  []int32 // of the children of each vertex
	children []int32
}

// Parent returns the object above an object, or Heap.Root or Heap.Unreached; -1 for
// Heap.Root.
func (d *Dominators) Parent(i int32) int32 { return d.parents[i] }

// Retained returns the bytes of an object and of all objects below it.
func (d *Dominators) Retained(i int32) uint64 { return d.retained[i] }

// Children returns the objects directly below a vertex. The caller must not change
// the slice.
func (d *Dominators) Children(i int32) []int32 { return d.children[d.offsets[i]:d.offsets[i+1]] }

// Dominators computes the dominator tree with the algorithm semi-NCA. The error is
// that of ctx.
//
// Objects that no root reaches are below Heap.Unreached: its edges lead to those
// among them without a reference from another one, and then, in the order of their
// numbers, to those that are still not reached (cycles).
func (h *Heap) Dominators(ctx context.Context) (*Dominators, error) {
	s := newSearch(h)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	above, err := s.dominators(ctx)
	if err != nil {
		return nil, err
	}
	d := &Dominators{heap: h, parents: make([]int32, len(above))}
	for i, parent := range above {
		if i == 0 {
			d.parents[s.vertices[0]] = -1
			continue
		}
		d.parents[s.vertices[i]] = s.vertices[parent]
	}
	d.sum(above, s.vertices)
	d.group()
	return d, nil
}

// sum computes the retained sizes. A vertex comes after the one above it in the
// order of the search.
func (d *Dominators) sum(above, vertices []int32) {
	d.retained = make([]uint64, len(vertices))
	for i := len(vertices) - 1; i >= 0; i-- {
		v := vertices[i]
		d.retained[v] += d.heap.Size(v)
		if i > 0 {
			d.retained[vertices[above[i]]] += d.retained[v]
		}
	}
}

// group makes the lists of children.
func (d *Dominators) group() {
	d.offsets = make([]int32, len(d.parents)+1)
	for _, p := range d.parents {
		if p >= 0 {
			d.offsets[p+1]++
		}
	}
	for i := range d.parents {
		d.offsets[i+1] += d.offsets[i]
	}
	d.children = make([]int32, len(d.parents)-1)
	for v := len(d.parents) - 1; v >= 0; v-- {
		if p := d.parents[v]; p >= 0 {
			d.offsets[p+1]--
			d.children[d.offsets[p+1]] = int32(v)
		}
	}
	// Each offset is now that of the vertex before it.
	copy(d.offsets, d.offsets[1:])
	d.offsets[len(d.parents)] = int32(len(d.children))
}
