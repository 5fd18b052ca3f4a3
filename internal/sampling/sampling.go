// Package sampling measures how often the runtime's sampler sampled a thread.
package sampling

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Provider writes an event for each thread each time it stops them all.
const Provider = clr.SamplerProvider

// Intervals are the times between two samples of one thread. The sampler samples
// the threads one after the other, so the times between samples of different
// threads are no measure. The zero value is ready to use.
type Intervals struct {
	Samples int64 // number of samples
	Limit   int64 // number of threads that are measured, 0 for no limit

	last   map[uint64]uint64 // ticks, by thread
	counts [64 * intervalParts]int64
	count  int64
}

// Intervals are counted in steps of less than one per cent: each power of two
// has as many steps.
const (
	intervalBits  = 7
	intervalParts = 1 << intervalBits
)

// Add adds a sample of a thread.
func (s *Intervals) Add(e *codec.Event) {
	if s.last == nil {
		s.last = map[uint64]uint64{}
	}
	s.Samples++
	last, ok := s.last[e.ThreadIndex]
	if !ok && s.Limit > 0 && int64(len(s.last)) >= s.Limit {
		return
	}
	s.last[e.ThreadIndex] = e.Timestamp
	if ok && e.Timestamp > last {
		s.counts[intervalStep(e.Timestamp-last)]++
		s.count++
	}
}

// Threads returns the number of threads that are measured.
func (s *Intervals) Threads() int64 { return int64(len(s.last)) }

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

// Median returns the median interval in ticks, and false when there is none.
func (s *Intervals) Median() (float64, bool) {
	rest := s.count / 2
	for step, n := range s.counts {
		if rest -= n; rest < 0 {
			return (stepStart(step) + stepStart(step+1)) / 2, true
		}
	}
	return 0, false
}

// Expected returns the interval that the recording requested, in nanoseconds.
func Expected(t *codec.Trace) (nanos uint64, ok bool) {
	text, _ := t.Property(codec.ExpectedCPUSamplingRateKey)
	nanos, err := strconv.ParseUint(text, 10, 63)
	return nanos, err == nil && nanos > 0
}
