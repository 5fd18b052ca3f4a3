package model

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/blocking"
)

// Wait is a wait of a thread for a handle, on a monitor or, by the events of the task library, for a
// task.
type Wait struct {
	From, To     uint64 // ticks
	OnMonitor    bool   // WaitSource says Monitor.Wait
	OfTask       bool   // the task library says that the thread waits for a task
	ByTask       bool   // it is from TaskWaitBegin to TaskWaitEnd
	InContention bool   // it begins in a contention of the thread: it is a part of that
	Unfinished   bool   // its end is not in the trace: it lasts to the end of the recording
}

// Source returns what the events say of the wait, for blocking.WaitCause.
func (w *Wait) Source() blocking.Source {
	return blocking.Source{OnMonitor: w.OnMonitor, OfTask: w.OfTask, ByTask: w.ByTask}
}

// Waiting pairs the events of waits: WaitHandleWaitStart and WaitHandleWaitStop, and apart from them
// TaskWaitBegin and TaskWaitEnd of tasks that block their threads. Both nest. K identifies a thread; T
// is what its reader keeps of a wait. Use NewWaiting to create one. The events of a thread must come
// in the order of time.
type Waiting[K comparable, T any] struct {
	open  nested[K, OpenWait[K, T]]
	tasks nested[K, OpenWait[K, T]]
}

// OpenWait is a wait with its thread, and what its reader keeps.
type OpenWait[K comparable, T any] struct {
	Wait
	Thread K     // that identifies its thread
	Of     T     // what its reader keeps
	task   int32 // of one by TaskWaitBegin
}

// NewWaiting returns a Waiting for at most limit waits of each kind at the same time. order compares
// threads.
func NewWaiting[K comparable, T any](limit int64, order func(a, b K) int) *Waiting[K, T] {
	return &Waiting[K, T]{newNested[K, OpenWait[K, T]](limit, order), newNested[K, OpenWait[K, T]](limit, order)}
}

// Start handles WaitHandleWaitStart of a thread, which can be in a contention. The result is valid
// until the next start or end on that thread, and nil above the limit.
func (w *Waiting[K, T]) Start(thread K, ev *codec.Event, inContention bool) *OpenWait[K, T] {
	const monitor = 1
	return w.open.begin(thread, OpenWait[K, T]{Thread: thread, Wait: Wait{
		From: ev.Timestamp, OnMonitor: clr.WaitHandleWaitStart(ev).WaitSource() == monitor,
		OfTask: w.ForTask(thread), InContention: inContention,
	}})
}

// Stop handles WaitHandleWaitStop of a thread, and returns the wait that it ends, false for none.
func (w *Waiting[K, T]) Stop(thread K, ev *codec.Event) (one OpenWait[K, T], begun bool) {
	one, begun = w.open.end(thread)
	one.To = max(one.From, ev.Timestamp)
	return one, begun
}

// BlockingTask returns the task of an event TaskWaitBegin, and whether its thread blocks; others await.
func BlockingTask(ev *codec.Event) (task int32, blocks bool) {
	const blocking = 1
	e := clr.TaskWaitBegin(ev)
	return e.TaskID(), e.Behavior() == blocking
}

// StartTask handles TaskWaitBegin of a thread. The result is that of Start, and nil for an event of a
// method that awaits.
func (w *Waiting[K, T]) StartTask(thread K, ev *codec.Event) *OpenWait[K, T] {
	task, blocks := BlockingTask(ev)
	if !blocks {
		return nil
	}
	return w.tasks.begin(thread, OpenWait[K, T]{Thread: thread, task: task, Wait: Wait{From: ev.Timestamp, OfTask: true, ByTask: true}})
}

// StopTask handles TaskWaitEnd of a thread for a task, and returns the wait that it ends, false for none:
// another thread can log it for one that awaits.
func (w *Waiting[K, T]) StopTask(thread K, task int32, ticks uint64) (one OpenWait[K, T], begun bool) {
	if last := w.tasks.last(thread); last == nil || last.task != task {
		return one, false
	}
	one, begun = w.tasks.end(thread)
	one.To = max(one.From, ticks)
	return one, begun
}

// ForTask reports whether a thread is in a wait by TaskWaitBegin.
func (w *Waiting[K, T]) ForTask(thread K) bool { return w.tasks.last(thread) != nil }

// Lost forgets the waits of a thread, whose ends can be lost, and returns how many they were.
func (w *Waiting[K, T]) Lost(thread K) int {
	return len(w.open.forget(thread)) + len(w.tasks.forget(thread))
}

// Close ends the waits that are open when the recording ends, at end, and returns them: those by
// TaskWaitBegin last, thread by thread, the innermost first.
func (w *Waiting[K, T]) Close(end uint64) []OpenWait[K, T] {
	list := append(w.open.close(), w.tasks.close()...)
	for i := range list {
		list[i].To, list[i].Unfinished = max(list[i].From, end), true
	}
	return list
}
