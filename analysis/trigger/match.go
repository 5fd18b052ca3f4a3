package trigger

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Match selects events by provider, by name or number, and by the values of
// their fields. It keeps the result for the last type of event: use it with the
// events of one stream.
type Match struct {
	provider   string
	event      string // a name, "" for any
	id         uint32
	byID       bool
	conditions []condition

	// the result for the last metadata row
	metadata *codec.Metadata
	suits    bool
	scratch  []byte
}

// ParseMatch parses PROVIDER/EVENT[:field=value,field=value]. EVENT is a name,
// or the number of the event; a value is the exact text of the field.
func ParseMatch(text string) (*Match, error) {
	provider, event, ok := strings.Cut(text, "/")
	if !ok || provider == "" || event == "" {
		return nil, fmt.Errorf("%q is not PROVIDER/EVENT[:field=value]", text)
	}
	event, fields, _ := strings.Cut(event, ":")
	m := newMatch(provider, event)
	return m, m.AddFields(fields, "=")
}

// NewMatch selects the events of a provider with a name, "" for all.
func NewMatch(provider, event string) *Match {
	return &Match{provider: provider, event: event}
}

// newMatch is NewMatch for a name or a number.
func newMatch(provider, event string) *Match {
	m := NewMatch(provider, event)
	if id, err := strconv.ParseUint(event, 10, 32); err == nil {
		m.event, m.id, m.byID = "", uint32(id), true
	}
	return m
}

// AddFields adds a list of fields and their exact values: field=value,... where
// the separator of a field and its value is between.
func (m *Match) AddFields(list, between string) error {
	if list == "" {
		return nil
	}
	for part := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(part, between)
		if !ok || name == "" {
			return fmt.Errorf("%q is not field%svalue", part, between)
		}
		m.conditions = append(m.conditions, condition{field: name, op: opEqual, value: exactly(value)})
	}
	return nil
}

// String returns the match in the form that ParseMatch parses.
func (m *Match) String() string {
	text := m.provider + "/" + m.name()
	for i := range m.conditions {
		text += [...]string{":", ","}[min(i, 1)] + m.conditions[i].String()
	}
	return text
}

// name returns the name or the number of the event.
func (m *Match) name() string {
	if m.byID {
		return strconv.FormatUint(uint64(m.id), 10)
	}
	return m.event
}

// Matches reports whether an event matches.
func (m *Match) Matches(e *codec.Event) bool {
	row := e.Metadata()
	if row == nil {
		return false
	}
	if row != m.metadata {
		m.metadata, m.suits = row, m.matchesRow(row, e.Version())
	}
	return m.suits && m.holds(e)
}

// matchesRow compares the properties that all events of a metadata row share.
func (m *Match) matchesRow(row *codec.Metadata, version uint32) bool {
	if !strings.EqualFold(row.Provider, m.provider) {
		return false
	}
	if m.byID {
		return row.EventID == m.id
	}
	if m.event == "" || row.Name == m.event || taskOpcode(row.Name, row.Opcode) == m.event {
		return true
	}
	known, ok := clr.Describe(row, version)
	return ok && (hasName(known, m.event))
}

// holds reports whether the fields have the values of the match.
func (m *Match) holds(e *codec.Event) bool {
	for i := range m.conditions {
		v := fieldNamed(e, m.conditions[i].field)
		if !v.Valid() {
			return false
		}
		m.scratch = appendValue(m.scratch[:0], v)
		if !m.conditions[i].holds(m.scratch) {
			return false
		}
	}
	return true
}

// fieldNamed finds a field, also in the only object without a name that
// self-describing events have.
func fieldNamed(e *codec.Event, name string) codec.Value {
	if v, ok := e.Field(name); ok {
		return v
	}
	object, _ := e.Field("")
	for outer, v := range object.Fields() {
		if outer == name {
			return v
		}
	}
	return codec.Value{}
}
