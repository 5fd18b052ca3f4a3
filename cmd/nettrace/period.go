package main

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/nettrace-go/nettrace/codec"
)

// period is the time from one moment up to another, which is not in it. Either
// may be open.
type period struct{ from, to moment }

// moment is a time since the trace's sync time, or one of the calendar.
type moment struct {
	flag  string
	given bool
	since time.Duration
	at    time.Time // zero: since counts
}

// parseMoment reads a duration or RFC 3339; no text is no moment.
func parseMoment(flag, text string) (moment, error) {
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

func (p *period) given() bool { return p.from.given || p.to.given }

// ticks converts a period to timestamps of a trace: from <= t < to.
func (p *period) ticks(t *codec.Trace) (from, to uint64, err error) {
	from, to = 0, math.MaxUint64
	if p.from.given {
		from, err = p.from.ticks(t)
	}
	if p.to.given && err == nil {
		to, err = p.to.ticks(t)
	}
	if err == nil && from > to {
		err = &failure{exitUsage, errors.New("--to is a time before --from")}
	}
	return from, to, err
}

// ticks is the first timestamp that is not before the moment.
func (m *moment) ticks(t *codec.Trace) (uint64, error) {
	if t.TickFrequency == 0 || !m.at.IsZero() && t.SyncTime.IsZero() {
		return 0, fmt.Errorf("the trace has no clock: --%s says nothing", m.flag)
	}
	since := m.since
	if !m.at.IsZero() {
		since = m.at.Sub(t.SyncTime)
	}
	ticks := t.Ticks(since)
	switch {
	case since < 0 && ticks > t.SyncTicks:
		return 0, nil
	case since > 0 && ticks < t.SyncTicks:
		return math.MaxUint64, nil
	case t.Since(ticks) < since && ticks < math.MaxUint64:
		ticks++
	}
	return ticks, nil
}
