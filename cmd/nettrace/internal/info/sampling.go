package info

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/codec"
)

// SampleProvider writes an event for each thread each time it stops them all.
const SampleProvider = "Microsoft-DotNETCore-SampleProfiler"

// sampling measures how often the runtime's sampler sampled a thread: the time
// between two samples of one thread. The sampler samples the threads one after
// the other, so the times between samples of different threads are no measure.
type sampling struct {
	samples int64
	last    map[uint64]uint64 // ticks, by thread
	counts  [64 * intervalParts]int64
	count   int64
}

// Intervals are counted in steps of less than one per cent: each power of two
// has as many steps.
const (
	intervalBits  = 7
	intervalParts = 1 << intervalBits
)

// sample adds a sample of a thread.
func (s *sampling) sample(e *codec.Event) {
	if s.last == nil {
		s.last = map[uint64]uint64{}
	}
	s.samples++
	last, ok := s.last[e.ThreadIndex]
	s.last[e.ThreadIndex] = e.Timestamp
	if ok && e.Timestamp > last {
		s.counts[intervalStep(e.Timestamp-last)]++
		s.count++
	}
}

// intervalStep returns the step in which an interval, not 0, is counted: its
// highest bit and the seven bits below.
func intervalStep(ticks uint64) int {
	exponent := bits.Len64(ticks) - 1
	mantissa := ticks << (63 - exponent) << 1 >> (64 - intervalBits)
	return exponent<<intervalBits | int(mantissa)
}

// stepStart returns the smallest interval of a step.
func stepStart(step int) float64 {
	mantissa := float64(step&(intervalParts-1))/intervalParts + 1
	return math.Ldexp(mantissa, step>>intervalBits)
}

// median returns the median interval in ticks, and false when there is none.
func (s *sampling) median() (float64, bool) {
	rest := s.count / 2
	for step, n := range s.counts {
		if rest -= n; rest < 0 {
			return (stepStart(step) + stepStart(step+1)) / 2, true
		}
	}
	return 0, false
}

// line describes the samples: their number, the median interval, and the
// interval that the recording requested.
func (s *sampling) line(t *codec.Trace) string {
	if s.samples == 0 {
		return ""
	}
	text := display.Grouped(s.samples) + " of " + display.Counted(int64(len(s.last)), "thread")
	if ticks, ok := s.median(); ok && t.TickFrequency > 0 {
		text += ", each thread every " + display.Milliseconds(ticks/float64(t.TickFrequency)) + " (median)"
	}
	expected, _ := t.Property(codec.ExpectedCPUSamplingRateKey)
	if ns, err := strconv.ParseUint(expected, 10, 63); err == nil && ns > 0 {
		text += ", expected every " + display.Milliseconds(float64(ns)/1e9)
	}
	return text
}
