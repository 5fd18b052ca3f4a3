package analysis

import "github.com/nettrace-go/nettrace/codec"

// A Part makes the reports of one part from the events of a trace. A Part is for
// one trace and one goroutine.
type Part interface {
	// Name returns the name of the part, as in "nettrace report NAME".
	Name() string
	// Begin is called once, before the first event.
	Begin(t *Trace)
	// Handler returns the function for the events of a metadata row, nil if the
	// part does not need them. It is called once for each metadata row.
	Handler(m *codec.Metadata) Handler
	// Lost is called when events that a thread logged are lost, before the
	// thread's next event, and when another thread gets its id: what the part
	// knows of open intervals of the thread is no longer valid.
	Lost(thread Thread)
	// Reports returns the report for each process, in the order of their ids. It
	// is called after the last event. If the trace has no events of the part, it
	// returns one report that only has NotRecorded.
	Reports(t *Trace) []Report
}

// A Handler handles one event. It must not keep the event.
type Handler func(ev *codec.Event)

// Thread identifies a thread in a trace by the ids of the operating system.
type Thread struct {
	Process uint64 // 0 if the trace does not have it
	ID      uint64 // for a v6 thread without one, 1<<32 plus its index
}
