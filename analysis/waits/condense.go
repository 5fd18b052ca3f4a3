package waits

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/recent"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// condenser condenses the samples of a chunk: a sample has no effect if those of its thread
// before and after it have other stacks. Of the waits for tasks, the begins of those that do not
// block their thread have none.
type condenser struct {
	trace   *analysis.Trace
	log     *analysis.Log
	round   int
	threads recent.Threads[lastRun]
	met     []*lastRun // those that begin the chunk, or follow a possible loss
	entries []entry
	stacks  recent.Stacks // of the entries
}

// lastRun is the last run of a thread in the chunk.
type lastRun struct {
	run
	thread analysis.Thread
	round  int  // of the chunk that has it
	first  bool // it may continue a run before the chunk
	begun  bool // there is an entry for its begin
	again  int  // the entry for its other samples, if it has several
}

// entry is a sample, or the second one of a run and those after it, or the end of a wait for a
// task.
type entry struct {
	thread  analysis.Thread
	ends    bool   // it is the end of a wait for a task:
	task    int32  // its id
	ticks   uint64 // of the first one of them
	last    uint64 // of the last one
	samples int64
	stack   recent.Stack
	begins  bool // it does not continue the run before
}

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser { return &condenser{} }

// Begin implements analysis.Condenser.
func (c *condenser) Begin(t *analysis.Trace, log *analysis.Log) {
	c.trace, c.log = t, log
	c.met, c.entries = c.met[:0], c.entries[:0]
	c.stacks.Reset()
	c.round++
	c.threads.Trim()
}

// Handler implements analysis.Condenser.
func (c *condenser) Handler(m *codec.Metadata) analysis.Handler {
	switch clr.KindOf(m) {
	case clr.KindThreadSample:
		return c.sample
	case clr.KindTaskWaitBegin:
		return func(ev *codec.Event) {
			if _, ok := model.BlockingTask(ev); ok {
				c.log.Event(ev)
			}
		}
	case clr.KindTaskWaitEnd:
		return func(ev *codec.Event) {
			c.log.Entry(len(c.entries))
			c.entries = append(c.entries, entry{thread: c.trace.Thread(ev), ends: true, task: clr.TaskWaitEnd(ev).TaskID(), ticks: ev.Timestamp})
		}
	}
	return nil
}

// sample handles a sample of a thread.
func (c *condenser) sample(ev *codec.Event) {
	thread, stack := c.trace.Thread(ev), blockedStack(ev)
	r := c.threads.Get(thread)
	first := r.round != c.round
	if !first && r.goesOn(c.trace, ev.Timestamp, stack) {
		c.continues(r, ev.Timestamp)
		return
	}
	ends := !first && (r.first || r.samples > 1) // the run before may have a length
	*r = lastRun{run: run{addresses: append(r.addresses[:0], stack...), begin: ev.Timestamp, last: ev.Timestamp, samples: 1}, thread: thread, round: c.round, first: first}
	if first {
		c.met = append(c.met, r)
	}
	if first || ends {
		c.addBegin(r)
	}
}

// addBegin adds an entry for the begin of a run.
func (c *condenser) addBegin(r *lastRun) {
	r.begun = true
	c.add(entry{thread: r.thread, ticks: r.begin, last: r.begin, samples: 1, begins: !r.first}, r.addresses)
}

// continues adds a sample to a run.
func (c *condenser) continues(r *lastRun, ticks uint64) {
	r.samples++
	r.last = ticks
	if r.samples > 2 {
		again := &c.entries[r.again]
		again.last = ticks
		again.samples++
		return
	}
	if !r.begun {
		c.addBegin(r)
	}
	r.again = len(c.entries)
	c.add(entry{thread: r.thread, ticks: ticks, last: ticks, samples: 1}, r.addresses)
}

// add adds an entry with a stack.
func (c *condenser) add(e entry, stack []uint64) {
	e.stack = c.stacks.Add(stack)
	c.log.Entry(len(c.entries))
	c.entries = append(c.entries, e)
}

// Lost implements analysis.Condenser: what follows may not continue the run.
func (c *condenser) Lost(thread analysis.Thread) { c.leave(c.threads.Get(thread)) }

// End implements analysis.Condenser.
func (c *condenser) End() {
	for _, r := range c.met {
		c.leave(r)
	}
}

// leave adds an entry for the begin of a run after which it is not known what follows.
func (c *condenser) leave(r *lastRun) {
	if r.round != c.round {
		return
	}
	if !r.begun {
		c.addBegin(r)
	}
	r.round = 0
}

// Accepts implements analysis.Condensing: a sample of the chunk does not make endRuns end the runs
// of all threads.
func (p *Part) Accepts(of analysis.Condenser) bool {
	begun := len(of.(*condenser).met)
	for one := range p.processes.All() {
		if len(one.runs)+begun > maxRuns {
			return false
		}
	}
	return begun <= maxRuns
}

// Apply implements analysis.Condensing.
func (p *Part) Apply(of analysis.Condenser, at int, _ []analysis.StackID) {
	c := of.(*condenser)
	e := &c.entries[at]
	one := p.process(e.thread.Process)
	if e.ends {
		one.taskEnds(e.thread, e.task, e.ticks)
		return
	}
	one.sampled(e.thread, e.ticks, c.stacks.Get(e.stack), e.begins)
	if e.samples > 1 {
		r := one.runs[e.thread]
		r.samples, r.last = r.samples+e.samples-1, e.last
	}
}
