package filter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/codec"
)

// criterion is a property by which events are filtered. An event counts at the
// first criterion that it does not match.
type criterion uint8

const (
	byTime criterion = iota
	byType
	byLevel
	byKeyword
	byThread
	byProcess
	criteria
)

// flags returns the flags of a criterion that were given.
func (f *Filter) flags(c criterion) string {
	var list []string
	for _, flag := range []struct {
		of    criterion
		name  string
		given bool
	}{
		{byTime, "--from", f.time.HasFrom}, {byTime, "--to", f.time.HasTo},
		{byType, "--provider", f.providers != nil}, {byType, "--event", !f.events.all()},
		{byLevel, "--level", f.hasLevel}, {byKeyword, "--keyword", f.hasKeywords},
		{byThread, "--thread", f.threads.ranges != nil}, {byProcess, "--process", f.processes.ranges != nil},
	} {
		if flag.of == c && flag.given {
			list = append(list, flag.name)
		}
	}
	return strings.Join(list, ", ")
}

// missed counts the events that a filter left out, for the reason why no event
// matched.
type missed struct {
	count       [criteria]int64
	first, last uint64 // ticks of the events that count by time
	providers   []string
}

// atTime counts an event outside of the time range.
func (m *missed) atTime(ticks uint64) {
	if m.count[byTime]++; m.count[byTime] == 1 {
		m.first, m.last = ticks, ticks
	}
	m.first, m.last = min(m.first, ticks), max(m.last, ticks)
}

// Missed counts the events that a filter left out, and has the values that matched.
type Missed struct {
	missed
	matched [listFlags][]bool
}

// TakeMissed returns the counts of the filter, which begin again.
func (f *Filter) TakeMissed() Missed {
	m := Missed{missed: f.missed}
	f.missed = missed{}
	for i := range f.values {
		m.matched[i] = slices.Clone(f.values[i].matched)
	}
	return m
}

// AddMissed adds the counts of another filter with the same criteria.
func (f *Filter) AddMissed(m *Missed) {
	if m.count[byTime] > 0 {
		if f.missed.count[byTime] == 0 {
			f.missed.first, f.missed.last = m.first, m.last
		}
		f.missed.first, f.missed.last = min(f.missed.first, m.first), max(f.missed.last, m.last)
	}
	for c, n := range m.count {
		f.missed.count[c] += n
	}
	for _, name := range m.providers {
		f.missed.provider(name)
	}
	for i, list := range m.matched {
		f.values[i].mark(func(j int) bool { return list[j] })
	}
}

// MissedInTime adds count events, with timestamps from first to last, that were
// left out by their time without the filter.
func (f *Filter) MissedInTime(count int64, first, last uint64) {
	f.missed.count[byTime], f.missed.first, f.missed.last = count, first, last
}

// MissedCount returns the number of events that the filter left out.
func (f *Filter) MissedCount() int64 {
	total := int64(0)
	for _, n := range f.missed.count {
		total += n
	}
	return total
}

// provider adds a provider that matches no --provider.
func (m *missed) provider(name string) {
	if !slices.Contains(m.providers, name) {
		m.providers = append(m.providers, name)
	}
}

// NothingMatched returns the reason why the filter chose no event. The trace may be nil.
func (f *Filter) NothingMatched(t *codec.Trace) string {
	m := &f.missed
	total := f.MissedCount()
	var parts []string
	for c, n := range m.count {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s left out by %s", display.Grouped(n), f.flags(criterion(c))))
		}
	}
	switch {
	case total == 0 && f.time.Bounded():
		return "no event matches: none is in the period of " + f.flags(byTime) + " (nettrace info prints the times of the trace)"
	case total == 0:
		return "no event matches: there are no events"
	}
	text := fmt.Sprintf("no event matches: of %s, %s", display.Counted(total, "event"), strings.Join(parts, ", "))
	if m.count[byTime] > 0 && t != nil {
		text += fmt.Sprintf("; those outside of the time range are from %s to %s", sinceText(t, m.first), sinceText(t, m.last))
	}
	if len(m.providers) > 0 && m.count[byType] > 0 && f.providers != nil {
		const most = 5
		slices.Sort(m.providers)
		text += "; other providers in the trace: " + strings.Join(m.providers[:min(len(m.providers), most)], ", ")
		if more := len(m.providers) - most; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	return text
}

// sinceText returns a timestamp as the time since the trace's sync time.
func sinceText(t *codec.Trace, ticks uint64) string {
	return fmt.Sprintf("%.3f s", t.Since(ticks).Seconds())
}
