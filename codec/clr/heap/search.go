package heap

import "context"

// search is a depth-first search of all vertices. Its numbers are those of the order
// in which it reaches the vertices.
type search struct {
	heap     *Heap
	first    [][]int32 // references of Root and Unreached
	order    []int32   // number by vertex, -1 before the search reaches it
	vertices []int32   // vertex by number
	parents  []int32   // number of the vertex from which the search came, by number
	next     []int32   // number of references that were followed, by number
}

func newSearch(h *Heap) *search {
	n := h.Len() + 2
	s := &search{
		heap: h, first: make([][]int32, 2), order: make([]int32, n),
		vertices: make([]int32, 0, n), parents: make([]int32, 0, n), next: make([]int32, 0, n),
	}
	for i := range s.order {
		s.order[i] = -1
	}
	var last int32 = -1
	for i := range h.Roots {
		if r := &h.Roots[i]; !r.Weak() && r.Object != last {
			s.first[0] = append(s.first[0], r.Object)
			last = r.Object
		}
	}
	return s
}

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
			if s.order[v] >= 0 || referred[v] && !cycles {
				continue
			}
			s.first[1] = append(s.first[1], v)
			if err := s.from(ctx, v, above); err != nil {
				return err
			}
		}
	}
	s.next = nil
	return nil
}

// referred returns the objects to which an object refers that no root reaches.
func (s *search) referred() []bool {
	referred := make([]bool, s.heap.Len())
	for i := range referred {
		if s.order[i] >= 0 {
			continue
		}
		for _, to := range s.heap.References(int32(i)) {
			referred[to] = referred[to] || int(to) != i
		}
	}
	return referred
}

// reach numbers a vertex.
func (s *search) reach(v, parent int32) int32 {
	n := int32(len(s.vertices))
	s.order[v] = n
	s.vertices = append(s.vertices, v)
	s.parents = append(s.parents, parent)
	s.next = append(s.next, 0)
	return n
}

// from searches from a vertex. parent is the number of the vertex above it.
func (s *search) from(ctx context.Context, v, parent int32) error {
	start := s.reach(v, parent)
	for at, count := start, 0; ; count++ {
		if count&0xffff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		references := s.references(s.vertices[at])
		i := int(s.next[at])
		for i < len(references) && s.order[references[i]] >= 0 {
			i++
		}
		s.next[at] = int32(i) + 1
		switch {
		case i < len(references):
			at = s.reach(references[i], at)
		case at == start:
			return nil
		default:
			at = s.parents[at]
		}
	}
}

// predecessors returns the numbers of the vertices that refer to each vertex: the
// start of its part of the list, by number, and the list. A reference from an object
// that no root reaches to one that a root reaches does not count.
func (s *search) predecessors() (offsets, list []int32) {
	offsets = make([]int32, len(s.vertices)+1)
	edges, unreached := 0, s.order[s.heap.Unreached()]
	for i, v := range s.vertices {
		for _, to := range s.references(v) {
			if n := s.order[to]; n > unreached || int32(i) < unreached {
				offsets[n]++
				edges++
			}
		}
	}
	var sum int32
	for i, n := range offsets {
		sum += n
		offsets[i] = sum // the end of the list; each edge that is added lowers it
	}
	list = make([]int32, edges)
	for i, v := range s.vertices {
		for _, to := range s.references(v) {
			if n := s.order[to]; n > unreached || int32(i) < unreached {
				offsets[n]--
				list[offsets[n]] = int32(i)
			}
		}
	}
	return offsets, list
}

// dominators returns the number of the immediate dominator of each vertex, by number.
func (s *search) dominators(ctx context.Context) ([]int32, error) {
	offsets, list := s.predecessors()
	n := len(s.vertices)
	f := forest{links: make([]link, n)}
	for i := range n {
		f.links[i].ancestor = s.parents[i]
	}
	above := make([]int32, n) // first the semidominators
	for i := n - 1; i > 0; i-- {
		if i&0xffff == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		low := s.parents[i]
		for _, from := range list[offsets[i]:offsets[i+1]] {
			low = min(low, f.eval(from, int32(i)))
		}
		above[i], f.links[i].lowest = low, low
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

// forest has the vertices that were already linked: those with a higher number than
// the one that is examined.
type forest struct {
	links []link
	path  []int32
}

// link leads from a vertex up to one that comes before it on the search's path. lowest
// is the lowest semidominator of the vertices between them, without the upper one.
type link struct{ ancestor, lowest int32 }

// eval returns the lowest semidominator of the path from v up to the tree's root,
// without the root. A vertex up to limit is not linked yet: its number counts.
func (f *forest) eval(v, limit int32) int32 {
	if v <= limit {
		return v
	}
	f.path = f.path[:0]
	u := v
	for f.links[u].ancestor > limit {
		f.path = append(f.path, u)
		u = f.links[u].ancestor
	}
	top := f.links[u]
	for i := len(f.path) - 1; i >= 0; i-- {
		l := &f.links[f.path[i]]
		top.lowest = min(top.lowest, l.lowest)
		*l = top
	}
	return top.lowest
}
