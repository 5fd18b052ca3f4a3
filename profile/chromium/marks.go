package chromium

import (
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
			e.args(m.AllLabels(), nil)
			continue
		}
		e.nextID++
		e.async("b", category, title, from)
		e.args(m.AllLabels(), nil)
		e.async("e", category, title, until)
		e.b = append(e.b, '}')
	}
}
