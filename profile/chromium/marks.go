package chromium

import (
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// marks writes the marks of the profile: events of event sources, collections and
// pauses.
func (e *encoder) marks() {
	for m := range e.p.Marks() {
		e.on(m.Thread)
		name := m.Name
		if name == "" {
			name = "?"
		}
		category, title := string(calltree.Quote(m.Provider)), string(calltree.Quote(name))
		from, until := e.p.Nanos(m.From), e.p.Nanos(m.Until)
		if m.Kind == profile.Instant {
			e.instant(category, title, from)
			e.args(markLabels(&m), nil)
			continue
		}
		e.nextID++
		e.async("b", category, title, from)
		e.args(markLabels(&m), nil)
		e.async("e", category, title, until)
		e.b = append(e.b, '}')
	}
}

// markLabels returns the labels of a mark.
func markLabels(m *profile.Mark) []profile.Label {
	list := m.Labels
	if m.Activity != (wire.GUID{}) {
		list = append(list, profile.Label{Key: "activity id", Text: m.Activity.String()})
	}
	if m.Related != (wire.GUID{}) {
		list = append(list, profile.Label{Key: "related activity id", Text: m.Related.String()})
	}
	if m.Unfinished {
		list = append(list, profile.Label{Key: "unfinished", Text: "true"})
	}
	return list
}
