package waits

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// taskWaitBegin handles TaskWaitBegin.
func (p *process) taskWaitBegin(ev *codec.Event) {
	thread := p.trace.Thread(ev)
	if w := p.open.StartTask(thread, ev); w != nil {
		w.Of = model.Owned{Thread: thread, Ticks: ev.Timestamp, Activity: ev.Activity(), Stack: p.trace.Stack(ev)}
		p.taskWaits = true
	}
}

// taskWaitEnd handles TaskWaitEnd.
func (p *process) taskWaitEnd(ev *codec.Event) {
	p.taskEnds(p.trace.Thread(ev), clr.TaskWaitEnd(ev).TaskID(), ev.Timestamp)
}

// taskEnds ends a wait for a task.
func (p *process) taskEnds(thread analysis.Thread, task int32, ticks uint64) {
	if w, begun := p.open.StopTask(thread, task, ticks); begun {
		p.add(&w)
	}
}
