package heap

// forest has the vertices that were already linked: those with a higher number than
// the one that is examined.
type forest struct {
	links  []link
	path   []int32
	loaded int32 // keeps the compiler from removing the loads
}

// link leads from a vertex up to one that comes before it on the search's path. lowest
// is the lowest semidominator of the vertices between them, without the upper one.
type link struct{ ancestor, lowest int32 }

// loadAhead is the number of vertices whose links are loaded together: so few that
// they are still in the caches when eval reads them.
const loadAhead = 64

func newForest(parents []int32) *forest {
	f := &forest{links: make([]link, len(parents))}
	for i, parent := range parents {
		f.links[i].ancestor = parent
	}
	return f
}

// load reads the links that eval will read for some vertices, up to the third of a
// path. These loads do not depend on each other, so the processor waits for many of
// them at a time, whereas it waits for each load of eval. It saves half of the time of
// large dumps.
func (f *forest) load(p *predecessors, vertices []int32) {
	for _, v := range vertices {
		for _, from := range p.of(v) {
			second := f.links[from].ancestor
			f.loaded += f.links[f.links[second].ancestor].ancestor
		}
	}
}

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
