package profile

import (
	"math"
	"math/bits"

	"github.com/nettrace-go/nettrace/codec"
)

// scale converts ticks to nanoseconds.
type scale struct{ frequency uint64 }

func newScale(frequency uint64) scale { return scale{frequency} }

// of converts a number of ticks, rounded down. It returns at most the highest
// int64. Without a frequency a tick is a nanosecond.
func (s scale) of(ticks uint64) int64 {
	if s.frequency != 1e9 && s.frequency != 0 {
		hi, lo := bits.Mul64(ticks, 1e9)
		if hi >= s.frequency {
			return math.MaxInt64
		}
		ticks, _ = bits.Div64(hi, lo, s.frequency)
	}
	return int64(min(ticks, math.MaxInt64))
}

// ticks converts nanoseconds to ticks, rounded to the nearest. It returns 0 for a
// number that is not positive, and at most half of the highest uint64.
func (s scale) ticks(nanos float64) uint64 {
	if s.frequency != 0 {
		nanos *= float64(s.frequency) / 1e9
	}
	switch {
	case !(nanos > 0):
		return 0
	case nanos >= math.MaxInt64:
		return math.MaxInt64
	}
	return uint64(math.Round(nanos))
}

// Nanos returns the time from Start to ticks in nanoseconds, negative before
// Start. The result saturates at the bounds of an int64.
func (p *Profile) Nanos(ticks uint64) int64 {
	if ticks < p.Start {
		return -p.nanos.of(p.Start - ticks)
	}
	return p.nanos.of(ticks - p.Start)
}

// length is the time from one timestamp to a later one in nanoseconds. It is the
// difference of their Nanos, so that the lengths of the parts of a span add up to
// that of the span.
func (p *Profile) length(from, until uint64) int64 {
	a, b := p.Nanos(from), p.Nanos(until)
	if a < 0 && b > math.MaxInt64+a {
		return math.MaxInt64
	}
	return b - a
}

// intersect returns the times that both ranges select.
func intersect(a, b codec.TimeRange) codec.TimeRange {
	if b.HasFrom && (!a.HasFrom || b.From > a.From) {
		a.From, a.HasFrom = b.From, true
	}
	if b.HasTo && (!a.HasTo || b.To < a.To) {
		a.To, a.HasTo = b.To, true
	}
	return a
}

// Bounds returns the first and the last time, in ticks, of the part of the
// trace that Options.Time selects: Start and End if Time has no bounds.
func (p *Profile) Bounds() (from, until uint64) {
	from, until = p.Start, p.End
	if p.window.HasFrom {
		from = min(max(from, p.window.From), until)
	}
	if p.window.HasTo {
		until = max(from, min(until, p.window.To))
	}
	return from, until
}
