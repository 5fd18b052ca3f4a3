package heap

import "context"

// Paths has a shortest path from a root to each object that a root reaches. Paths
// does not change.
type Paths struct {
	heap    *Heap
	parents []int32 // object from which the path comes; -1 for objects with a root, -2 for those not reached
	order   []int32
}

// Paths computes the shortest paths from the roots. Of several, the path is the one
// from the first object in the order of numbers. The error is that of ctx.
func (h *Heap) Paths(ctx context.Context) (*Paths, error) {
	p := &Paths{heap: h, parents: make([]int32, h.Len()), order: make([]int32, 0, h.Len())}
	for i := range p.parents {
		p.parents[i] = -2
	}
	for i := range h.Roots {
		if r := &h.Roots[i]; !r.Weak() && p.parents[r.Object] == -2 {
			p.add(r.Object, -1)
		}
	}
	for i := 0; i < len(p.order); i++ {
		if i&0xffff == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, to := range h.References(p.order[i]) {
			if p.parents[to] == -2 {
				p.add(to, p.order[i])
			}
		}
	}
	return p, nil
}

func (p *Paths) add(object, parent int32) {
	p.parents[object] = parent
	p.order = append(p.order, object)
}

// Order returns the objects that a root reaches, those with shorter paths first. The
// caller must not change the slice.
func (p *Paths) Order() []int32 { return p.order }

// Parent returns the object before an object on its path; -1 if the object has a
// root. The second result is false if no root reaches the object.
func (p *Paths) Parent(object int32) (int32, bool) {
	parent := p.parents[object]
	return max(parent, -1), parent >= -1
}

// To returns the path to an object, from the object with a root on; nil if no root
// reaches it.
func (p *Paths) To(object int32) []int32 {
	if p.parents[object] < -1 {
		return nil
	}
	n := 0
	for v := object; v >= 0; v = p.parents[v] {
		n++
	}
	path := make([]int32, n)
	for v := object; v >= 0; v = p.parents[v] {
		n--
		path[n] = v
	}
	return path
}
