package requests

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/recent"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// condenser leaves out the exceptions of a chunk without an activity. It makes an entry of each other
// exception.
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
	typ      uint32 // number of its text
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
	activity := ev.Activity()
	if activity == (wire.GUID{}) {
		return
	}
	c.log.Entry(len(c.throws))
	c.throws = append(c.throws, throw{c.trace.Process(ev), c.trace.Thread(ev), ev.Timestamp, activity, c.types.Add(shortText(clr.ExceptionThrown(ev).Type()))})
}

// Lost implements analysis.Condenser: no exception depends on another event.
func (c *condenser) Lost(analysis.Thread) {}

// End implements analysis.Condenser.
func (c *condenser) End() {}

// Accepts implements analysis.Condensing.
func (p *Part) Accepts(analysis.Condenser) bool { return true }

// Apply implements analysis.Condensing.
func (p *Part) Apply(of analysis.Condenser, at int, _ []analysis.StackID) {
	c := of.(*condenser)
	e := &c.throws[at]
	one := p.process(e.process)
	if r := one.of(e.activity); r != nil {
		r.thrown(e.thread, one.trace.Nanos(e.ticks), string(wire.AppendUTF16(nil, []byte(c.types.Get(e.typ)))))
	}
}
