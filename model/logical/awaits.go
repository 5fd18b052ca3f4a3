package logical

import "slices"

// Await is the time in which a method waits for a task, by the events of the task library: from
// TaskWaitBegin to TaskWaitEnd, or from AwaitTaskContinuationScheduled to
// TaskWaitContinuationStarted for Task.Yield.
type Await struct {
	Task       uint32 // of the method that waits
	Awaited    uint32 // what it waits for; 0 for Task.Yield
	Begin, End uint64 // ticks
	Thread     uint64 // the operating system's id of the thread that resumes it
	Stack      uint32 // what Begin got
}

// Awaits pairs the events of one process, which come in order of time. A method that waits for the
// chain of another one has an Await of its own. The zero value is empty.
type Awaits struct {
	Limit     int   // max number of Awaits; 0 is none
	LeftOut   int64 // because of it
	Ambiguous int64 // that ended, but which of several for one task it was is not known

	list    []Await
	open    map[uint32][]Await  // by Awaited
	yields  map[uint32]Await    // by Task
	blocked map[uint64][]uint32 // by thread: the tasks for which it waits
	ended   map[uint64]Await    // by thread: the end of one of several for a task, until the thread says which
}

// Begin adds TaskWaitBegin of an await: a method waits for a task.
func (a *Awaits) Begin(task, awaited uint32, ticks uint64, stack uint32) {
	if a.open == nil {
		a.open = map[uint32][]Await{}
	}
	a.open[awaited] = append(a.open[awaited], Await{Task: task, Awaited: awaited, Begin: ticks, Stack: stack})
}

// Block adds TaskWaitBegin of a thread that blocks until the task is completed: that is no Await,
// and its end must not be taken for one.
func (a *Awaits) Block(thread uint64, awaited uint32) {
	if a.blocked == nil {
		a.blocked = map[uint64][]uint32{}
	}
	a.blocked[thread] = append(a.blocked[thread], awaited)
}

// End adds TaskWaitEnd.
func (a *Awaits) End(thread uint64, awaited uint32, ticks uint64) {
	a.unknown(thread)
	if n := len(a.blocked[thread]); n > 0 && a.blocked[thread][n-1] == awaited {
		a.blocked[thread] = a.blocked[thread][:n-1]
		return
	}
	end := Await{Awaited: awaited, End: ticks, Thread: thread}
	switch list := a.open[awaited]; len(list) {
	case 0:
	case 1:
		a.finish(list[0], end)
		delete(a.open, awaited)
	default:
		if a.ended == nil {
			a.ended = map[uint64]Await{}
		}
		a.ended[thread] = end
	}
}

// Run adds TraceSynchronousWorkBegin of a task's code: the thread runs it. After TaskWaitEnd it
// tells which of several methods that waited for one task goes on.
func (a *Awaits) Run(thread uint64, task uint32) {
	end, ok := a.ended[thread]
	if !ok {
		return
	}
	list := a.open[end.Awaited]
	i := slices.IndexFunc(list, func(w Await) bool { return w.Task == task })
	if i < 0 {
		a.unknown(thread)
		return
	}
	delete(a.ended, thread)
	a.finish(list[i], end)
	a.open[end.Awaited] = slices.Delete(list, i, i+1)
}

// unknown ends the last end of a thread of which it is not known whose it is.
func (a *Awaits) unknown(thread uint64) {
	if end, ok := a.ended[thread]; ok {
		delete(a.ended, thread)
		a.Ambiguous += int64(len(a.open[end.Awaited]))
		delete(a.open, end.Awaited)
	}
}

// Yield adds AwaitTaskContinuationScheduled: a method gives up its thread.
func (a *Awaits) Yield(task uint32, ticks uint64, stack uint32) {
	if a.yields == nil {
		a.yields = map[uint32]Await{}
	}
	a.yields[task] = Await{Task: task, Begin: ticks, Stack: stack}
}

// Continue adds TaskWaitContinuationStarted.
func (a *Awaits) Continue(thread uint64, task uint32, ticks uint64) {
	if w, ok := a.yields[task]; ok {
		delete(a.yields, task)
		a.finish(w, Await{End: ticks, Thread: thread})
	}
}

// Lost forgets what is open: events of any thread may have ended it.
func (a *Awaits) Lost() {
	clear(a.open)
	clear(a.yields)
	clear(a.blocked)
	clear(a.ended)
}

// finish adds an Await.
func (a *Awaits) finish(w, end Await) {
	w.End, w.Thread = end.End, end.Thread
	if len(a.list) >= a.Limit {
		a.LeftOut++
		return
	}
	a.list = append(a.list, w)
}

// All returns the Awaits in the order of their ends.
func (a *Awaits) All() []Await { return a.list }

// Open returns how many methods still waited at the end.
func (a *Awaits) Open() (n int64) {
	for _, list := range a.open {
		n += int64(len(list))
	}
	return n + int64(len(a.yields))
}

// Callers finds the methods that wait for the method of an Await.
type Callers struct{ by map[uint32][]int }

// Callers returns what finds the callers of All.
func (a *Awaits) Callers() Callers {
	c := Callers{map[uint32][]int{}}
	for i := range a.list {
		if w := &a.list[i]; w.Awaited != 0 {
			c.by[w.Awaited] = append(c.by[w.Awaited], i)
		}
	}
	return c
}

// Of returns the index in All of the Await of the only method that waits for a task at a time, -1 if
// there is none or several do.
func (c Callers) Of(list []Await, task uint32, ticks uint64) int {
	found := -1
	for _, i := range c.by[task] {
		if w := &list[i]; task != 0 && w.Begin <= ticks && ticks <= w.End {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}
