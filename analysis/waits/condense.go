package waits

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
)

// condenser condenses the samples of a chunk: a sample has no effect if those of its thread
// before and after it have other stacks.
type condenser struct {
	trace     *analysis.Trace
	log       *analysis.Log
	round     int
	threads   map[analysis.Thread]*recent
	begun     int // threads whose run before the chunk, or before a loss, may go on
	entries   []entry
	addresses []uint64 // of the entries' stacks
}

// recent is the last run of a thread in the chunk.
type recent struct {
	run
	round int  // of the chunk that has it
	first bool // it may continue a run before the chunk
	told  bool // there is an entry for its begin
	again int  // the entry for its other samples, if it has several
}

// entry is a sample, or the second one of a run and those after it.
type entry struct {
	thread   analysis.Thread
	ticks    uint64 // of the first one of them
	last     uint64 // of the last one
	samples  int64
	from, to int  // its stack in addresses
	begins   bool // it does not continue the run before
}

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser {
	return &condenser{threads: map[analysis.Thread]*recent{}}
}

// Begin implements analysis.Condenser.
func (c *condenser) Begin(t *analysis.Trace, log *analysis.Log) {
	c.trace, c.log, c.begun = t, log, 0
	c.entries, c.addresses = c.entries[:0], c.addresses[:0]
	if c.round++; len(c.threads) > maxRuns {
		clear(c.threads)
	}
}

// Handler implements analysis.Condenser.
func (c *condenser) Handler(m *codec.Metadata) analysis.Handler {
	if m.Provider == samplerProvider && m.EventID == 0 {
		return c.sample
	}
	return nil
}

// sample handles a sample of a thread.
func (c *condenser) sample(ev *codec.Event) {
	thread, stack := c.trace.Thread(ev), blockedStack(ev, c.trace)
	r := c.threads[thread]
	if r == nil {
		r = &recent{}
		c.threads[thread] = r
	}
	first := r.round != c.round
	if !first && r.goesOn(c.trace, ev.Timestamp, stack) {
		c.continues(thread, r, ev.Timestamp)
		return
	}
	ends := !first && (r.first || r.samples > 1) // the run before may have a length
	*r = recent{run: run{addresses: append(r.addresses[:0], stack...), begin: ev.Timestamp, last: ev.Timestamp, samples: 1}, round: c.round, first: first}
	if first {
		c.begun++
	}
	if first || ends {
		c.tell(thread, r)
	}
}

// tell adds an entry for the begin of a run.
func (c *condenser) tell(thread analysis.Thread, r *recent) {
	r.told = true
	c.add(entry{thread: thread, ticks: r.begin, last: r.begin, samples: 1, begins: !r.first}, r.addresses)
}

// continues adds a sample to a run.
func (c *condenser) continues(thread analysis.Thread, r *recent, ticks uint64) {
	r.samples++
	r.last = ticks
	if r.samples > 2 {
		again := &c.entries[r.again]
		again.last = ticks
		again.samples++
		return
	}
	if !r.told {
		c.tell(thread, r)
	}
	r.again = len(c.entries)
	c.add(entry{thread: thread, ticks: ticks, last: ticks, samples: 1}, r.addresses)
}

// add adds an entry with a stack.
func (c *condenser) add(e entry, stack []uint64) {
	e.from = len(c.addresses)
	c.addresses = append(c.addresses, stack...)
	e.to = len(c.addresses)
	c.log.Entry(len(c.entries))
	c.entries = append(c.entries, e)
}

// Lost implements analysis.Condenser: what follows may not continue the run.
func (c *condenser) Lost(thread analysis.Thread) {
	r := c.threads[thread]
	if r == nil || r.round != c.round {
		return
	}
	if !r.told {
		c.tell(thread, r)
	}
	r.round = 0
}

// End implements analysis.Condenser.
func (c *condenser) End() {
	for thread := range c.threads {
		c.Lost(thread)
	}
}

// Accepts implements analysis.Condensing: a sample of the chunk does not make endRuns end the runs
// of all threads.
func (p *Part) Accepts(of analysis.Condenser) bool {
	begun := of.(*condenser).begun
	for one := range p.processes.All() {
		if len(one.runs)+begun > maxRuns {
			return false
		}
	}
	return begun <= maxRuns
}

// Apply implements analysis.Condensing.
func (p *Part) Apply(of analysis.Condenser, at int) {
	c := of.(*condenser)
	e := &c.entries[at]
	one := p.process(e.thread.Process)
	one.sampled(e.thread, e.ticks, c.addresses[e.from:e.to], e.begins)
	if e.samples > 1 {
		r := one.runs[e.thread]
		r.samples, r.last = r.samples+e.samples-1, e.last
	}
}
