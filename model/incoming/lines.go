package incoming

import (
	"sort"

	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/model/logical"
)

// What a thread works for, in place of the position of a request.
const (
	nobody  int32 = -1 - iota // no request
	unknown                   // the trace does not say it
)

// lines have by thread how a value changes with time.
type lines map[uint64][]change

// change is the value from a time on.
type change struct {
	ticks uint64
	value int32
	// synchronous: the request began here and the trace does not show when the thread leaves it.
	synchronous bool
	// resumed: only what a state machine does that the runtime resumed has the value. Other code that runs
	// meanwhile leaves no event: runtime-async methods.
	resumed bool
}

// set notes a value.
func (l lines) set(thread uint64, c change) {
	list := l[thread]
	if n := len(list); n > 0 && list[n-1].value == c.value && list[n-1].synchronous == c.synchronous && list[n-1].resumed == c.resumed {
		return
	}
	l[thread] = append(list, c)
}

// at returns the value at a time.
func (l lines) at(thread, ticks uint64) change {
	list := l[thread]
	n := sort.Search(len(list), func(i int) bool { return list[i].ticks > ticks })
	if n == 0 {
		return change{value: unknown}
	}
	return list[n-1]
}

// follow finds what each thread works for.
func (p *pairing) follow(entries []entry, f *Facts) {
	byID := map[string]int32{}
	for i, r := range p.List {
		byID[r.ID] = int32(i)
	}
	tasks := newTaskWork(p.tasks)
	if f.Version >= runtimeAsync {
		tasks.stacks = f.Stacks
	}
	chains := newChainWork(p.chains)
	useTasks := f.Version > 0 && (f.Version < runtimeAsync || f.Stacks != nil)
	losses := map[uint64]int32{}
	changes := f.Changes
	for i := range entries {
		e := &entries[i]
		for len(changes) > 0 && changes[0].Ticks < e.ticks {
			chains.change(&changes[0])
			changes = changes[1:]
		}
		if last, ok := losses[e.thread]; ok && last != e.losses {
			p.activity.set(e.thread, change{ticks: e.ticks, value: unknown})
			tasks.lose(e)
		}
		losses[e.thread] = e.losses
		switch {
		case e.kind == starts+kind(Kestrel):
			of := byID[p.log.details[e.detail].id]
			tasks.begin(e, of)
			chains.begin(e, of)
		case e.kind == stops+kind(Kestrel):
			of := byID[p.log.details[e.detail].id]
			tasks.end(e, of)
			chains.end(e, of)
		case e.kind == switched:
			p.activity.set(e.thread, change{ticks: e.ticks, value: e.activity})
		case e.kind >= taskScheduled && useTasks:
			tasks.entry(e)
		}
	}
	for i := range changes {
		chains.change(&changes[i])
	}
	if !tasks.complete() {
		clear(p.tasks)
	}
	if len(f.Changes) == 0 {
		clear(p.chains)
	}
}

// chainWork follows requests by the records of the async profiler.
type chainWork struct {
	lines
	threads map[uint64]*chainThread
	owners  map[uint64]int32 // by dispatcher
}

// chainThread is what a thread runs.
type chainThread struct {
	now   int32
	stack []dispatched
}

// dispatched is a dispatcher that runs, and what the thread worked for before.
type dispatched struct {
	dispatcher uint64
	before     int32
}

func newChainWork(l lines) *chainWork {
	return &chainWork{lines: l, threads: map[uint64]*chainThread{}, owners: map[uint64]int32{}}
}

func (c *chainWork) of(thread uint64) *chainThread {
	t := c.threads[thread]
	if t == nil {
		t = &chainThread{now: unknown}
		c.threads[thread] = t
	}
	return t
}

// note notes what a thread works for. Outside of dispatchers no record shows when the work ends.
func (c *chainWork) note(thread, ticks uint64, t *chainThread) {
	c.set(thread, change{ticks: ticks, value: t.now, synchronous: len(t.stack) == 0})
}

func (c *chainWork) begin(e *entry, request int32) {
	t := c.of(e.thread)
	t.now = request
	c.note(e.thread, e.ticks, t)
}

func (c *chainWork) end(e *entry, request int32) {
	t := c.of(e.thread)
	if t.now == request {
		t.now = nobody
		if len(t.stack) == 0 {
			t.now = unknown
		}
		c.note(e.thread, e.ticks, t)
	}
}

func (c *chainWork) change(of *logical.Change) {
	t := c.of(of.Thread)
	switch of.Kind {
	case logical.Created:
		c.owners[of.Dispatcher] = t.now
		return
	case logical.Resumed:
		t.stack = append(t.stack, dispatched{of.Dispatcher, t.now})
		owner, ok := c.owners[of.Dispatcher]
		if !ok {
			owner = unknown
		}
		t.now = owner
	case logical.Left:
		n := len(t.stack) - 1
		if n < 0 {
			t.now = unknown
			break
		}
		c.owners[t.stack[n].dispatcher] = t.now
		t.now = t.stack[n].before
		t.stack = t.stack[:n]
		if n == 0 {
			t.now = unknown
		}
	case logical.Unknown:
		for _, d := range t.stack { // their work is not known any more
			c.owners[d.dispatcher] = unknown
		}
		t.stack, t.now = t.stack[:0], unknown
	case logical.Idle:
		t.stack, t.now = t.stack[:0], unknown
	}
	c.note(of.Thread, of.Ticks, t)
}

// taskWork follows requests by the events about tasks. On .NET 11 they are only those of state machines, and the
// class library has none: what a thread works for at an event is known by its stack.
type taskWork struct {
	lines
	stacks   func(number int32) Stack // since .NET 11, nil before
	threads  map[uint64]*taskThread
	waiting  map[int32][]int32 // by task: what awaits it works for
	starting map[int32]int32   // by task
	posts    map[int32]int32   // by task
	blocked  map[[2]uint64]int
	seen     [continued + 1]bool
}

// taskThread is what a thread runs.
type taskThread struct {
	now   int32
	depth int   // code of tasks that runs
	begun int32 // the request that began last on the thread, since .NET 11
}

func newTaskWork(l lines) *taskWork {
	t := &taskWork{lines: l, threads: map[uint64]*taskThread{}}
	t.forget()
	return t
}

func (w *taskWork) forget() {
	w.waiting, w.starting, w.posts, w.blocked = map[int32][]int32{}, map[int32]int32{}, map[int32]int32{}, map[[2]uint64]int{}
}

func (w *taskWork) of(thread uint64) *taskThread {
	t := w.threads[thread]
	if t == nil {
		t = &taskThread{now: unknown, begun: unknown}
		w.threads[thread] = t
	}
	return t
}

func (w *taskWork) put(e *entry, t *taskThread, value int32) {
	t.now = value
	w.set(e.thread, change{ticks: e.ticks, value: value, synchronous: t.depth == 0, resumed: w.stacks != nil})
}

func (w *taskWork) begin(e *entry, request int32) {
	t := w.of(e.thread)
	if w.stacks != nil {
		t.begun = request
		return
	}
	w.put(e, t, request)
}

func (w *taskWork) end(e *entry, request int32) {
	t := w.of(e.thread)
	if t.begun == request {
		t.begun = unknown
	}
	if t.now == request {
		w.put(e, t, unknown)
	}
}

// current returns what a thread works for at an event.
func (w *taskWork) current(e *entry, t *taskThread) int32 {
	if w.stacks == nil {
		return t.now
	}
	if e.detail == 0 {
		return unknown
	}
	switch of := w.stacks(e.detail); {
	case of.Handles:
		return t.begun
	case of.Resumed == async.Machine && t.depth > 0:
		return t.now
	}
	return unknown
}

// lose forgets what began before a loss.
func (w *taskWork) lose(e *entry) {
	w.forget()
	t := w.of(e.thread)
	t.depth, t.begun = 0, unknown
	w.put(e, t, unknown)
}

// complete reports whether there are the events that work is followed by.
func (w *taskWork) complete() bool {
	s := &w.seen
	return (s[taskScheduled] || s[taskAwaited] || s[posted]) && (s[taskStarted] || s[taskWaitEnded] || s[resumed]) && (s[taskCompleted] || s[continued])
}

func (w *taskWork) entry(e *entry) {
	t, task := w.of(e.thread), e.activity
	w.seen[e.kind] = true
	key := [2]uint64{e.thread, uint64(uint32(task))}
	switch e.kind {
	case taskScheduled:
		w.starting[task] = w.current(e, t)
	case taskStarted:
		t.depth++
		w.put(e, t, take(w.starting, task))
	case taskAwaited:
		w.waiting[task] = append(w.waiting[task], w.current(e, t))
	case taskBlocked:
		w.blocked[key]++
	case taskWaitEnded:
		if w.blocked[key] > 0 {
			if w.blocked[key]--; w.blocked[key] == 0 {
				delete(w.blocked, key)
			}
			return
		}
		t.depth++
		w.put(e, t, w.wake(task))
	case posted:
		w.posts[task] = w.current(e, t)
	case resumed:
		t.depth++
		w.put(e, t, take(w.posts, task))
	case taskCompleted, continued:
		t.depth = max(0, t.depth-1)
		w.put(e, t, unknown)
	}
}

// take takes the value of a task.
func take(from map[int32]int32, task int32) int32 {
	value, ok := from[task]
	if !ok {
		return unknown
	}
	delete(from, task)
	return value
}

// wake takes one of those that await a task. If they work for several requests, it is unknown
// which one goes on.
func (w *taskWork) wake(task int32) int32 {
	list := w.waiting[task]
	if len(list) == 0 {
		return unknown
	}
	value := list[0]
	for _, other := range list[1:] {
		if other != value {
			value = unknown
		}
	}
	if value == unknown {
		list[len(list)-1] = unknown // nor is it for the others
	}
	if w.waiting[task] = list[1:]; len(list) == 1 {
		delete(w.waiting, task)
	}
	return value
}
