package blocked

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// BlockingTask returns the task of a TaskWaitBegin, and whether its thread blocks; others await.
func BlockingTask(ev *codec.Event) (task int32, blocks bool) {
	const blocking = 1
	e := clr.TaskWaitBegin(ev)
	return e.TaskID(), e.Behavior() == blocking
}
