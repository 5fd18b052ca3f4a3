package filter

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/codec"
)

// Period is the time from one moment up to but not including another. Each may be absent.
type Period struct{ from, to moment }

// moment is a duration since the trace's sync time, or a date and time.
type moment struct {
	flag  string
	given bool
	since time.Duration
	at    time.Time // zero: since counts
}

// ParseMoment reads the value of a flag: a duration since the trace's sync time, or a
// time in RFC 3339. An empty text is no moment.
func ParseMoment(flag, text string) (moment, error) {
	m := moment{flag: flag, given: text != ""}
	if !m.given {
		return m, nil
	}
	since, err := time.ParseDuration(text)
	if err == nil {
		m.since = since
		return m, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return m, fmt.Errorf(`--%s: %q is neither a duration ("2s", "1m30s") nor a time ("2026-11-21T02:24:04.5Z")`, flag, text)
	}
	m.at = at
	return m, nil
}

// ParsePeriod reads the values of --from and --to.
func ParsePeriod(from, to string) (p Period, err error) {
	if p.from, err = ParseMoment("from", from); err != nil {
		return p, err
	}
	p.to, err = ParseMoment("to", to)
	return p, err
}

// Given reports whether the period has a bound.
func (p *Period) Given() bool { return p.from.given || p.to.given }

// Ticks returns the range of timestamps of a trace that a period selects. A bound before
// tick 0 or after the last tick remains a bound: --to before tick 0 and --from after the
// last tick select nothing. Of no trace, nil, it selects all.
func (p *Period) Ticks(t *codec.Trace) (codec.TimeRange, error) {
	var r codec.TimeRange
	if t == nil {
		return r, nil
	}
	for _, m := range []*moment{&p.from, &p.to} {
		if err := m.check(t); err != nil {
			return r, err
		}
	}
	if p.from.given && p.to.given && p.from.offset(t) > p.to.offset(t) {
		return r, exit.With(exit.Usage, errors.New("--to is a time before --from"))
	}
	if p.from.given {
		from, ok := ticksAt(t, p.from.offset(t))
		if !ok { // no timestamp is that late
			return codec.TimeRange{From: from, HasFrom: true, To: from, HasTo: true}, nil
		}
		r.From, r.HasFrom = from, true
	}
	if p.to.given {
		to, ok := ticksAt(t, p.to.offset(t))
		if ok { // otherwise all timestamps are before it
			r.To, r.HasTo = to, true
		}
	}
	return r, nil
}

// check reports an error when the trace has no clock for the moment.
func (m *moment) check(t *codec.Trace) error {
	if m.given && (t.TickFrequency == 0 || !m.at.IsZero() && t.SyncTime.IsZero()) {
		return fmt.Errorf("--%s: the trace has no clock", m.flag)
	}
	return nil
}

// offset returns the time from the trace's sync time to the moment.
func (m *moment) offset(t *codec.Trace) time.Duration {
	if m.at.IsZero() {
		return m.since
	}
	return m.at.Sub(t.SyncTime)
}

// ticksAt returns the first timestamp that is not before the time since after the
// sync time: 0 when that is before tick 0. It returns the last tick and false
// when every timestamp is before it.
func ticksAt(t *codec.Trace, since time.Duration) (uint64, bool) {
	size := uint64(since)
	if since < 0 {
		size = -size
	}
	hi, lo := bits.Mul64(size, t.TickFrequency)
	var ticks, rest uint64
	fits := hi < uint64(time.Second)
	if fits {
		ticks, rest = bits.Div64(hi, lo, uint64(time.Second))
	}
	if since < 0 {
		if !fits || ticks > t.SyncTicks {
			return 0, true
		}
		return t.SyncTicks - ticks, true
	}
	if rest > 0 {
		ticks++
	}
	if !fits || ticks > math.MaxUint64-t.SyncTicks {
		return math.MaxUint64, false
	}
	return t.SyncTicks + ticks, true
}
