package info

import (
	"fmt"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSampling samples three threads one after the other, four times in five at
// the interval asked for.
func TestSampling(t *testing.T) {
	var s sampling
	now := uint64(1000)
	for i := range 100 {
		for thread := range uint64(3) {
			s.sample(&codec.Event{ThreadIndex: thread, Timestamp: now + thread})
		}
		now += 1_000_000
		if i%5 == 0 {
			now += 700_000
		}
	}
	clock := &codec.Trace{TickFrequency: 1_000_000_000, Properties: []codec.KeyValue{{Key: codec.ExpectedCPUSamplingRateKey, Value: "500000"}}}
	if got, want := s.line(clock), "300 of 3 threads, each thread every 1.00 ms (median), expected every 0.50 ms"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := s.line(&codec.Trace{}); got != "300 of 3 threads" {
		t.Errorf("without a clock: %s", got)
	}
	if got := (&sampling{}).line(clock); got != "" {
		t.Errorf("without samples: %s", got)
	}
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
