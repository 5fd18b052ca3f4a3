package gc

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// condenser makes an entry of the events of a suspension that is not the collector's, of which the
// sample profiler has thousands, and of the AllocationTick events of a runtime between events that
// need their sum.
type condenser struct {
	trace   *analysis.Trace
	log     *analysis.Log
	held    foreign // the last one that began, if there was no other event of the part but AllocationTick since
	isHeld  bool
	sum     runtimeTicks // since their last entry
	hasSum  bool
	entries []entry
	sums    []runtimeTicks
}

// entry is a suspension, or a sum of AllocationTick.
type entry struct {
	foreign
	sum int // position in sums plus one, 0 for a suspension
}

// foreign is a suspension that is not the collector's.
type foreign struct {
	key        runtimeKey
	thread     analysis.Thread
	begin, end uint64 // ticks
	ended      bool   // in the chunk, without another event of the part but AllocationTick
}

// runtimeTicks are AllocationTick events of a runtime.
type runtimeTicks struct {
	key runtimeKey
	tickSum
}

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser { return &condenser{} }

// Begin implements analysis.Condenser.
func (c *condenser) Begin(t *analysis.Trace, log *analysis.Log) {
	c.trace, c.log, c.isHeld, c.hasSum = t, log, false, false
	c.entries, c.sums = c.entries[:0], c.sums[:0]
}

// Handler implements analysis.Condenser.
func (c *condenser) Handler(m *codec.Metadata) analysis.Handler {
	kind := clr.KindOf(m)
	route, ok := routes[kind]
	if !ok {
		return nil
	}
	switch kind {
	case clr.KindGCAllocationTick:
		return func(ev *codec.Event) { c.tick(ev, keyOf(c.trace, ev, route)) }
	case clr.KindGCSuspendEEBegin:
		return func(ev *codec.Event) { c.begin(ev, keyOf(c.trace, ev, route)) }
	case clr.KindGCSuspendEEEnd, clr.KindGCRestartEEBegin, clr.KindGCRestartEEEnd:
		return func(ev *codec.Event) { c.follow(ev, keyOf(c.trace, ev, route), kind == clr.KindGCRestartEEEnd) }
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
	s := model.SuspensionOf(ev)
	if s.IsPause() {
		c.pass(ev)
		return
	}
	c.flush()
	c.held, c.isHeld = foreign{key: key, thread: c.trace.Thread(ev), begin: s.From}, true
}

// tick handles AllocationTick.
func (c *condenser) tick(ev *codec.Event, key runtimeKey) {
	if c.hasSum && c.sum.key != key {
		c.flushTicks()
	}
	if !c.hasSum {
		c.hasSum, c.sum = true, runtimeTicks{key: key}
	}
	c.sum.add(readTick(ev))
}

// flushTicks makes an entry of the sum of AllocationTick.
func (c *condenser) flushTicks() {
	if c.hasSum {
		c.hasSum = false
		c.sums = append(c.sums, c.sum)
		c.add(entry{sum: len(c.sums)})
	}
}

// add adds an entry.
func (c *condenser) add(e entry) {
	c.log.Entry(len(c.entries))
	c.entries = append(c.entries, e)
}

// pass passes on an event.
func (c *condenser) pass(ev *codec.Event) {
	c.End()
	c.log.Event(ev)
}

// flush makes an entry of what is held.
func (c *condenser) flush() {
	if c.isHeld {
		c.isHeld = false
		c.add(entry{foreign: c.held})
	}
}

// Lost implements analysis.Condenser: what is held may end.
func (c *condenser) Lost(analysis.Thread) { c.flush() }

// End implements analysis.Condenser.
func (c *condenser) End() {
	c.flush()
	c.flushTicks()
}

// Accepts implements analysis.Condensing.
func (p *Part) Accepts(analysis.Condenser) bool { return true }

// Apply implements analysis.Condensing.
func (p *Part) Apply(of analysis.Condenser, at int, _ []analysis.StackID) {
	c := of.(*condenser)
	e := &c.entries[at]
	if e.sum > 0 {
		sum := &c.sums[e.sum-1]
		p.runtime(sum.key).addTicks(&sum.tickSum)
		return
	}
	r := p.runtime(e.key)
	r.suspend(e.thread, model.Suspension{From: e.begin})
	if e.ended {
		r.restart(e.thread, e.end)
	}
}
