package locks

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/recent"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// condenser condenses the samples of a chunk: successive ones of a thread with one stack are an
// entry, if no event about contentions is between them.
type condenser struct {
	trace   *analysis.Trace
	log     *analysis.Log
	round   int // changes at each event about contentions
	threads recent.Threads[lastEntry]
	entries []entry
	stacks  recent.Stacks // of the entries
}

// lastEntry is the last entry of a thread.
type lastEntry struct{ round, entry int }

// entry has successive samples of a thread with one stack.
type entry struct {
	thread  analysis.Thread
	ticks   uint64 // of the first one
	samples int64
	stack   recent.Stack
}

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser { return &condenser{} }

// Begin implements analysis.Condenser.
func (c *condenser) Begin(t *analysis.Trace, log *analysis.Log) {
	c.trace, c.log = t, log
	c.entries = c.entries[:0]
	c.stacks.Reset()
	c.round++
	c.threads.Trim()
}

// Handler implements analysis.Condenser.
func (c *condenser) Handler(m *codec.Metadata) analysis.Handler {
	kind := clr.KindOf(m)
	switch {
	case runtimes.IsThread(m), routes[kind] == nil:
		return nil
	case kind == clr.KindThreadSample:
		return c.sample
	}
	return func(ev *codec.Event) {
		c.round++
		c.log.Event(ev)
	}
}

// sample handles a sample of a thread.
func (c *condenser) sample(ev *codec.Event) {
	thread, stack := c.trace.Thread(ev), ev.Stack()
	r := c.threads.Get(thread)
	if r.round == c.round {
		if e := &c.entries[r.entry]; slices.Equal(c.stacks.Get(e.stack), stack) {
			e.samples++
			return
		}
	}
	*r = lastEntry{c.round, len(c.entries)}
	c.log.Entry(len(c.entries))
	c.entries = append(c.entries, entry{thread, ev.Timestamp, 1, c.stacks.Add(stack)})
}

// Lost implements analysis.Condenser: the thread may wait no more.
func (c *condenser) Lost(thread analysis.Thread) { c.threads.Get(thread).round = 0 }

// End implements analysis.Condenser.
func (c *condenser) End() {}

// Accepts implements analysis.Condensing.
func (p *Part) Accepts(analysis.Condenser) bool { return true }

// Apply implements analysis.Condensing.
func (p *Part) Apply(of analysis.Condenser, at int, _ []analysis.StackID) {
	c := of.(*condenser)
	e := &c.entries[at]
	p.process(e.thread.Process).sampledStack(e.thread, e.ticks, c.stacks.Get(e.stack), e.samples)
}
