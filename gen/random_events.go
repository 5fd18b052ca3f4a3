package gen

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// batch makes n events in the way of the runtime: the thread with the oldest
// event comes first with all of its events, and its first row is sorted.
func (r *random) batch(n int) {
	waiting := make([]codec.EventRow, n)
	for i := range waiting {
		waiting[i] = r.event()
	}
	for len(waiting) > 0 {
		waiting = r.run(waiting)
	}
}

// run adds the events of the thread with the oldest one, and returns the others.
// waiting is in the order of time.
func (r *random) run(waiting []codec.EventRow) []codec.EventRow {
	thread := waiting[0].CaptureThreadIndex
	rest := slices.DeleteFunc(slices.Clone(waiting), func(e codec.EventRow) bool { return e.CaptureThreadIndex == thread })
	first := true
	for i := range waiting {
		e := &waiting[i]
		if e.CaptureThreadIndex != thread {
			continue
		}
		oldest := len(rest) == 0 || e.Timestamp <= rest[0].Timestamp
		e.Sorted = first || oldest && r.one(8)
		first = false
		if r.one(16) {
			r.b.Lose(thread, 1+uint32(r.n(1000)))
		}
		r.b.Event(e)
		if r.one(16) {
			r.form()
			r.b.Flush()
		}
	}
	return rest
}

// event makes the next event in time.
func (r *random) event() codec.EventRow {
	m := r.metadata[r.n(len(r.metadata))]
	if r.one(2) { // types that repeat
		m = r.metadata[0]
	}
	e := codec.EventRow{
		MetadataID: m.ID, Payload: r.payload(m), Processor: uint32(r.n(r.processor)),
		CaptureThreadIndex: r.threads[r.n(len(r.threads))],
	}
	if r.one(2) {
		e.Processor = wire.UnknownProcessor
	}
	if e.ThreadIndex = e.CaptureThreadIndex; r.one(4) {
		e.ThreadIndex = r.threads[r.n(len(r.threads))]
	}
	if len(r.stacks) > 0 && !r.one(3) {
		e.StackID = r.stacks[r.n(len(r.stacks))]
	}
	r.b.Now = max(r.b.Now, r.point) + min(r.bits(30), r.head.TickFrequency*60)
	if r.events++; r.events == 2 {
		r.b.Now++ // not all at the same time
	}
	e.Timestamp = r.b.Now
	if r.one(8) {
		e.Written = byte(r.c.Uint32()) &^ wire.RowSorted
	}
	if r.format.HasLabelLists() {
		if len(r.labels) > 0 && r.one(2) {
			e.LabelListID = r.labels[r.n(len(r.labels))]
		}
		e.Written &^= wire.RowRelated
		return e
	}
	r.activities()
	e.Activity, e.Related = r.activity, r.related
	return e
}

// activities sometimes changes the activity ids of the next events.
func (r *random) activities() {
	if !r.one(4) {
		return
	}
	r.activity, r.related = wire.GUID{}, wire.GUID{}
	if r.one(2) {
		r.activity = r.guid()
	}
	if r.one(2) {
		r.related = r.guid()
	}
}
