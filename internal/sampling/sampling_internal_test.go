package sampling

import (
	"fmt"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLimit: samples of threads above the limit are counted, not measured.
func TestLimit(t *testing.T) {
	s := Intervals{Limit: 2}
	for round := range uint64(3) {
		for thread := range uint64(4) {
			s.Add(&codec.Event{ThreadIndex: thread, Timestamp: 100 * (round + 1)})
		}
	}
	expect.Equal(t, "samples", s.Samples, 12)
	expect.Equal(t, "threads", s.Threads(), 2)
	expect.Equal(t, "intervals", s.count, 4)
}

// TestIntervalSteps: each interval lies in its step, which is narrow.
func TestIntervalSteps(t *testing.T) {
	for _, ticks := range []uint64{1, 2, 3, 127, 128, 129, 255, 256, 1_000_000, 1<<40 - 1, 1 << 40, math.MaxUint64} {
		t.Run(fmt.Sprint(ticks), func(t *testing.T) {
			step := intervalStep(ticks)
			from, to := stepStart(step), stepStart(step+1)
			x := float64(ticks)
			expect.AtLeast(t, "float64(ticks)", x, from)
			if x >= to && ticks < 1<<53 {
				t.Errorf("step %d ends at %g, want more than %g", step, to, x)
			}
			expect.AtMost(t, "to/from", to/from, 1.01)
		})
	}
}
