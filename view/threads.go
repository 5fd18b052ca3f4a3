package view

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
)

// Threads counts the threads with events, for analysis.Read: those that the events are about and, up to version 5, those
// that wrote them.
type Threads struct {
	trace *analysis.Trace
	seen  map[analysis.Thread]struct{}
	last  analysis.Thread
}

// Count returns the number of threads.
func (t *Threads) Count() int { return len(t.seen) }

// Name returns "threads".
func (t *Threads) Name() string { return "threads" }

// Begin prepares for a trace.
func (t *Threads) Begin(trace *analysis.Trace) {
	*t = Threads{trace: trace, seen: map[analysis.Thread]struct{}{}}
}

// Handler returns the function for all events.
func (t *Threads) Handler(*codec.Metadata) analysis.Handler {
	return func(ev *codec.Event) {
		of := t.trace.Thread(ev)
		t.add(of)
		if !t.trace.Header.Format.HasThreadTable() {
			of.ID = ev.CaptureThreadIndex
			t.add(of)
		}
	}
}

// add notes a thread.
func (t *Threads) add(of analysis.Thread) {
	if of != t.last || len(t.seen) == 0 {
		t.seen[of] = struct{}{}
		t.last = of
	}
}

// Lost does nothing.
func (t *Threads) Lost(analysis.Thread) {}

// Reports returns nothing.
func (t *Threads) Reports(*analysis.Trace) []analysis.Report { return nil }
