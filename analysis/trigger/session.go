package trigger

import (
	"slices"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// interval is the time between two values of an EventCounter.
const interval = time.Second

// check returns an *ImpossibleError if no event of any session can match.
func (r *Rule) check() error {
	switch r.subject {
	case subjectEvent:
		_, err := r.match.known()
		return err
	case subjectCounter:
		_, _, err := r.counter.sources()
		return err
	}
	return nil
}

// needs returns the providers that record what the rule is about, besides those
// of a session.
func (r *Rule) needs(providers []eventpipe.Provider) ([]eventpipe.Provider, error) {
	switch r.subject {
	case subjectEvent:
		match := r.match
		return match.needs(providers)
	case subjectSpan:
		return r.spans.providers, nil
	}
	eventCounters, _, err := r.counter.sources()
	if err != nil || !eventCounters {
		return nil, err
	}
	return []eventpipe.Provider{{Name: r.counter.provider, Level: counters.Level, Arguments: counters.EventCountersArguments(interval)}}, nil
}

// Session returns the providers of a session with what the rules need, and
// apart from that what was added: a new provider, or the keywords, the level and
// the arguments of one that the session has. The error is an *ImpossibleError
// for a rule that no event can match. Meters returns what else the rules need.
func Session(rules []*Rule, providers []eventpipe.Provider) (all, added []eventpipe.Provider, err error) {
	all = slices.Clone(providers)
	for _, r := range rules {
		needed, err := r.needs(all)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range needed {
			var one *eventpipe.Provider
			if all, one = merge(all, p); one != nil {
				added = append(added, *one)
			}
		}
		if err := r.recorded(all); err != nil {
			return nil, nil, err
		}
	}
	if len(Meters(rules)) > 0 && indexProvider(providers, counters.MetersProvider) >= 0 {
		return nil, nil, impossible("the rules select Meters by %s: leave this provider out", counters.MetersProvider)
	}
	return all, added, nil
}

// recorded returns an *ImpossibleError if a filter of the session leaves out
// the events of the rule.
func (r *Rule) recorded(providers []eventpipe.Provider) error {
	switch r.subject {
	case subjectEvent:
		match := r.match
		return match.Check(providers)
	case subjectSpan:
		for key := range r.spans.events {
			i := indexProvider(providers, key.Provider())
			if i >= 0 && filtered(providers[i], key.ID()) {
				return impossible("the filter of %s leaves out event %d, which the rule needs", providers[i].Name, key.ID())
			}
		}
	}
	return nil
}

// merge adds a provider to a list. It returns what was added, nil for nothing.
func merge(list []eventpipe.Provider, need eventpipe.Provider) (all []eventpipe.Provider, added *eventpipe.Provider) {
	i := indexProvider(list, need.Name)
	if i < 0 {
		return append(list, need), &need
	}
	have := &list[i]
	more := eventpipe.Provider{Name: have.Name, Keywords: need.Keywords &^ have.Keywords, Level: have.Level}
	if need.Level > have.Level {
		more.Level = need.Level
	}
	if name, _, _ := strings.Cut(need.Arguments, "="); need.Arguments != "" && !strings.Contains(have.Arguments, name+"=") {
		more.Arguments = need.Arguments
	}
	if more.Keywords == 0 && more.Level == have.Level && more.Arguments == "" {
		return list, nil
	}
	have.Keywords |= more.Keywords
	have.Level = more.Level
	have.Arguments = strings.TrimPrefix(have.Arguments+";"+more.Arguments, ";")
	have.Arguments = strings.TrimSuffix(have.Arguments, ";")
	return list, &more
}

// Meters returns the selection of the instruments that the rules are about, for
// counters.MetersSession. It is empty if the rules need no Meter.
func Meters(rules []*Rule) (list counters.Selection) {
	for _, r := range rules {
		if r.subject != subjectCounter {
			continue
		}
		if _, meters, err := r.counter.sources(); err == nil && meters {
			list = append(list, r.counter.choice())
		}
	}
	return list
}
