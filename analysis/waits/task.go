package waits

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// taskWait is a wait for a task that blocks its thread and has begun.
type taskWait struct {
	task  int32
	begin uint64 // ticks
	stack analysis.StackID
}

// taskWaitBegin handles TaskWaitBegin.
func (p *process) taskWaitBegin(ev *codec.Event) {
	task, ok := blocked.BlockingTask(ev)
	if !ok {
		return
	}
	w := &taskWait{task: task, begin: ev.Timestamp}
	if p.tasks.Begin(p.trace.Thread(ev), w) {
		w.stack, p.taskWaits = p.trace.Stack(ev), true
	}
}

// taskWaitEnd handles TaskWaitEnd.
func (p *process) taskWaitEnd(ev *codec.Event) {
	p.taskEnds(p.trace.Thread(ev), clr.TaskWaitEnd(ev).TaskID(), ev.Timestamp)
}

// taskEnds ends a wait for a task.
func (p *process) taskEnds(thread analysis.Thread, task int32, ticks uint64) {
	if w := p.tasks.Last(thread); w != nil && w.task == task {
		p.tasks.End(thread)
		p.addTask(thread, w, ticks, false)
	}
}

// addTask adds a wait for a task.
func (p *process) addTask(thread analysis.Thread, w *taskWait, end uint64, unfinished bool) {
	p.taskSums.Add(ofTask|byTaskEvent, blocked.Interval{
		Thread: thread, Stack: w.stack, Begin: w.begin, Nanos: p.trace.Between(w.begin, end), Unfinished: unfinished,
	}, 0, struct{}{})
}
