package threads

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/recent"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// condenser condenses the samples of threads, the waits of the pool's threads for work and the ends
// of waits for tasks: only the last ones before another event that needs to know what the thread
// does have an effect. The begins of waits for tasks that do not block their thread have none.
type condenser struct {
	trace   *analysis.Trace
	log     *analysis.Log
	round   int // of the chunk
	threads recent.Threads[pending]
	begun   []*pending // of the threads with events in the chunk
	entries []entry
	stacks  recent.Stacks // of the entries
}

// pending has the events of a thread since its last entry, as far as they have an effect: the last
// sample before the thread has waited for work and that it has, and the same after it.
type pending struct {
	thread  analysis.Thread
	round   int // of the chunk
	samples [2]sample
	idle    [2]bool
	ended   bool // the last entry is taskEnded, and nothing came after it
}

// sample is a sample of a thread.
type sample struct {
	is    bool
	ticks uint64
	stack []uint64
}

// set makes it another sample.
func (s *sample) set(ev *codec.Event) {
	s.is, s.ticks, s.stack = true, ev.Timestamp, append(s.stack[:0], ev.Stack()...)
}

// entry is what is left of the events of a thread.
type entry struct {
	thread analysis.Thread
	is     entryKind
	ticks  uint64       // of a sample
	stack  recent.Stack // likewise
}

// entryKind is the kind of an entry.
type entryKind uint8

const (
	sampled   entryKind = iota
	idle                // it waits for work
	taskEnded           // it does not wait for a task any more
)

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser { return &condenser{} }

// Begin implements analysis.Condenser.
func (c *condenser) Begin(t *analysis.Trace, log *analysis.Log) {
	c.trace, c.log = t, log
	c.begun, c.entries = c.begun[:0], c.entries[:0]
	c.stacks.Reset()
	c.round++
	c.threads.Trim()
}

// Handler implements analysis.Condenser.
func (c *condenser) Handler(m *codec.Metadata) analysis.Handler {
	kind := clr.KindOf(m)
	switch kind {
	case clr.KindThreadSample:
		return c.sample
	case clr.KindThreadPoolWorkerThreadWait:
		return c.idle
	case clr.KindTaskWaitEnd:
		return c.taskEnd
	case clr.KindTaskWaitBegin:
		return func(ev *codec.Event) {
			if _, blocks := model.BlockingTask(ev); blocks {
				c.pass(ev)
			}
		}
	case clr.KindThreadPoolWorkerThreadAdjustment: // the part looks at all threads
		return func(ev *codec.Event) {
			c.End()
			c.log.Event(ev)
		}
	}
	if routes[kind] == nil {
		return nil
	}
	return c.pass
}

// pass passes on an event of a thread.
func (c *condenser) pass(ev *codec.Event) {
	c.flush(c.of(ev))
	c.log.Event(ev)
}

// taskEnd handles the end of a wait for a task.
func (c *condenser) taskEnd(ev *codec.Event) {
	p := c.of(ev)
	if p.ended {
		return
	}
	c.flush(p)
	c.add(entry{thread: p.thread, is: taskEnded})
	p.ended = true
}

// of returns what is pending of the thread of an event.
func (c *condenser) of(ev *codec.Event) *pending {
	thread := c.trace.Thread(ev)
	p := c.threads.Get(thread)
	if p.round != c.round {
		p.clear()
		p.thread, p.round = thread, c.round
		c.begun = append(c.begun, p)
	}
	return p
}

// clear makes nothing pending.
func (p *pending) clear() {
	p.samples[0].is, p.samples[1].is, p.idle, p.ended = false, false, [2]bool{}, false
}

func (c *condenser) sample(ev *codec.Event) {
	p := c.of(ev)
	p.ended = false
	if !p.idle[0] {
		p.samples[0].set(ev)
		return
	}
	p.samples[1].set(ev)
	p.idle[1] = false
}

func (c *condenser) idle(ev *codec.Event) {
	p := c.of(ev)
	p.idle, p.ended = [2]bool{true, p.samples[1].is}, false
}

// flush makes entries of what is pending of a thread.
func (c *condenser) flush(p *pending) {
	for i := range p.samples {
		if s := &p.samples[i]; s.is {
			c.add(entry{thread: p.thread, ticks: s.ticks, stack: c.stacks.Add(s.stack)})
		}
		if p.idle[i] {
			c.add(entry{thread: p.thread, is: idle})
		}
	}
	p.clear()
}

func (c *condenser) add(e entry) {
	c.log.Entry(len(c.entries))
	c.entries = append(c.entries, e)
}

// Lost implements analysis.Condenser.
func (c *condenser) Lost(thread analysis.Thread) {
	if p := c.threads.Get(thread); p.round == c.round {
		c.flush(p)
	}
}

// End implements analysis.Condenser.
func (c *condenser) End() {
	for _, p := range c.begun {
		c.flush(p)
	}
}

// Accepts implements analysis.Condensing: the limit of threads is not reached.
func (p *Part) Accepts(of analysis.Condenser) bool {
	begun := len(of.(*condenser).begun)
	for one := range p.processes.All() {
		if len(one.threads)+begun > maxThreads {
			return false
		}
	}
	return begun <= maxThreads
}

// Apply implements analysis.Condensing.
func (p *Part) Apply(of analysis.Condenser, at int, _ []analysis.StackID) {
	c := of.(*condenser)
	e := &c.entries[at]
	one := p.process(e.thread.Process)
	switch e.is {
	case sampled:
		one.sampled(e.thread.ID, e.ticks, c.stacks.Get(e.stack))
	case idle:
		one.idle(e.thread.ID)
	case taskEnded:
		one.end(e.thread.ID, taskWait)
	}
}
