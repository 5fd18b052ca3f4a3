package gc

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
)

// The events about a suspension.
const (
	restartEndID   = 3
	restartBeginID = 7
	suspendEndID   = 8
	suspendBeginID = 9
)

// condenser makes an entry of the events of a suspension that is not the collector's: the sample
// profiler has thousands of them.
type condenser struct {
	trace   *analysis.Trace
	log     *analysis.Log
	held    foreign // the last one that began, if there was no other event of the part since
	isHeld  bool
	entries []foreign
}

// foreign is a suspension that is not the collector's.
type foreign struct {
	key        runtimeKey
	thread     analysis.Thread
	begin, end uint64 // ticks
	ended      bool   // in the chunk, without another event of the part
}

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser { return &condenser{} }

// Begin implements analysis.Condenser.
func (c *condenser) Begin(t *analysis.Trace, log *analysis.Log) {
	c.trace, c.log, c.entries, c.isHeld = t, log, c.entries[:0], false
}

// Handler implements analysis.Condenser.
func (c *condenser) Handler(m *codec.Metadata) analysis.Handler {
	route, ok := routes[m.EventID]
	if m.Provider != analysis.RuntimeProvider || !ok {
		return nil
	}
	switch m.EventID {
	case suspendBeginID:
		return func(ev *codec.Event) { c.begin(ev, keyOf(c.trace, ev, route.instance)) }
	case suspendEndID, restartBeginID, restartEndID:
		return func(ev *codec.Event) { c.follow(ev, keyOf(c.trace, ev, route.instance), m.EventID == restartEndID) }
	}
	return c.pass
}

// follow handles an event of a suspension after its begin.
func (c *condenser) follow(ev *codec.Event, key runtimeKey, ends bool) {
	switch {
	case !c.isHeld || c.held.thread != c.trace.Thread(ev) || c.held.key != key:
		c.pass(ev)
	case ends:
		c.held.ended, c.held.end = true, max(c.held.begin, ev.Timestamp)
		c.flush()
	}
}

// begin handles SuspendEEBegin.
func (c *condenser) begin(ev *codec.Event, key runtimeKey) {
	s := newSuspension(c.trace, ev)
	if s.byCollector() {
		c.pass(ev)
		return
	}
	c.flush()
	c.held, c.isHeld = foreign{key: key, thread: s.thread, begin: s.begin}, true
}

// pass passes on an event.
func (c *condenser) pass(ev *codec.Event) {
	c.flush()
	c.log.Event(ev)
}

// flush makes an entry of what is held.
func (c *condenser) flush() {
	if c.isHeld {
		c.isHeld = false
		c.log.Entry(len(c.entries))
		c.entries = append(c.entries, c.held)
	}
}

// Lost implements analysis.Condenser: what is held may end.
func (c *condenser) Lost(analysis.Thread) { c.flush() }

// End implements analysis.Condenser.
func (c *condenser) End() { c.flush() }

// Accepts implements analysis.Condensing.
func (p *Part) Accepts(analysis.Condenser) bool { return true }

// Apply implements analysis.Condensing.
func (p *Part) Apply(of analysis.Condenser, at int) {
	e := &of.(*condenser).entries[at]
	r, s := p.runtime(e.key), &suspension{thread: e.thread, begin: e.begin}
	r.suspend(s)
	if e.ended {
		r.restart(s, e.end)
	}
}
