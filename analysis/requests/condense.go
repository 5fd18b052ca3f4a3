package requests

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/recent"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model"
)

// condenser makes an entry of each exception.
type condenser struct {
	trace  *analysis.Trace
	log    *analysis.Log
	throws []throw
	types  recent.Texts
}

// throw is an exception. It is an entry.
type throw struct {
	process  uint64
	thread   analysis.Thread
	ticks    uint64
	activity wire.GUID
	stack    analysis.StackID // of the chunk
	typ      uint32           // number of its text
}

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser {
	return &condenser{}
}

// Begin implements analysis.Condenser.
func (c *condenser) Begin(t *analysis.Trace, log *analysis.Log) {
	c.trace, c.log, c.throws = t, log, c.throws[:0]
	c.types.Reset()
}

// Handler implements analysis.Condenser.
func (c *condenser) Handler(m *codec.Metadata) analysis.Handler {
	if clr.KindOf(m) == clr.KindExceptionThrown {
		return c.thrown
	}
	return nil
}

// thrown handles ExceptionThrown.
func (c *condenser) thrown(ev *codec.Event) {
	t := throw{c.trace.Process(ev), c.trace.Thread(ev), ev.Timestamp, ev.Activity(), c.trace.Stack(ev), c.types.Add(shortText(clr.ExceptionThrown(ev).Type()))} // its stack counts before the entry
	c.log.Entry(len(c.throws))
	c.throws = append(c.throws, t)
}

// Lost implements analysis.Condenser: no exception depends on another event.
func (c *condenser) Lost(analysis.Thread) {}

// End implements analysis.Condenser.
func (c *condenser) End() {}

// Accepts implements analysis.Condensing.
func (p *Part) Accepts(analysis.Condenser) bool { return true }

// Apply implements analysis.Condensing.
func (p *Part) Apply(of analysis.Condenser, at int, stacks []analysis.StackID) {
	c := of.(*condenser)
	e := &c.throws[at]
	p.process(e.process).happen(happening{
		of:   model.Owned{Thread: e.thread, Ticks: e.ticks, Activity: e.activity, Stack: stacks[e.stack]},
		kind: exception, text: string(wire.AppendUTF16(nil, []byte(c.types.Get(e.typ)))),
	})
}
