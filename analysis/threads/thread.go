package threads

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/model"
)

// maxThreads is the number of threads of which the waits are known.
const maxThreads = 4096

// The kinds of waits that have a begin and an end, the outer one first.
const (
	taskWait = iota
	handleWait
	waitKinds
)

// thread is what a thread does.
type thread struct {
	worker bool            // it is one of the pool
	waits  [waitKinds]bool // that have begun and not ended
	stack  []uint64        // of the outermost wait, or else of the last sample
	ticks  uint64          // of the stack
}

// waiting reports whether a wait has begun and not ended.
func (t *thread) waiting() bool { return t.waits != [waitKinds]bool{} }

// thread returns the thread of an event, nil if there are too many.
func (p *process) thread(ev *codec.Event) *thread { return p.threadOf(p.trace.Thread(ev).ID) }

// threadOf returns a thread by its id, nil if there are too many.
func (p *process) threadOf(id uint64) *thread {
	t := p.threads[id]
	if t == nil && len(p.threads) < maxThreads {
		t = &thread{}
		p.threads[id] = t
	}
	return t
}

// begin handles the begin of a wait.
func (p *process) begin(ev *codec.Event, kind int) {
	p.evidence = true
	t := p.thread(ev)
	if t == nil {
		return
	}
	if !t.waiting() {
		t.setStack(ev.Timestamp, ev.Stack())
	}
	t.waits[kind] = true
}

func (t *thread) setStack(ticks uint64, stack []uint64) {
	t.stack, t.ticks = append(t.stack[:0], stack...), ticks
}

// end handles the end of a wait.
func (p *process) end(id uint64, kind int) {
	if t := p.threadOf(id); t != nil {
		t.waits[kind] = false
		if !t.waiting() {
			t.stack = t.stack[:0]
		}
	}
}

func (p *process) waitStart(ev *codec.Event)   { p.begin(ev, handleWait) }
func (p *process) waitStop(ev *codec.Event)    { p.end(p.trace.Thread(ev).ID, handleWait) }
func (p *process) taskWaitEnd(ev *codec.Event) { p.end(p.trace.Thread(ev).ID, taskWait) }

// taskWaitBegin handles a wait for a task. Only one that blocks the thread ends on
// it.
func (p *process) taskWaitBegin(ev *codec.Event) {
	if _, blocks := model.BlockingTask(ev); blocks {
		p.begin(ev, taskWait)
	}
}

func (p *process) sample(ev *codec.Event) {
	p.sampled(p.trace.Thread(ev).ID, ev.Timestamp, ev.Stack())
}

// sampled handles a sample of a thread.
func (p *process) sampled(id, ticks uint64, stack []uint64) {
	p.evidence = true
	if t := p.threadOf(id); t != nil && !t.waiting() {
		t.setStack(ticks, stack)
	}
}
