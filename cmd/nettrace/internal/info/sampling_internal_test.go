package info

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/sampling"
)

// TestSampling samples three threads one after the other, four times in five at
// the interval asked for.
func TestSampling(t *testing.T) {
	var s sampling.Intervals
	now := uint64(1000)
	for i := range 100 {
		for thread := range uint64(3) {
			s.Add(&codec.Event{ThreadIndex: thread, Timestamp: now + thread})
		}
		now += 1_000_000
		if i%5 == 0 {
			now += 700_000
		}
	}
	clock := &codec.Trace{TickFrequency: 1_000_000_000, Properties: []codec.KeyValue{{Key: codec.ExpectedCPUSamplingRateKey, Value: "500000"}}}
	if got, want := samplingLine(&s, clock), "300 of 3 threads, each thread every 1.00 ms (median), expected every 0.50 ms"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := samplingLine(&s, &codec.Trace{}); got != "300 of 3 threads" {
		t.Errorf("without a clock: %s", got)
	}
	if got := samplingLine(&sampling.Intervals{}, clock); got != "" {
		t.Errorf("without samples: %s", got)
	}
}
