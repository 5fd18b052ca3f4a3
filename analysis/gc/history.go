package gc

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Indexes of generations in GCHeapStats and GCPerHeapHistory.
const (
	large  = 3 // the heap of large objects
	pinned = 4 // the heap of pinned objects, .NET 5 and later

	generations = 5
)

// concurrent is the bit of GlobalMechanisms of a background collection that ran
// beside the program.
const concurrent = 1

// history is what GCGlobalHeapHistory and GCPerHeapHistory describe: the heaps
// before and after a collection.
type history struct {
	global     bool // GCGlobalHeapHistory is in the trace
	mechanisms uint32
	heaps      int32 // that it announces
	seen       int32 // GCPerHeapHistory in the trace

	before, fragmentation [generations]int64
	objects               []heapObjects // by index of the heap, until the next row is settled
}

// heapObjects are the bytes of objects in a heap, without free space.
type heapObjects struct {
	before, after [generations]int64
	set           bool
}

// complete reports whether the histories of all heaps are in the trace.
func (h *history) complete() bool { return h.seen > 0 && (!h.global || h.seen == h.heaps) }

// globalHistory handles GCGlobalHeapHistory, which comes before the
// GCPerHeapHistory events of its collection on the same thread.
func (r *runtime) globalHistory(ev *codec.Event) {
	e := clr.GCGlobalHeapHistory(ev)
	if e.Short() {
		return
	}
	heaps, mechanisms := e.NumHeaps(), e.GlobalMechanisms()
	c := r.described(ev, mechanisms)
	r.thread(ev).history = c
	if c == nil {
		r.orphans++
		return
	}
	c.history.global, c.history.heaps, c.history.mechanisms = true, heaps, mechanisms
}

// described returns the collection that a history is about. Only a background
// collection has the bit concurrent; server GC logs its history after its end. Of
// the others only one is in progress, apart from a background one that runs
// blocking, and in server GC any thread of the collector logs its history.
func (r *runtime) described(ev *codec.Event, mechanisms uint32) *collection {
	if mechanisms&concurrent != 0 {
		if c := r.lastOpen(func(c *collection) bool { return c.kind == background }); c != nil {
			return c
		}
		if c := r.thread(ev).ended; c != nil && c.kind == background && !c.history.global {
			return c
		}
		return nil
	}
	if c := r.lastOpen(func(c *collection) bool { return c.kind != background }); c != nil {
		return c
	}
	return r.lastOpen(func(*collection) bool { return true })
}

// lastOpen returns the last open collection that is of a kind, or nil.
func (r *runtime) lastOpen(is func(*collection) bool) *collection {
	for _, c := range slices.Backward(r.open) {
		if is(c) {
			return c
		}
	}
	return nil
}

// maxHeaps bounds the index of a heap.
const maxHeaps = 1024

// heapHistory handles GCPerHeapHistory.
func (r *runtime) heapHistory(ev *codec.Event) {
	c := r.thread(ev).history
	if c == nil {
		if c = r.described(ev, 0); c == nil {
			r.orphans++
			return
		}
	}
	e := clr.GCPerHeapHistory(ev)
	index := e.HeapIndex()
	if e.Short() || index >= maxHeaps {
		return
	}
	h := &c.history
	var objects heapObjects
	for g := range int(min(e.Count(), generations)) {
		v := e.Value(g)
		before, after := int64(v.SizeBefore()), int64(v.SizeAfter())
		h.before[g] += before
		h.fragmentation[g] += int64(v.FreeListAfter()) + int64(v.FreeObjAfter())
		objects.before[g] = before - int64(v.FreeListBefore()) - int64(v.FreeObjBefore())
		objects.after[g] = after - int64(v.FreeListAfter()) - int64(v.FreeObjAfter())
	}
	objects.set = true
	for uint32(len(h.objects)) <= index {
		h.objects = append(h.objects, heapObjects{})
	}
	h.objects[index] = objects
	h.seen++
}

// Kinds of AllocationTick.
const kinds = 3

// kindOf are the generations that allocate, and the kind of their ticks.
var kindOf = [...]struct{ generation, kind int }{{0, 0}, {large, 1}, {pinned, 2}}

// tickSum is the sum of some AllocationTick events, in bytes.
type tickSum struct {
	kinds [kinds]int64
	all   int64
}

// add adds an event.
func (s *tickSum) add(amount int64, kind uint32) {
	s.all += amount
	if kind < kinds {
		s.kinds[kind] += amount
	}
}

// readTick reads an AllocationTick.
func readTick(ev *codec.Event) (amount int64, kind uint32) {
	e := clr.GCAllocationTick(ev)
	if e.HasAllocationAmount64() {
		return int64(e.AllocationAmount64()), e.AllocationKind()
	}
	return int64(e.AllocationAmount()), e.AllocationKind()
}

// allocationTick handles AllocationTick.
func (r *runtime) allocationTick(ev *codec.Event) {
	var s tickSum
	s.add(readTick(ev))
	r.addTicks(&s)
}

// addTicks adds AllocationTick events.
func (r *runtime) addTicks(s *tickSum) {
	r.hasTicks = true
	r.allTicks += s.all
	for kind, amount := range s.kinds {
		r.ticks[kind] += amount
	}
}

// unsettled is how many rows at the end may still get a history.
const unsettled = 16

// settle computes the allocated bytes of the rows before an index.
func (r *runtime) settle(end int) {
	for ; r.settled < end; r.settled++ {
		c, before := r.rows[r.settled], r.before(r.settled)
		if c.none {
			continue
		}
		c.allocated = c.allocatedSince(before)
		if before != nil {
			before.history.objects = nil
		}
	}
}

// before returns the collection before a row, nil for none.
func (r *runtime) before(row int) *collection {
	for row--; row >= 0; row-- {
		if !r.rows[row].none {
			return r.rows[row]
		}
	}
	return nil
}

// allocatedSince computes the bytes allocated since the collection before, nil
// for none: the objects before this one without those after that one. Where the
// histories do not have them, it takes the AllocationTick events. Those of a
// background collection do not have what the program allocates beside it, and those
// of server GC less than half of it: without events they are unknown.
func (c *collection) allocatedSince(before *collection) analysis.Number {
	histories := before != nil && len(before.history.objects) > 0 && len(c.history.objects) > 0
	if !c.hasTicks && (!histories || c.kind == background || len(c.history.objects) > 1) {
		return analysis.Number{}
	}
	sum := int64(0)
	for _, k := range kindOf {
		g := k.generation
		if histories && len(c.history.objects) == 1 && (g != 0 || c.kind != background) {
			sum += c.grown(before, g)
		} else {
			sum += c.ticks[k.kind]
		}
	}
	return analysis.Known(sum)
}

// grown returns by how many bytes the objects of a generation grew since the
// collection before.
func (c *collection) grown(before *collection, g int) int64 {
	sum := int64(0)
	for i, heap := range c.history.objects {
		start := int64(0)
		if i < len(before.history.objects) {
			last := &before.history.objects[i]
			start = last.after[g]
			if g != 0 && start == 0 && before.generation == 0 {
				start = last.before[g] // a generation 0 collection does not look at these heaps
			}
		}
		sum += heap.before[g] - start
	}
	return sum
}
