package alloc

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/recent"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model"
)

// condenser makes an entry of each allocation of a chunk. The Part adds them in file order, because
// sums of floating-point numbers depend on it.
type condenser struct {
	trace   *analysis.Trace
	log     *analysis.Log
	entries []entry
	numbers map[key]uint32
	targets []target // by number
	types   recent.Texts
	text    []byte // of the type of the current event
}

// entry is an allocation.
type entry struct {
	sum      sum
	thread   uint64 // id of the operating system
	activity wire.GUID
	target   uint32 // its number
}

// key identifies what an allocation is added to.
type key struct {
	process uint64
	source  Source
	heap    Heap
	typ     uint32 // number of its name
	stack   analysis.StackID
}

// target has the sums that the Part adds the allocations of a key to. They are nil before the first
// one.
type target struct {
	key
	process *process
	sums    sums
	source  *source
	group   group // if it has a sum
}

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser { return &condenser{numbers: map[key]uint32{}} }

// Begin implements analysis.Condenser.
func (c *condenser) Begin(t *analysis.Trace, log *analysis.Log) {
	c.trace, c.log = t, log
	clear(c.numbers)
	clear(c.targets)
	c.entries, c.targets = c.entries[:0], c.targets[:0]
	c.types.Reset()
}

// Handler implements analysis.Condenser.
func (c *condenser) Handler(m *codec.Metadata) analysis.Handler {
	route, ok := routes[clr.KindOf(m)]
	if !ok {
		return nil
	}
	return func(ev *codec.Event) {
		a := route.read(ev)
		if a.bytes == 0 {
			return
		}
		k := key{c.trace.Process(ev), route.source, a.heap, c.types.Add(a.typ), c.trace.Stack(ev)}
		c.log.Entry(len(c.entries))
		c.entries = append(c.entries, entry{a.sum(ev.Timestamp), c.trace.Thread(ev).ID, ev.Activity(), c.number(k)})
	}
}

// number returns the number of the target of a key.
func (c *condenser) number(k key) uint32 {
	n, ok := c.numbers[k]
	if !ok {
		n = uint32(len(c.targets))
		c.numbers[k] = n
		c.targets = append(c.targets, target{key: k})
	}
	return n
}

// Lost implements analysis.Condenser: no event depends on another one.
func (c *condenser) Lost(analysis.Thread) {}

// End implements analysis.Condenser.
func (c *condenser) End() {}

// Accepts implements analysis.Condensing: the limit of the names of types is not reached. Above it
// the Part does not ask for the stacks.
func (p *Part) Accepts(of analysis.Condenser) bool {
	const perUnit = 3 // bytes of UTF-8 at most, for 2 of UTF-16
	added, limit := of.(*condenser).types.Bytes()/2*perUnit, p.trace.Limits().Symbols
	for one := range p.processes.All() {
		for _, s := range one.sources {
			if s.bytes+added > limit {
				return false
			}
		}
	}
	return added <= limit
}

// Apply implements analysis.Condensing.
func (p *Part) Apply(of analysis.Condenser, at int, stacks []analysis.StackID) {
	c := of.(*condenser)
	e := &c.entries[at]
	to := &c.targets[e.target]
	if to.process == nil {
		p.find(c, to, e.sum.ticks, stacks[to.stack])
	}
	to.sums.add(p.trace.Nanos(e.sum.ticks), &e.sum)
	if to.sums.group != &to.source.leftOut {
		of := model.Owned{Thread: analysis.Thread{Process: to.key.process, ID: e.thread}, Ticks: e.sum.ticks, Activity: e.activity, Stack: to.group.stack}
		to.source.sole.Add(p.served, to.group, of, whole(e.sum.bytes))
	}
}

// find finds the sums of a target, whose first allocation in the chunk has a time in ticks.
func (p *Part) find(c *condenser, to *target, ticks uint64, stack analysis.StackID) {
	to.process = p.process(to.key.process)
	s := to.process.source(to.key.source)
	to.source = s
	to.sums = sums{s.heap(to.heap), &s.leftOut, &s.rate}
	c.text = wire.AppendUTF16(c.text[:0], []byte(c.types.Get(to.typ)))
	limits := p.trace.Limits()
	if typ, ok := s.typeOf(c.text, limits.Symbols); ok {
		to.group = group{typ, to.heap, stack}
		to.sums.group = s.group(to.group, ticks, limits.Rows)
	}
}
