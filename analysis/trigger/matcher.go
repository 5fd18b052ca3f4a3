package trigger

import (
	"fmt"
	"slices"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/rowtable"
)

// Options configure a Matcher.
type Options struct {
	// Cooldown is the time after a firing during which the rule does not fire
	// again. 0 means none.
	Cooldown time.Duration
	// OnFire is called when a rule has become true.
	OnFire func(Firing)
	// OnMessage, if set, is called for messages about Meters that are not
	// values: a session that was refused, for example.
	OnMessage func(counters.Message)
}

// Firing describes a rule that became true.
type Firing struct {
	Rule  *Rule     // that became true
	Time  time.Time // of the event
	Value float64   // that is over or under the threshold, in its unit; 1 for an event without a rate
	Text  string    // a sentence without a full stop: "System.Runtime/cpu-usage was 93"
}

// Status has the counts of a rule so far.
type Status struct {
	Rule *Rule // that the counts are about
	// Seen is the number of values, events and intervals that were compared. It
	// is 0 if the process has no such counter, for example.
	Seen       int64
	Fired      int64 // firings
	Suppressed int64 // times that the rule was true during its cooldown
	// LeftOut is the number of values of further time series after the first
	// 10,000 of the rule. They were not compared.
	LeftOut int64
	// Forgotten is the number of open intervals, such as requests, whose length
	// was not compared because more than 65,536 were open at once.
	Forgotten int64
}

// Matcher checks rules against the events of one process. It is for one
// goroutine.
type Matcher struct {
	opt     Options
	states  []*state
	routes  rowtable.Table[func(*codec.Event)] // nil for events without a rule
	decoder counters.Decoder
	spans   map[*spanKind]*opened
}

// state is what a Matcher knows of a rule.
type state struct {
	*Rule
	status Status
	quiet  int64 // ns: the end of the cooldown
	match  Match
	rate   rate
	series map[counters.Key]over
}

// NewMatcher returns a Matcher for rules.
func NewMatcher(rules []*Rule, opt Options) *Matcher {
	m := &Matcher{opt: opt, spans: map[*spanKind]*opened{}}
	for _, r := range rules {
		s := &state{Rule: r, status: Status{Rule: r}, match: r.match, series: map[counters.Key]over{}}
		s.rate.width = max(int64(r.per)/slots, 1)
		m.states = append(m.states, s)
		if r.spans != nil {
			m.spans[r.spans] = &opened{}
		}
	}
	return m
}

// Event checks the rules against an event of the process, which it does not
// keep. OnFire is called before Event returns.
func (m *Matcher) Event(e *codec.Event) {
	row := e.Metadata()
	if row == nil {
		return
	}
	do := m.routes.Find(e.MetadataID, row)
	if do == nil {
		do = m.routes.Put(e.MetadataID, row, m.route(e, row))
	}
	if *do != nil {
		(*do)(e)
	}
}

// route returns what handles the events of a metadata row, nil for nothing.
func (m *Matcher) route(e *codec.Event, row *codec.Metadata) func(*codec.Event) {
	var list []func(*codec.Event)
	for _, s := range m.states {
		if s.subject == subjectEvent && s.match.matchesRow(row, e.Version()) {
			list = append(list, func(e *codec.Event) { m.event(s, e) })
		}
	}
	for kind, open := range m.spans {
		if role, ok := kind.events[clr.KindOf(row)]; ok {
			list = append(list, func(e *codec.Event) { m.span(kind, open, role, e) })
		}
	}
	if m.hasCounters(row) {
		list = append(list, m.counter)
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return func(e *codec.Event) {
		for _, do := range list {
			do(e)
		}
	}
}

// event handles an event of a type that a rule is about.
func (m *Matcher) event(s *state, e *codec.Event) {
	if !s.match.holds(e) {
		return
	}
	s.status.Seen++
	if s.per == 0 {
		m.fire(s, e.Time(), 1, func() string { return s.match.provider + "/" + s.eventName(e) + " arrived" })
		return
	}
	at := e.Time()
	if count := float64(s.rate.add(at.UnixNano())); s.op.holds(count, s.threshold) {
		m.fire(s, at, count, func() string {
			return fmt.Sprintf("%.0f events %s/%s in %v", count, s.match.provider, s.eventName(e), s.per)
		})
	}
}

// eventName returns the name of an event, or else what the rule calls it.
func (s *state) eventName(e *codec.Event) string {
	if name := e.Name(); name != "" {
		return name
	}
	return s.match.name()
}

// span handles a start or a stop.
func (m *Matcher) span(kind *spanKind, open *opened, role role, e *codec.Event) {
	nanos, ok := open.span(kind, role, e)
	if !ok {
		return
	}
	at := e.Time()
	for _, s := range m.states {
		if s.spans != kind {
			continue
		}
		if s.status.Seen++; !s.op.holds(float64(nanos), s.threshold) {
			continue
		}
		m.fire(s, at, float64(nanos), func() string {
			text := fmt.Sprintf("%s took %v", kind.what, time.Duration(nanos))
			if kind.path != nil {
				text += ": " + kind.path(e)
			}
			return text
		})
	}
}

// fire reports that a rule is true, unless it was true in its cooldown.
func (m *Matcher) fire(s *state, at time.Time, value float64, text func() string) {
	if m.opt.Cooldown > 0 && s.status.Fired > 0 && at.UnixNano() < s.quiet {
		s.status.Suppressed++
		return
	}
	s.status.Fired++
	s.quiet = at.UnixNano() + int64(m.opt.Cooldown)
	if m.opt.OnFire != nil {
		m.opt.OnFire(Firing{s.Rule, at, value, text()})
	}
}

// Status returns the counts of each rule, in the order of the rules.
func (m *Matcher) Status() (list []Status) {
	for _, s := range m.states {
		status := s.status
		if open := m.spans[s.spans]; open != nil {
			status.Forgotten = open.forgotten
		}
		list = append(list, status)
	}
	return slices.Clip(list)
}
