package requests

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/payload"
)

// condenser leaves out the suspensions of a chunk that are no pauses of the garbage collector: the
// sample profiler has thousands of them.
type condenser struct {
	trace *analysis.Trace
	log   *analysis.Log
	free  map[analysis.Thread]bool // threads without an open pause
}

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser {
	return &condenser{free: map[analysis.Thread]bool{}}
}

// Begin implements analysis.Condenser.
func (c *condenser) Begin(t *analysis.Trace, log *analysis.Log) {
	c.trace, c.log = t, log
	clear(c.free)
}

// Handler implements analysis.Condenser.
func (c *condenser) Handler(m *codec.Metadata) analysis.Handler {
	switch (eventKey{m.Provider, m.EventID}) {
	case eventKey{analysis.RuntimeProvider, suspendBegin}:
		return func(ev *codec.Event) {
			fields := payload.New(ev.Payload(), c.trace.Header.PointerSize)
			c.event(ev, !gc.IsPause(uint32(fields.U16())))
		}
	case eventKey{analysis.RuntimeProvider, restartEnd}:
		return func(ev *codec.Event) { c.event(ev, true) }
	}
	return nil
}

// event passes on an event about a suspension, after which its thread has no open pause if free
// is set. It has no effect if the thread had none before.
func (c *condenser) event(ev *codec.Event, free bool) {
	thread := c.trace.Thread(ev)
	if free && c.free[thread] {
		return
	}
	c.free[thread] = free
	c.log.Event(ev)
}

// Lost implements analysis.Condenser: a pause may end.
func (c *condenser) Lost(analysis.Thread) {}

// End implements analysis.Condenser.
func (c *condenser) End() {}

// Accepts implements analysis.Condensing.
func (p *Part) Accepts(analysis.Condenser) bool { return true }

// Apply implements analysis.Condensing: there are no entries.
func (p *Part) Apply(analysis.Condenser, int) {}
