package exceptions

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/recent"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// condenser makes an entry of each event about exceptions: what it means depends on those before
// it. Texts are decoded once in a chunk.
type condenser struct {
	trace    *analysis.Trace
	log      *analysis.Log
	entries  []entry
	throws   []throw
	texts    numbered // of types and methods
	messages numbered
	text     []byte   // of the method of the current event
	of       *process // that the numbers of texts are for
}

// entry is an event about exceptions.
type entry struct {
	process   uint64
	thread    analysis.Thread
	text      uint32 // of clr.KindExceptionThrown the position in throws, of clr.KindExceptionCatchStart the number of the method
	event     clr.Kind
	outermost bool    // of clr.KindExceptionFilterStart
	handler   handler // of clr.KindExceptionCatchStart
}

// throw is an ExceptionThrown.
type throw struct {
	ticks         uint64
	activity      wire.GUID
	typ, message  uint32 // numbers
	stack         analysis.StackID
	inner, nested bool
	again, short  bool
}

// numbered are distinct texts of a chunk.
type numbered struct {
	recent.Texts
	ids []int32 // plus one, in the texts of a process; 0: not known yet. The goroutine that joins has them
}

// reset removes all texts.
func (n *numbered) reset() {
	n.Reset()
	n.forget()
}

// forget removes the ids.
func (n *numbered) forget() { n.ids = n.ids[:0] }

// id returns the id of a text by its number. add adds it to the texts of the process.
func (n *numbered) id(number uint32, add func([]byte) int32) int32 {
	for len(n.ids) <= int(number) {
		n.ids = append(n.ids, 0)
	}
	if n.ids[number] == 0 {
		n.ids[number] = 1 + add([]byte(n.Get(number)))
	}
	return n.ids[number] - 1
}

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser { return &condenser{} }

// Begin implements analysis.Condenser.
func (c *condenser) Begin(t *analysis.Trace, log *analysis.Log) {
	c.trace, c.log, c.of = t, log, nil
	c.entries, c.throws = c.entries[:0], c.throws[:0]
	c.texts.reset()
	c.messages.reset()
}

// Handler implements analysis.Condenser.
func (c *condenser) Handler(m *codec.Metadata) analysis.Handler {
	switch kind := clr.KindOf(m); kind {
	case clr.KindExceptionThrown:
		return c.thrown
	case clr.KindExceptionCatchStart:
		return func(ev *codec.Event) {
			of := clr.ExceptionCatchStart(ev)
			e := c.entry(ev, clr.KindExceptionCatchStart)
			e.text, e.handler = c.texts.Add(of.MethodName()), handler{of.MethodID(), of.EntryEIP()}
			c.add(e)
		}
	case clr.KindExceptionFilterStart:
		return func(ev *codec.Event) {
			e := c.entry(ev, clr.KindExceptionFilterStart)
			c.text = wire.AppendUTF16(c.text[:0], clr.ExceptionCatchStart(ev).MethodName())
			e.outermost = isOutermost(c.text)
			c.add(e)
		}
	case clr.KindExceptionFilterStop, clr.KindExceptionThrownStop:
		return func(ev *codec.Event) { c.add(c.entry(ev, kind)) }
	}
	return nil
}

// thrown handles ExceptionThrown.
func (c *condenser) thrown(ev *codec.Event) {
	f := readThrown(ev)
	t := throw{ticks: ev.Timestamp, typ: c.texts.Add(f.typ), message: c.messages.Add(shortMessage(f.message)), inner: f.inner, nested: f.nested, again: f.again, short: f.short}
	if !t.short && !t.again {
		t.stack, t.activity = c.trace.Stack(ev), ev.Activity()
	}
	e := c.entry(ev, clr.KindExceptionThrown)
	e.text = uint32(len(c.throws))
	c.throws = append(c.throws, t)
	c.add(e)
}

// entry returns the entry of an event.
func (c *condenser) entry(ev *codec.Event, kind clr.Kind) entry {
	return entry{process: c.trace.Process(ev), thread: c.trace.Thread(ev), event: kind}
}

// add adds an entry.
func (c *condenser) add(e entry) {
	c.log.Entry(len(c.entries))
	c.entries = append(c.entries, e)
}

// Lost implements analysis.Condenser: each event has an entry.
func (c *condenser) Lost(analysis.Thread) {}

// End implements analysis.Condenser.
func (c *condenser) End() {}

// Accepts implements analysis.Condensing.
func (p *Part) Accepts(analysis.Condenser) bool { return true }

// Apply implements analysis.Condensing.
func (p *Part) Apply(of analysis.Condenser, at int, stacks []analysis.StackID) {
	c := of.(*condenser)
	e := &c.entries[at]
	one := p.process(e.process)
	if c.of != one {
		c.of = one
		c.texts.forget()
		c.messages.forget()
	}
	switch e.event {
	case clr.KindExceptionThrown:
		c.throw(one, e.thread, &c.throws[e.text], stacks)
	case clr.KindExceptionCatchStart:
		one.catch(e.thread, func() int32 { return c.texts.id(e.text, one.texts.add) }, e.handler)
	case clr.KindExceptionFilterStart:
		if top := one.startFilter(e.thread); top != nil && e.outermost {
			top.outermost = true
		}
	case clr.KindExceptionFilterStop:
		one.stopFilter(e.thread)
	case clr.KindExceptionThrownStop:
		one.handled(e.thread)
	}
}

// throw makes a process throw an exception.
func (c *condenser) throw(one *process, thread analysis.Thread, t *throw, stacks []analysis.StackID) {
	g := group{typ: c.texts.id(t.typ, one.texts.add), pattern: c.messages.id(t.message, one.texts.addMessage), inner: t.inner}
	switch {
	case t.short:
		return
	case t.again:
		one.throwAgain(thread)
		return
	}
	g.stack = stacks[t.stack]
	one.throw(thread, exception{group: g, ticks: t.ticks}, t.nested, t.activity)
}
