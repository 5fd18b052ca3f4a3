package trigger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// ImpossibleError reports a rule or a Match that no event of a session can
// match.
type ImpossibleError struct {
	Reason string   // why, with the next step if there is one
	Name   string   // unknown name, "" if all names are known
	Known  []string // names that could be meant instead
}

// Error returns the reason.
func (e *ImpossibleError) Error() string { return e.Reason }

func impossible(format string, args ...any) error {
	return &ImpossibleError{Reason: fmt.Sprintf(format, args...)}
}

// Check returns an *ImpossibleError if no event of a session with these
// providers can match: the provider is not recorded; or all events of the
// provider are known, because it is one of the runtime, and it has no such event
// or field, or its keywords or level do not select the event.
func (m *Match) Check(providers []eventpipe.Provider) error {
	i := indexProvider(providers, m.provider)
	if i < 0 {
		return &ImpossibleError{"provider " + m.provider + " is not recorded", m.provider, providerNames(providers)}
	}
	known, err := m.known()
	if known == nil || err != nil {
		return err
	}
	p := providers[i]
	for _, e := range known {
		if records(p, e) {
			return nil
		}
	}
	e := known[len(known)-1]
	return impossible("%s/%s is not recorded: it needs %s:0x%x:%d (keywords, level), but the flags select %s:0x%x:%d",
		e.Provider, e.Name, e.Provider, e.Keywords, e.Level, p.Name, p.Keywords, p.Level)
}

// needs returns the provider that records the events of a match.
func (m *Match) needs(providers []eventpipe.Provider) ([]eventpipe.Provider, error) {
	known, err := m.known()
	switch {
	case err != nil:
		return nil, err
	case known == nil && indexProvider(providers, m.provider) < 0:
		return nil, &ImpossibleError{
			"provider " + m.provider + " is not recorded: add it with its keywords and level", m.provider, providerNames(providers),
		}
	case known == nil:
		return nil, nil
	}
	if i := indexProvider(providers, m.provider); i >= 0 && slices.ContainsFunc(known, func(e *clr.Event) bool { return records(providers[i], e) }) {
		return nil, nil
	}
	e := known[len(known)-1]
	lowest := e.Keywords & -e.Keywords
	return []eventpipe.Provider{{Name: e.Provider, Keywords: lowest, Level: max(int(e.Level), 1)}}, nil
}

// known returns the newest version of each event that can match, nil if the
// events of the provider are not known.
func (m *Match) known() ([]*clr.Event, error) {
	if !hasManifest(m.provider) {
		return nil, nil
	}
	all, err := m.versions()
	if err != nil {
		return nil, err
	}
	if err := m.checkFields(all); err != nil {
		return nil, err
	}
	var newest []*clr.Event // first versions had no keywords
	for i, e := range all {
		if i+1 == len(all) || !slices.ContainsFunc(all[i+1:], func(o *clr.Event) bool { return o.ID == e.ID }) {
			newest = append(newest, e)
		}
	}
	return newest, nil
}

// hasManifest reports whether all events of a provider are known. Those of
// event sources are not: the trace describes them.
func hasManifest(name string) bool {
	return strings.HasPrefix(strings.ToLower(name), strings.ToLower(provider.Runtime))
}

// versions returns all versions of the known events with the name or id of the
// match, the newest last.
func (m *Match) versions() ([]*clr.Event, error) {
	var found []*clr.Event
	var names []string
	for e := range clr.Events() {
		if !strings.EqualFold(e.Provider, m.provider) {
			continue
		}
		names = append(names, e.Name)
		switch {
		case m.byID && e.ID != m.id:
		case !m.byID && m.event != "" && !hasName(e, m.event):
			names = append(names, traceEventNames(e)...)
		default:
			found = append(found, e)
		}
	}
	if found == nil {
		return nil, &ImpossibleError{m.provider + " has no event " + m.name(), m.event, names}
	}
	slices.SortStableFunc(found, func(a, b *clr.Event) int { return cmp.Compare(a.Version, b.Version) })
	return found, nil
}

// checkFields returns an error when a field of the match is in none of the
// events.
func (m *Match) checkFields(events []*clr.Event) error {
	var names []string
	for _, e := range events {
		for i := range e.Fields {
			names = append(names, e.Fields[i].Name)
		}
	}
	for _, c := range m.conditions {
		if slices.Contains(names, c.field) {
			continue
		}
		if len(names) == 0 {
			return impossible("%s has no fields", events[0].Name)
		}
		return &ImpossibleError{events[0].Name + " has no field " + c.field, c.field, names}
	}
	return nil
}

// records reports whether a provider's configuration selects an event by
// keywords, level and ids.
func records(p eventpipe.Provider, e *clr.Event) bool {
	if e.Keywords != 0 && p.Keywords&e.Keywords == 0 || int(e.Level) > p.Level {
		return false
	}
	return !filtered(p, e.ID)
}

// filtered reports whether a provider's filter leaves an event out.
func filtered(p eventpipe.Provider, id uint32) bool {
	return p.Filter != nil && slices.Contains(p.Filter.IDs, id) == p.Filter.Deny
}

// indexProvider returns the place of a provider, -1 for none.
func indexProvider(providers []eventpipe.Provider, name string) int {
	return slices.IndexFunc(providers, func(p eventpipe.Provider) bool { return strings.EqualFold(p.Name, name) })
}

func providerNames(providers []eventpipe.Provider) (names []string) {
	for _, p := range providers {
		names = append(names, p.Name)
	}
	return names
}
