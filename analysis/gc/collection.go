package gc

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Types of collections in GCStart.
const (
	blocking = iota
	background
	foreground
)

// collection is a garbage collection, or a pause without one.
type collection struct {
	none                             bool // a pause without a collection
	number, generation, reason, kind uint32
	hasNumber                        bool
	thread                           analysis.Thread // of the start
	start, end                       uint64          // ticks
	ended, unfinished                bool
	within                           *suspension // in which it started
	endedWithin                      bool        // it ended before that suspension did
	pauses                           []pause
	trigger                          trigger

	stats    bool               // GCHeapStats is in the trace
	after    [generations]int64 // sizes
	promoted [generations]int64
	history  history

	pinnedObjects int64     // of GCHeapStats
	pins          pinnedSum // of the events about single objects

	ticks     [kinds]int64 // AllocationTick bytes since the start of the one before
	hasTicks  bool
	allocated analysis.Number
}

// pause is the part of a suspension that belongs to a collection.
type pause struct {
	from, to   uint64 // ticks
	suspended  uint64 // when all threads were stopped; 0: unknown, or the part has no such time
	restarted  uint64 // when the restart began; the same
	unfinished bool
}

// trigger is the last GCTriggered since a collection started.
type trigger struct {
	reason uint32
	ticks  uint64
	stack  analysis.StackID
	set    bool
}

// triggered handles GCTriggered, which has the stack of what caused a collection.
func (r *runtime) triggered(ev *codec.Event) {
	r.trigger = trigger{reason: clr.GCTriggered(ev).Reason(), ticks: ev.Timestamp, stack: r.trace.Stack(ev), set: true}
}

// collectionStart handles GCStart.
func (r *runtime) collectionStart(ev *codec.Event) {
	e := clr.GCStart(ev)
	c := &collection{
		number: e.Number(), generation: e.Depth(), reason: e.Reason(), kind: e.Type(), hasNumber: true,
		thread: r.trace.Thread(ev), start: ev.Timestamp, ticks: r.ticks, hasTicks: r.hasTicks,
	}
	if e.Short() || r.started(c.number) {
		return
	}
	if r.trigger.set && r.trigger.reason == c.reason {
		c.trigger = r.trigger
	}
	r.trigger, r.ticks = trigger{}, [kinds]int64{}
	if s := r.suspensionOf(c.thread); s != nil {
		s.Saw(c.start)
		c.within = s.Of
		s.Of.starts = append(s.Of.starts, c)
	}
	if c.kind != background { // only a background collection runs beside others
		r.open = slices.DeleteFunc(r.open, func(o *collection) bool { return o.kind != background })
	}
	r.open = append(r.open, c)
	if len(r.open) > maxOpen {
		r.open = slices.Delete(r.open, 0, 1)
	}
	r.add(c)
}

// maxOpen bounds the collections that have not ended: their ends
// are lost.
const maxOpen = 64

// started reports whether a collection with a number is open.
func (r *runtime) started(number uint32) bool {
	return slices.ContainsFunc(r.open, func(o *collection) bool { return o.number == number })
}

// add adds a row.
func (r *runtime) add(c *collection) {
	if c.hasNumber {
		if !r.hasNumbers {
			r.first, r.hasNumbers = c.number, true
		}
		r.latest = max(r.latest, c.number)
	}
	if int64(len(r.rows)) >= r.trace.Limits().Rows {
		r.leftOut++
		return
	}
	r.rows = append(r.rows, c)
	r.settle(len(r.rows) - unsettled)
}

// collectionEnd handles GCEnd.
func (r *runtime) collectionEnd(ev *codec.Event) {
	number := clr.GCEnd(ev).Number()
	i := slices.IndexFunc(r.open, func(o *collection) bool { return o.number == number })
	if i < 0 {
		r.beganBefore++
		r.thread(ev).ended = nil
		return
	}
	c := r.open[i]
	r.open = slices.Delete(r.open, i, i+1)
	c.end, c.ended = ev.Timestamp, true
	c.endedWithin = c.within != nil && !c.within.ended
	r.thread(ev).ended = c
}

// heapStats handles GCHeapStats, which follows GCEnd on the same thread.
func (r *runtime) heapStats(ev *codec.Event) {
	c := r.thread(ev).ended
	if c == nil || c.stats {
		return
	}
	e := clr.GCHeapStats(ev)
	for g, of := range [...]struct{ after, promoted uint64 }{
		{e.GenerationSize0(), e.TotalPromotedSize0()},
		{e.GenerationSize1(), e.TotalPromotedSize1()},
		{e.GenerationSize2(), e.TotalPromotedSize2()},
		large:  {e.GenerationSize3(), e.TotalPromotedSize3()},
		pinned: {e.GenerationSize4(), e.TotalPromotedSize4()}, // 0 if there is no such heap
	} {
		c.after[g], c.promoted[g] = int64(of.after), int64(of.promoted)
	}
	c.pinnedObjects, c.stats = int64(e.PinnedObjectCount()), !e.Short()
}
