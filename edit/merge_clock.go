package edit

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/nettrace-go/nettrace/codec"
)

// ErrNoClock means that the frequency of a trace's ticks is unknown, so that
// its timestamps cannot be compared with those of other traces.
var ErrNoClock = errors.New("the trace has no clock: its tick frequency is 0")

// mergeClock converts ticks of one trace to those of another, by their sync
// times and frequencies, rounded down.
type mergeClock struct {
	sync, frequency     uint64 // of the source
	toSync, toFrequency uint64
	whole               int64  // ticks of the target from its sync time to the source's
	rest                uint64 // and billionths of one
	same                bool   // the ticks of both are the same
}

// newMergeClock returns an error when one of the two has no clock, or when the
// distance of their sync times overflows ticks.
func newMergeClock(from, to *codec.Trace) (*mergeClock, error) {
	for _, t := range []*codec.Trace{from, to} {
		if t.TickFrequency == 0 || t.SyncTime.IsZero() {
			return nil, ErrNoClock
		}
	}
	c := &mergeClock{sync: from.SyncTicks, frequency: from.TickFrequency, toSync: to.SyncTicks, toFrequency: to.TickFrequency}
	var ok bool
	c.whole, c.rest, ok = mulDiv(int64(from.SyncTime.Sub(to.SyncTime)), to.TickFrequency, uint64(time.Second))
	if !ok {
		return nil, fmt.Errorf("sync times %v and %v are too far apart at %d ticks per second", from.SyncTime, to.SyncTime, to.TickFrequency)
	}
	c.same = c.rest == 0 && c.sync == c.toSync+uint64(c.whole) && c.frequency == c.toFrequency
	return c, nil
}

// mulDiv is x*num/den rounded down, and the remainder, in 128 bits.
func mulDiv(x int64, num, den uint64) (quotient int64, rest uint64, ok bool) {
	if x < 0 {
		return mulDivSize(-uint64(x), true, num, den)
	}
	return mulDivSize(uint64(x), false, num, den)
}

// mulDivSize is mulDiv of a number given by its size and its sign.
func mulDivSize(size uint64, negative bool, num, den uint64) (quotient int64, rest uint64, ok bool) {
	hi, lo := bits.Mul64(size, num)
	if hi >= den {
		return 0, 0, false
	}
	q, rest := bits.Div64(hi, lo, den)
	switch {
	case q >= math.MaxInt64:
		return 0, 0, false
	case !negative:
		return int64(q), rest, true
	case rest == 0:
		return -int64(q), 0, true
	}
	return -int64(q) - 1, den - rest, true
}

// ticks converts a timestamp. One that is outside of the target's ticks, or 2^63
// ticks from its sync time, becomes the first or the last of them, and exact is
// false. Timestamps are unsigned; a later one never gives earlier ticks.
func (c *mergeClock) ticks(t uint64) (ticks uint64, exact bool) {
	if c.same {
		return t, true
	}
	early := t < c.sync
	size := t - c.sync
	if early {
		size = -size
	}
	q, rest, ok := mulDivSize(size, early, c.toFrequency, c.frequency)
	if !ok {
		return clampTicks(early), false
	}
	q, ok = addInt64(q, c.whole)
	if ok && c.carry(rest) {
		q, ok = addInt64(q, 1)
	}
	if !ok {
		return clampTicks(c.whole < 0), false
	}
	sum, carried := bits.Add64(c.toSync, uint64(q), 0)
	if q < 0 && carried == 0 || q >= 0 && carried == 1 {
		return clampTicks(q < 0), false
	}
	return sum, true
}

// carry reports whether the sum of the two fractions, rest/frequency and
// c.rest/10^9, reaches one.
func (c *mergeClock) carry(rest uint64) bool {
	ahi, alo := bits.Mul64(rest, uint64(time.Second))
	bhi, blo := bits.Mul64(c.frequency, c.rest)
	lo, over := bits.Add64(alo, blo, 0)
	hi, _ := bits.Add64(ahi, bhi, over)
	dhi, dlo := bits.Mul64(c.frequency, uint64(time.Second))
	return hi > dhi || hi == dhi && lo >= dlo
}

func clampTicks(low bool) uint64 {
	if low {
		return 0
	}
	return math.MaxUint64
}

func addInt64(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (a >= 0) != (b >= 0) || (sum >= 0) == (a >= 0)
}

// mergedClock chooses the clock of a merged trace: that of the finest source,
// so that different times stay different. Its ticks begin later when another
// source is so much older that they would go below 0. Its sync time is that of
// the oldest source.
func mergedClock(traces []*codec.Trace) (codec.Trace, error) {
	base := traces[0]
	for _, t := range traces {
		if t.TickFrequency > base.TickFrequency {
			base = t
		}
	}
	clock := codec.Trace{SyncTime: base.SyncTime, SyncTicks: base.SyncTicks, TickFrequency: base.TickFrequency, PointerSize: base.PointerSize}
	for _, t := range traces {
		c, err := newMergeClock(t, base)
		if err != nil {
			return clock, err
		}
		if early := uint64(-c.whole); c.whole < 0 && clock.SyncTicks < early {
			const hour = 3600 // seconds that may lie before a sync time
			over, ticks := bits.Mul64(hour, clock.TickFrequency)
			sum, carry := bits.Add64(early, ticks, 0)
			if over+carry > 0 {
				return clock, fmt.Errorf("sync time %v is too far from %v", t.SyncTime, base.SyncTime)
			}
			clock.SyncTicks = sum
		}
	}
	return clock, syncWithFirst(&clock, traces)
}

// syncWithFirst moves the sync time to that of the oldest source, so that no event
// is before it. Ticks keep their times: where those of the sync time would not be
// exact, it stays.
func syncWithFirst(clock *codec.Trace, traces []*codec.Trace) error {
	for _, t := range traces {
		c, err := newMergeClock(t, clock)
		if err != nil {
			return err
		}
		if early := uint64(-c.whole); c.whole < 0 && c.rest == 0 && early <= clock.SyncTicks {
			clock.SyncTime, clock.SyncTicks = t.SyncTime, clock.SyncTicks-early
		}
	}
	return nil
}
