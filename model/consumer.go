package model

import (
	"cmp"

	"github.com/nettrace-go/nettrace/codec"
)

// A Consumer reads a trace: the facts of the trackers that it asks for, and the
// events that it has handlers for. A Consumer is for one trace and one goroutine.
type Consumer interface {
	// Begin is called once, before the first event. Here a Consumer asks for
	// trackers, which are methods of Trace.
	Begin(t *Trace)
	// Handler returns the function for the events of a metadata row, nil if the
	// Consumer does not need them. It is called once for each metadata row.
	Handler(m *codec.Metadata) Handler
	// Lost is called when events that a thread logged are lost, before the
	// thread's next event, and when another thread gets its id: what is known of
	// open intervals of the thread is no longer valid.
	Lost(thread Thread)
}

// A Handler handles one event. It must not keep the event.
type Handler func(ev *codec.Event)

// Thread identifies a thread in a trace by the ids of the operating system.
type Thread struct {
	Process uint64 // 0 if the trace does not have it
	ID      uint64 // for a v6 thread without one, 1<<32 plus its index
}

// track adds a tracker, before the first event. end is called after the last event,
// when the bounds of the recording are known, in the order of the trackers; nil for
// none.
func (t *Trace) track(tracker Consumer, end func()) {
	t.trackers = append(t.trackers, tracker)
	if end != nil {
		t.ends = append(t.ends, end)
	}
}

// Compare orders threads by process and id.
func (t Thread) Compare(o Thread) int {
	return cmp.Or(cmp.Compare(t.Process, o.Process), cmp.Compare(t.ID, o.ID))
}
