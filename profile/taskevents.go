package profile

import (
	"errors"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// ErrNoTaskEvents reports that Options.Async is set and that the trace lacks
// events that stacks are joined by: those that schedule or await a task, start
// its code and end it.
var ErrNoTaskEvents = errors.New("profile: the trace does not have the events of tasks that stacks are joined by: record " + clr.TasksProvider + ":0x7f:5")

// taskEventKind is the meaning of an event about a task.
type taskEventKind uint8

const (
	taskScheduled taskEventKind = iota // its code will start
	taskStarted                        // its code starts
	taskCompleted                      // its code ends
	taskAwaited                        // a method awaits it
	taskBlocked                        // a thread waits for it, blocked
	taskWaitEnded                      // after taskAwaited or taskBlocked
	posted                             // a method gives up its thread, and will continue
	resumed                            // after posted
	continued                          // the code that taskWaitEnded or resumed started ends
	poolIdle                           // the thread has no work
	eventsLost                         // events of the thread are lost

	taskEventKinds
)

// taskEvent is an event about a task.
type taskEvent struct {
	row    record // its stack, if a join can append it
	thread uint32
	task   uint32 // id
	kind   taskEventKind
}

// taskRoutes are the events of the task library: what they mean, and what reads the
// id of the task.
var taskRoutes = map[clr.Kind]struct {
	kind taskEventKind
	task func(*codec.Event) (id int32, short bool)
}{
	clr.KindTaskScheduled: {taskScheduled, func(ev *codec.Event) (int32, bool) { e := clr.TaskScheduled(ev); return e.TaskID(), e.Short() }},
	clr.KindTaskStarted:   {taskStarted, func(ev *codec.Event) (int32, bool) { e := clr.TaskStarted(ev); return e.TaskID(), e.Short() }},
	clr.KindTaskCompleted: {taskCompleted, func(ev *codec.Event) (int32, bool) { e := clr.TaskCompleted(ev); return e.TaskID(), e.Short() }},
	clr.KindTaskWaitBegin: {taskAwaited, func(ev *codec.Event) (int32, bool) { e := clr.TaskWaitBegin(ev); return e.TaskID(), e.Short() }},
	clr.KindTaskWaitEnd:   {taskWaitEnded, func(ev *codec.Event) (int32, bool) { e := clr.TaskWaitEnd(ev); return e.TaskID(), e.Short() }},
	clr.KindAwaitTaskContinuationScheduled: {posted, func(ev *codec.Event) (int32, bool) {
		e := clr.AwaitTaskContinuationScheduled(ev)
		return e.ContinueWithTaskID(), e.Short()
	}},
	clr.KindTaskWaitContinuationComplete: {continued, continuedTask},
	clr.KindTaskWaitContinuationStarted:  {resumed, continuedTask},
}

// continuedTask reads the task of an event about a continuation.
func continuedTask(ev *codec.Event) (id int32, short bool) {
	e := clr.TaskWaitContinuationStarted(ev)
	return e.TaskID(), e.Short()
}

// awaits is the Behavior of TaskWaitBegin for an await; otherwise the thread
// blocks.
const awaits = 2

// taskLog collects the events about tasks, in the order of the file.
type taskLog struct {
	events   []taskEvent
	captures map[uint64]*lastEvent // by index of the capture thread
	lost     uint64                // events that captures account for
}

// lastEvent is the last event of a capture thread.
type lastEvent struct {
	sequence uint32
	thread   uint32
	ticks    uint64
}

// taskRoute returns the handling of an event of the task library, nil for none.
func (b *builder) taskRoute(kind clr.Kind) func(*builder, *codec.Event) {
	log, wait := b.taskLogRoute(kind), taskWaits[kind]
	switch {
	case wait == nil || !b.kept[Wait]:
		return log
	case log == nil:
		return wait
	}
	return func(b *builder, ev *codec.Event) {
		wait(b, ev)
		log(b, ev)
	}
}

// taskLogRoute returns what keeps an event for the joins, nil for none.
func (b *builder) taskLogRoute(kind clr.Kind) func(*builder, *codec.Event) {
	of, ok := taskRoutes[kind]
	if !ok || b.tasks == nil {
		return nil
	}
	return func(b *builder, ev *codec.Event) {
		id, short := of.task(ev)
		e := taskEvent{kind: of.kind, task: uint32(id)}
		if of.kind == taskAwaited && clr.TaskWaitBegin(ev).Behavior() != awaits {
			e.kind = taskBlocked
		}
		if !short {
			b.addTask(ev, e)
		}
	}
}

// addTask keeps an event about a task.
func (b *builder) addTask(ev *codec.Event, e taskEvent) {
	e.thread, e.row = b.thread(ev), record{ticks: ev.Timestamp}
	switch e.kind {
	case taskScheduled, taskAwaited, posted:
		e.row.stack = b.stack(ev)
	}
	if b.hold(1) {
		b.tasks.events = append(b.tasks.events, e)
	}
}

// see notes the number of an event. Between two numbers that do not follow each
// other, events of the thread are lost.
func (l *taskLog) see(b *builder, ev *codec.Event) {
	last := l.last(b, ev.CaptureThreadIndex, ev.Sequence)
	if ev.CaptureThreadIndex == ev.ThreadIndex {
		last.thread = b.thread(ev)
	}
	l.number(b, last, ev.Timestamp, ev.Sequence)
}

// last returns the last event of the thread that logged an event with a number.
func (l *taskLog) last(b *builder, thread uint64, sequence uint32) *lastEvent {
	last := l.captures[thread]
	if last == nil {
		last = &lastEvent{sequence: sequence - 1}
		l.captures[thread] = last
		if int64(len(l.captures)) > b.limits.Threads {
			b.exceed("Threads")
		}
		l.lost += uint64(max(sequence, 1) - 1)
	}
	return last
}

// number compares the number of an event with that of the last one of its thread.
func (l *taskLog) number(b *builder, last *lastEvent, ticks uint64, sequence uint32) {
	switch step := sequence - last.sequence; {
	case step <= 1 || step >= 1<<31:
	case sequence == 1 && !b.captures.indexed: // another thread with this id
	default:
		l.lost += uint64(step - 1)
		b.loseTasks(last.thread, last.ticks)
		b.loseTasks(last.thread, ticks)
	}
	last.sequence, last.ticks = sequence, ticks
}

// loseTasks notes that events of a thread are lost at a time.
func (b *builder) loseTasks(thread uint32, ticks uint64) {
	if b.hold(1) {
		b.tasks.events = append(b.tasks.events, taskEvent{kind: eventsLost, thread: thread, row: record{ticks: ticks}})
	}
}

// finishTasks pairs the events about tasks.
func (b *builder) finishTasks() {
	if b.tasks == nil {
		return
	}
	b.endLosses()
	b.p.causality = newCausality(b.tasks.events, b.p.threads.rows)
	b.p.joinedFrames = b.limits.Frames - b.p.stacks.frames
	b.p.joins, b.p.links = map[joinKey]joined{}, map[cause]*link{}
}

// endLosses notes the losses after the last events of the threads: those of all
// lost events that no number shows.
func (b *builder) endLosses() {
	if b.p.Lost <= b.tasks.lost {
		return
	}
	for _, last := range b.tasks.captures {
		b.loseTasks(last.thread, last.ticks)
	}
}
