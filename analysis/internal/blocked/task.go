package blocked

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/payload"
)

// The events of the task library about waits for tasks.
const (
	TaskProvider    = "System.Threading.Tasks.TplEventSource"
	TaskWaitBeginID = 10
	TaskWaitEndID   = 11
)

// BlockingTask returns the task of a TaskWaitBegin, and whether its thread blocks; others await.
// The fields are OriginatingTaskSchedulerID, OriginatingTaskID, TaskID, Behavior.
func BlockingTask(ev *codec.Event, t *analysis.Trace) (task uint32, blocks bool) {
	const blocking = 1
	fields := payload.New(ev.Payload(), t.Header.PointerSize)
	fields.Skip(8)
	task = fields.U32()
	return task, fields.U32() == blocking && !fields.Short()
}

// EndedTask returns the task of a TaskWaitEnd: OriginatingTaskSchedulerID, OriginatingTaskID,
// TaskID.
func EndedTask(ev *codec.Event, t *analysis.Trace) uint32 {
	fields := payload.New(ev.Payload(), t.Header.PointerSize)
	fields.Skip(8)
	return fields.U32()
}
