package waits

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// taskWait is a wait for a task that blocks its thread and has begun.
type taskWait struct {
	task int32
	of   model.Owned // its begin
}

// taskWaitBegin handles TaskWaitBegin.
func (p *process) taskWaitBegin(ev *codec.Event) {
	task, ok := blocked.BlockingTask(ev)
	if !ok {
		return
	}
	thread := p.trace.Thread(ev)
	w := &taskWait{task: task, of: model.Owned{Thread: thread, Ticks: ev.Timestamp, Activity: ev.Activity()}}
	if p.tasks.Begin(thread, w) {
		w.of.Stack, p.taskWaits = p.trace.Stack(ev), true
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
		p.addTask(w, ticks, false)
	}
}

// addTask adds a wait for a task.
func (p *process) addTask(w *taskWait, end uint64, unfinished bool) {
	p.taskSums.Add(ofTask|byTaskEvent, blocked.Interval{
		Owned: w.of, Nanos: p.trace.Between(w.of.Ticks, end), Unfinished: unfinished,
	}, 0, struct{}{})
}
