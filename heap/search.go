package heap

import (
	"context"
	"slices"
)

// search is a depth-first search of all vertices. Its numbers are those of the order
// in which it reaches the vertices.
type search struct {
	heap     *Heap
	first    [][]int32 // references of Root and Unreached
	reached  []uint64  // one bit for each vertex: small, so that it stays in the caches
	order    []int32   // number by vertex
	vertices []int32   // vertex by number
	parents  []int32   // number of the vertex from which the search came, by number
	stack    []int32   // references to follow; below those of a vertex, its number as ^number
}

func newSearch(h *Heap) *search {
	n := h.Len() + 2
	s := &search{
		heap: h, first: make([][]int32, 2), reached: make([]uint64, n/64+1), order: make([]int32, n),
		vertices: make([]int32, 0, n), parents: make([]int32, 0, n),
	}
	var last int32 = -1
	for i := range h.Roots {
		if r := &h.Roots[i]; !r.Weak() && r.Object != last {
			s.first[0] = append(s.first[0], r.Object)
			last = r.Object
		}
	}
	s.stack = make([]int32, 0, len(h.targets)+len(s.first[0])+1)
	return s
}

// has reports whether the search reached a vertex.
func (s *search) has(v int32) bool { return s.reached[v>>6]&(1<<(v&63)) != 0 }

// references returns the vertices that a vertex refers to.
func (s *search) references(v int32) []int32 {
	if above := int(v) - s.heap.Len(); above >= 0 {
		return s.first[above]
	}
	return s.heap.References(v)
}

// run searches from the roots, and then the objects that they do not reach.
func (s *search) run(ctx context.Context) error {
	if err := s.from(ctx, s.heap.Root(), 0); err != nil {
		return err
	}
	s.first[0] = append(s.first[0], s.heap.Unreached())
	if err := s.from(ctx, s.heap.Unreached(), 0); err != nil {
		return err
	}
	referred, above := s.referred(), s.order[s.heap.Unreached()]
	for _, cycles := range []bool{false, true} {
		for i := range s.heap.Len() {
			v := int32(i)
			if s.has(v) || referred[v] && !cycles {
				continue
			}
			s.first[1] = append(s.first[1], v)
			if err := s.from(ctx, v, above); err != nil {
				return err
			}
		}
	}
	return nil
}

// referred returns the objects to which an object refers that no root reaches.
func (s *search) referred() []bool {
	referred := make([]bool, s.heap.Len())
	for i := range referred {
		if s.has(int32(i)) {
			continue
		}
		for _, to := range s.heap.References(int32(i)) {
			referred[to] = referred[to] || int(to) != i
		}
	}
	return referred
}

// reach numbers a vertex and pushes its references.
func (s *search) reach(v, parent int32) int32 {
	n := int32(len(s.vertices))
	s.reached[v>>6] |= 1 << (v & 63)
	s.order[v] = n
	s.vertices = append(s.vertices, v)
	s.parents = append(s.parents, parent)
	s.stack = append(s.stack, ^n)
	references := s.references(v)
	for i := len(references) - 1; i >= 0; i-- {
		if to := references[i]; !s.has(to) {
			s.stack = append(s.stack, to)
		}
	}
	return n
}

// from searches from a vertex. parent is the number of the vertex above it.
func (s *search) from(ctx context.Context, v, parent int32) error {
	at := s.reach(v, parent)
	for count := 0; len(s.stack) > 0; count++ {
		if count&0xffff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		top := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		switch {
		case top < 0:
			at = s.parents[^top]
		case !s.has(top):
			at = s.reach(top, at)
		}
	}
	return nil
}

// predecessors has the numbers of the vertices that refer to each vertex.
type predecessors struct {
	offsets []int32 // of the part of a vertex in the list, by vertex
	list    []int32
}

func (p *predecessors) of(v int32) []int32 { return p.list[p.offsets[v]:p.offsets[v+1]] }

// predecessors collects the references by their targets. A reference from an object
// that no root reaches to one that a root reaches does not count. The loops are in the
// order of the objects, whose references mostly lead to objects nearby.
func (s *search) predecessors() *predecessors {
	offsets := make([]int32, len(s.vertices)+1)
	edges, unreached := 0, s.order[s.heap.Unreached()]
	for v, n := range s.order {
		for _, to := range s.references(int32(v)) {
			if n < unreached || s.order[to] > unreached {
				offsets[to]++
				edges++
			}
		}
	}
	var sum int32
	for v, n := range offsets {
		sum += n
		offsets[v] = sum // the end of the part; each edge that is added lowers it
	}
	list := slices.Grow(s.stack[:0], edges)[:edges]
	for v, n := range s.order {
		for _, to := range s.references(int32(v)) {
			if n < unreached || s.order[to] > unreached {
				offsets[to]--
				list[offsets[to]] = n
			}
		}
	}
	return &predecessors{offsets, list}
}

// dominators returns the number of the immediate dominator of each vertex, by number.
func (s *search) dominators(ctx context.Context) ([]int32, error) {
	p, f, n := s.predecessors(), newForest(s.parents), len(s.vertices)
	above := make([]int32, n) // first the semidominators
	for end := n; end > 1; {
		start := (end - 1) &^ (loadAhead - 1)
		if start&0xffff == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		start = max(start, 1)
		f.load(p, s.vertices[start:end])
		for i := end - 1; i >= start; i-- {
			low := s.parents[i]
			for _, from := range p.of(s.vertices[i]) {
				low = min(low, f.eval(from, int32(i)))
			}
			above[i], f.links[i].lowest = low, low
		}
		end = start
	}
	for i := 1; i < n; i++ {
		d := s.parents[i]
		for d > above[i] {
			d = above[d]
		}
		above[i] = d
	}
	return above, nil
}
