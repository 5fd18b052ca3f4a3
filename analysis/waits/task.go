package waits

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/payload"
)

// taskWait is a wait for a task that blocks its thread and has begun.
type taskWait struct {
	task  uint32
	begin uint64 // ticks
	stack analysis.StackID
}

// blocks is the Behavior of a TaskWaitBegin whose thread blocks; others await.
const blocks = 1

// taskWaitBegin handles TaskWaitBegin: OriginatingTaskSchedulerID,
// OriginatingTaskID, TaskID, Behavior.
func (p *process) taskWaitBegin(ev *codec.Event) {
	fields := payload.New(ev.Payload(), p.trace.Header.PointerSize)
	fields.Skip(8)
	w := &taskWait{task: fields.U32(), begin: ev.Timestamp}
	if fields.U32() != blocks || fields.Short() {
		return
	}
	if p.tasks.Begin(p.trace.Thread(ev), w) {
		w.stack, p.taskWaits = p.trace.Stack(ev), true
	}
}

// taskWaitEnd handles TaskWaitEnd: OriginatingTaskSchedulerID, OriginatingTaskID,
// TaskID.
func (p *process) taskWaitEnd(ev *codec.Event) {
	fields := payload.New(ev.Payload(), p.trace.Header.PointerSize)
	fields.Skip(8)
	thread, task := p.trace.Thread(ev), fields.U32()
	if w := p.tasks.Last(thread); w != nil && w.task == task {
		p.tasks.End(thread)
		p.addTask(thread, w, ev.Timestamp, false)
	}
}

// addTask adds a wait for a task.
func (p *process) addTask(thread analysis.Thread, w *taskWait, end uint64, unfinished bool) {
	p.taskSums.Add(ofTask|byTaskEvent, blocked.Interval{
		Thread: thread, Stack: w.stack, Begin: w.begin, Nanos: p.trace.Between(w.begin, end), Unfinished: unfinished,
	}, 0, struct{}{})
}
