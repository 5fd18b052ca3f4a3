package info

import (
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/sampling"
)

// SampleProvider writes an event for each thread each time it stops them all.
const SampleProvider = sampling.Provider

// samplingLine describes the samples: their number, the median interval, and the
// interval that the recording requested.
func samplingLine(s *sampling.Intervals, t *codec.Trace) string {
	if s.Samples == 0 {
		return ""
	}
	text := display.Grouped(s.Samples) + " of " + display.Counted(s.Threads(), "thread")
	if ticks, ok := s.Median(); ok && t.TickFrequency > 0 {
		text += ", each thread every " + display.Milliseconds(ticks/float64(t.TickFrequency)) + " (median)"
	}
	if nanos, ok := sampling.Expected(t); ok {
		text += ", expected every " + display.Milliseconds(float64(nanos)/1e9)
	}
	return text
}
