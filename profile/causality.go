package profile

import (
	"cmp"
	"slices"
	"sort"
)

// cause is the event about a task that scheduled or awaited what a thread runs:
// its position in causality.events, or one of the following.
type cause int32

const (
	noCause        cause = -1 - iota // the thread runs no code of a task, as far as is known
	ambiguousCause                   // one of several methods that await one task
	unknownCause                     // the trace does not have the event
)

// causality finds what scheduled or awaited the code that a thread runs, from
// the events about tasks of all processes.
type causality struct {
	events  []taskEvent // by time
	parents []cause     // by position in events: of the code that scheduled or awaited
	spans   [][]span    // by thread: its causes, by time
	threads []Thread

	open     map[taskKey]*openTask
	running  map[uint32][]runningTask
	blocked  map[threadTask]int // waits of threads that are blocked
	losses   map[uint64]uint32  // by process
	ofThread map[uint32]uint32  // losses by thread
	seen     [taskEventKinds]bool
}

// span begins when the cause of a thread's code changes.
type span struct {
	ticks uint64
	cause cause
}

// taskKey identifies a task that will start, or that is awaited.
type taskKey struct {
	process uint64
	task    uint32
	kind    taskEventKind // taskScheduled, taskAwaited or posted
	losses  uint32        // of the process before it: what began before a loss is not known after it
}

// openTask has the events that wait for a task.
type openTask struct {
	waiters []cause
	shared  int // ends of waits since there were several waiters
}

// runningTask is code that a thread runs. Code that it starts within it is
// nested.
type runningTask struct {
	task  uint32
	ended taskEventKind // kind of the event that ends it
	cause cause
}

// threadTask is a thread and a task that it waits for.
type threadTask struct {
	thread, task uint32
	losses       uint32 // of the thread before it
}

// newCausality pairs the events of a log.
func newCausality(events []taskEvent, threads []Thread) *causality {
	slices.SortStableFunc(events, func(a, b taskEvent) int { return cmp.Compare(a.row.ticks, b.row.ticks) })
	c := &causality{
		events: events, parents: make([]cause, len(events)), spans: make([][]span, len(threads)), threads: threads,
		open: map[taskKey]*openTask{}, running: map[uint32][]runningTask{}, blocked: map[threadTask]int{}, losses: map[uint64]uint32{}, ofThread: map[uint32]uint32{},
	}
	for i := range events {
		c.seen[events[i].kind] = true
		c.event(cause(i), &events[i])
	}
	c.open, c.running, c.blocked, c.losses, c.ofThread = nil, nil, nil, nil, nil
	return c
}

// event handles one event.
func (c *causality) event(at cause, e *taskEvent) {
	process := c.threads[e.thread].ProcessID
	key := taskKey{process, e.task, e.kind, c.losses[process]}
	waits := threadTask{e.thread, e.task, c.ofThread[e.thread]}
	switch e.kind {
	case taskScheduled, taskAwaited, posted:
		c.parents[at] = c.at(int(e.thread), e.row.ticks)
		if c.open[key] == nil {
			c.open[key] = &openTask{}
		}
		c.open[key].waiters = append(c.open[key].waiters, at)
	case taskBlocked:
		c.blocked[waits]++
	case taskStarted:
		c.start(e, taskCompleted, c.take(key, taskScheduled))
	case resumed:
		c.start(e, continued, c.take(key, posted))
	case taskWaitEnded:
		if c.blocked[waits] == 0 {
			c.start(e, continued, c.take(key, taskAwaited))
			return
		}
		if c.blocked[waits]--; c.blocked[waits] == 0 {
			delete(c.blocked, waits)
		}
		if key.kind = taskAwaited; c.open[key] != nil { // the end of either wait
			c.start(e, continued, ambiguousCause)
		}
	case taskCompleted, continued:
		c.end(e)
	case poolIdle:
		c.set(e, nil)
	case eventsLost:
		c.set(e, nil)
		c.losses[process]++
		c.ofThread[e.thread]++
	}
}

// take returns the only event that waits for a task. If several wait for it, no
// end of a wait shows whose it is.
func (c *causality) take(key taskKey, kind taskEventKind) cause {
	key.kind = kind
	of := c.open[key]
	switch {
	case of == nil:
		return unknownCause
	case len(of.waiters) == 1:
		delete(c.open, key)
		return of.waiters[0]
	}
	if of.shared++; of.shared == len(of.waiters) {
		delete(c.open, key)
	}
	return ambiguousCause
}

// start notes that a thread starts code.
func (c *causality) start(e *taskEvent, ended taskEventKind, of cause) {
	c.set(e, append(c.running[e.thread], runningTask{e.task, ended, of}))
}

// end notes that code ends, and with it what is nested in it. If it started
// before the trace, everything that runs is nested in it.
func (c *causality) end(e *taskEvent) {
	running := c.running[e.thread]
	at := len(running) - 1
	for at >= 0 && (running[at].task != e.task || running[at].ended != e.kind) {
		at--
	}
	c.set(e, running[:max(at, 0)])
}

// set sets the code that a thread runs.
func (c *causality) set(e *taskEvent, running []runningTask) {
	c.running[e.thread] = running
	now := noCause
	if n := len(running); n > 0 {
		now = running[n-1].cause
	}
	c.spans[e.thread] = append(c.spans[e.thread], span{e.row.ticks, now})
}

// at returns the cause of what a thread runs at a time.
func (c *causality) at(thread int, ticks uint64) cause {
	if thread >= len(c.spans) {
		return noCause
	}
	spans := c.spans[thread]
	n := sort.Search(len(spans), func(i int) bool { return spans[i].ticks > ticks })
	if n == 0 {
		return noCause
	}
	return spans[n-1].cause
}

// complete reports whether the trace has the events that stacks are joined by.
func (c *causality) complete() bool {
	s := &c.seen
	return (s[taskScheduled] || s[taskAwaited] || s[posted]) && (s[taskStarted] || s[taskWaitEnded] || s[resumed]) && (s[taskCompleted] || s[continued])
}
