package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// possible returns an error when no event of a session can match: the provider
// is not recorded; or all events of the provider are known, because it is one
// of the runtime, and it has no such event or field, or its keywords or level
// do not select the event.
func (m *eventMatch) possible(providers []eventpipe.Provider) error {
	var names []string
	for _, p := range providers {
		names = append(names, p.Name)
	}
	i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, m.provider) })
	if i < 0 {
		return fmt.Errorf("--stop-on: provider %s is not recorded%s (--providers adds one)", m.provider, nearest(m.provider, names))
	}
	if !hasManifest(m.provider) {
		return nil
	}
	known, err := m.knownEvents()
	if err != nil {
		return err
	}
	if err := m.knownFields(known); err != nil {
		return err
	}
	p := providers[i]
	newest := map[uint32]*clr.Event{} // first versions had no keywords
	for _, e := range known {
		newest[e.ID] = e
	}
	for _, e := range newest {
		if records(p, e) {
			return nil
		}
	}
	e := known[len(known)-1]
	return fmt.Errorf("--stop-on: %s/%s is not recorded: it needs %s:0x%x:%d (keywords, level), but the flags select %s:0x%x:%d",
		e.Provider, e.Name, e.Provider, e.Keywords, e.Level, p.Name, p.Keywords, p.Level)
}

// hasManifest reports whether all events of a provider are known. Those of
// event sources are not: the trace describes them.
func hasManifest(name string) bool {
	return strings.HasPrefix(strings.ToLower(name), strings.ToLower(provider.Runtime))
}

// knownEvents returns all versions of the known events with the name or id of
// the match, the newest last.
func (m *eventMatch) knownEvents() ([]*clr.Event, error) {
	var found []*clr.Event
	var names []string
	for e := range clr.Events() {
		if !strings.EqualFold(e.Provider, m.provider) {
			continue
		}
		names = append(names, e.Name)
		switch {
		case m.byID && e.ID != m.id:
		case !m.byID && m.event != "" && e.Name != m.event && !slices.Contains(traceEventNames(e), m.event):
			names = append(names, traceEventNames(e)...)
		default:
			found = append(found, e)
		}
	}
	if found == nil {
		event := m.event
		if m.byID {
			event = strconv.FormatUint(uint64(m.id), 10)
		}
		return nil, fmt.Errorf("--stop-on: %s has no event %s%s", m.provider, event, nearest(m.event, names))
	}
	slices.SortStableFunc(found, func(a, b *clr.Event) int { return cmp.Compare(a.Version, b.Version) })
	return found, nil
}

// knownFields returns an error when a field of the match is in none of the events.
func (m *eventMatch) knownFields(events []*clr.Event) error {
	var names []string
	for _, e := range events {
		for i := range e.Fields {
			names = append(names, e.Fields[i].Name)
		}
	}
	for _, f := range m.fields {
		if slices.Contains(names, f[0]) {
			continue
		}
		if len(names) == 0 {
			return fmt.Errorf("--stop-on: %s has no fields", events[0].Name)
		}
		return fmt.Errorf("--stop-on: %s has no field %s%s", events[0].Name, f[0], nearest(f[0], names))
	}
	return nil
}

// records reports whether a provider's configuration selects an event by
// keywords, level and ids.
func records(p eventpipe.Provider, e *clr.Event) bool {
	if e.Keywords != 0 && p.Keywords&e.Keywords == 0 || int(e.Level) > p.Level {
		return false
	}
	return p.Filter == nil || slices.Contains(p.Filter.IDs, e.ID) != p.Filter.Deny
}

// nearest returns the end of a sentence with the known names that are most
// similar to an unknown name.
func nearest(name string, names []string) string {
	const maxNames = 3
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	distance := func(other string) int {
		return levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(other))
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	if name == "" || len(names) == 0 {
		return ""
	}
	return "; the nearest: " + strings.Join(names[:min(maxNames, len(names))], ", ")
}
