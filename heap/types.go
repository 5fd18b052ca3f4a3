package heap

import (
	"cmp"
	"slices"
)

// TypeTotal has the totals of a type.
type TypeTotal struct {
	Name    string // name of the type
	Count   int64  // number of objects
	Shallow uint64 // bytes of the objects alone
	// Retained is the bytes of the objects and of all objects below them in the
	// dominator tree, each counted once.
	Retained uint64
}

// Types returns the totals of all types, the highest Retained first.
func (h *Heap) Types(d *Dominators) []TypeTotal {
	list := make([]TypeTotal, len(h.names))
	for i, name := range h.names {
		list[i].Name = name
	}
	for i := range h.Len() {
		t := &list[h.TypeOf(int32(i))]
		t.Count++
		t.Shallow += h.sizes.at(i)
	}
	above := make([]int32, len(list)) // objects of each type above the vertex
	d.Walk(func(v int32) {
		t := h.TypeOf(v)
		if above[t]++; above[t] == 1 {
			list[t].Retained += d.retained[v]
		}
	}, func(v int32) { above[h.TypeOf(v)]-- })
	list = slices.DeleteFunc(list, func(t TypeTotal) bool { return t.Count == 0 })
	slices.SortFunc(list, func(t, u TypeTotal) int {
		return cmp.Or(cmp.Compare(u.Retained, t.Retained), cmp.Compare(u.Shallow, t.Shallow), cmp.Compare(t.Name, u.Name))
	})
	return list
}

// RetainedBy returns the bytes that a set of objects retains together: those of the
// objects and of all objects below them, each counted once.
func (d *Dominators) RetainedBy(objects []int32) (bytes uint64) {
	member := make(map[int32]bool, len(objects))
	for _, v := range objects {
		member[v] = true
	}
	above := 0
	d.Walk(func(v int32) {
		if member[v] {
			if above++; above == 1 {
				bytes += d.retained[v]
			}
		}
	}, func(v int32) {
		if member[v] {
			above--
		}
	})
	return bytes
}

// Walk visits the objects of the tree from the top: it calls enter for an object
// before those below it, and leave after them.
func (d *Dominators) Walk(enter, leave func(v int32)) {
	object := func(f func(int32), v int32) {
		if int(v) < d.heap.Len() {
			f(v)
		}
	}
	next := make([]int32, len(d.parents))
	for v := d.heap.Root(); v >= 0; {
		if children := d.Children(v); int(next[v]) < len(children) {
			child := children[next[v]]
			next[v]++
			object(enter, child)
			v = child
			continue
		}
		object(leave, v)
		v = d.parents[v]
	}
}
