package logical_test

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPauses: a dispatcher waits from its creation or a suspension to the next resumption,
// and the parts of its life add up. A resumption with other frames shows that records are missing.
func TestPauses(t *testing.T) {
	for _, c := range []struct {
		what  string
		first byte // frame of the second resumption
		want  string
	}{
		{"complete", 31, "120-300 on 9, 400-500 on 9; running 200 and waiting 280 of 480, whole true"},
		{"a run is missing", 32, "120-300 on 9; running 200 and waiting 180 of 480, whole false"},
	} {
		creates := on(7, 100).at(100, async.ResetThread).at(120, async.CreateRuntimeContext, 0, 6).
			at(120, async.CreateRuntimeCallstack, stack(async.CreateRuntimeCallstack, 0, 6, 31, 1)...).buffer(900)
		runs := on(9, 100).at(100, async.ResetThread).resume(300, async.Runtime, 0, 6, 31, 1).
			at(400, async.SuspendRuntimeCallstack, stack(async.SuspendRuntimeCallstack, 0, 6, 31, 1)...).at(400, async.SuspendRuntimeContext).
			resume(500, async.Runtime, 0, 6, c.first, 1).at(600, async.CompleteRuntimeContext).buffer(900)
		of := tracker(false, runs, creates)
		text := ""
		for p := range of.Pauses() {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%d-%d on %d", p.Begin, p.End, p.Thread)
		}
		for l := range of.Lives() {
			text += fmt.Sprintf("; running %d and waiting %d of %d, whole %v", l.Running, l.Waiting, l.Completed-l.Created, l.Whole)
		}
		expect.Equal(t, c.what, text, c.want)
	}
}
