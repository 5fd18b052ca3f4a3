package collect

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// stoppingEvent has the flags of dotnet-trace for the event that ends the
// recording.
type stoppingEvent struct{ provider, event, payload string }

// eventMatch matches the event that ends a recording.
type eventMatch struct {
	provider string
	event    string // a name, "" for any
	id       uint32
	byID     bool
	fields   [][2]string // name and value

	// the result for the last metadata row
	metadata *codec.Metadata
	suits    bool
}

// parseStop parses PROVIDER/EVENT[:field=value,field=value], or the flags of
// dotnet-trace.
func parseStop(text string, s stoppingEvent) (*eventMatch, error) {
	if text == "" {
		return s.parse()
	}
	if s != (stoppingEvent{}) {
		return nil, errors.New("--stop-on and --stopping-event-... exclude each other")
	}
	m := &eventMatch{}
	var event string
	var ok bool
	if m.provider, event, ok = strings.Cut(text, "/"); !ok || m.provider == "" || event == "" {
		return nil, fmt.Errorf("--stop-on: %q is not PROVIDER/EVENT[:field=value]", text)
	}
	event, fields, _ := strings.Cut(event, ":")
	var err error
	if m.fields, err = parseFields("stop-on", fields, "="); err != nil {
		return nil, err
	}
	if id, err := strconv.ParseUint(event, 10, 32); err == nil {
		m.id, m.byID = uint32(id), true
	} else {
		m.event = event
	}
	return m, nil
}

func (s stoppingEvent) parse() (*eventMatch, error) {
	switch {
	case s == stoppingEvent{}:
		return nil, nil
	case s.provider == "":
		return nil, errors.New("--stopping-event-provider-name is missing")
	case s.event == "" && s.payload != "":
		return nil, errors.New("--stopping-event-event-name is missing")
	}
	fields, err := parseFields("stopping-event-payload-filter", s.payload, ":")
	return &eventMatch{provider: s.provider, event: s.event, fields: fields}, err
}

func parseFields(flag, text, between string) ([][2]string, error) {
	if text == "" {
		return nil, nil
	}
	var list [][2]string
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, between)
		if !ok || name == "" {
			return nil, fmt.Errorf("--%s: %q is not field%svalue", flag, part, between)
		}
		list = append(list, [2]string{name, value})
	}
	return list, nil
}

// match reports whether an event matches.
func (m *eventMatch) match(e *codec.Event) bool {
	row := e.Metadata()
	if row == nil {
		return false
	}
	if row != m.metadata {
		m.metadata, m.suits = row, m.matchRow(row, e)
	}
	return m.suits && m.holds(e)
}

// matchRow compares the properties that all events of a metadata row share.
func (m *eventMatch) matchRow(row *codec.Metadata, e *codec.Event) bool {
	if !strings.EqualFold(row.Provider, m.provider) {
		return false
	}
	if m.byID {
		return row.EventID == m.id
	}
	if m.event == "" || row.Name == m.event || taskOpcode(row.Name, row.Opcode) == m.event {
		return true
	}
	known, ok := clr.Describe(row, e.Version())
	return ok && (known.Name == m.event || slices.Contains(traceEventNames(known), m.event))
}

// shortTasks are the names of TraceEvent for tasks of the runtime.
var shortTasks = map[string]string{
	"GarbageCollection": "GC", "CLRMethod": "Method", "CLRLoader": "Loader", "CLRRuntimeInformation": "Runtime",
}

// traceEventNames returns the names that TraceEvent, and so dotnet-trace, can
// have for an event of the runtime: Task/Opcode. The opcode does not repeat the
// task's name, has Start and Stop for Begin and End, and is sometimes
// shortened.
func traceEventNames(known *clr.Event) []string {
	task := known.Task
	if short, ok := shortTasks[task]; ok {
		task = short
	}
	if known.OpcodeName == "" && known.Name == known.Task {
		return []string{task}
	}
	var names []string
	for _, opcode := range []string{known.OpcodeName, known.Name} {
		for _, prefix := range []string{"", "Method", "Jit", task} {
			opcode = strings.TrimPrefix(opcode, prefix)
			names = append(names, task+"/"+startStop(opcode))
		}
	}
	return names
}

// startStop replaces Begin and End by Start and Stop.
func startStop(opcode string) string {
	for suffix, instead := range map[string]string{"Begin": "Start", "End": "Stop"} {
		if before, ok := strings.CutSuffix(opcode, suffix); ok {
			return before + instead
		}
	}
	return opcode
}

// taskOpcode returns the name of TraceEvent for an event of an EventSource:
// "RequestStart" with the opcode Start is "Request/Start".
func taskOpcode(name string, opcode uint8) string {
	suffix := map[uint8]string{1: "Start", 2: "Stop"}[opcode]
	task, ok := strings.CutSuffix(name, suffix)
	if suffix == "" || !ok {
		return ""
	}
	return task + "/" + suffix
}

// holds reports whether the fields have the values of the match.
func (m *eventMatch) holds(e *codec.Event) bool {
	for _, want := range m.fields {
		v := fieldNamed(e, want[0])
		if !v.Valid() || valueText(v) != want[1] {
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

// valueText returns a value as text: a string unchanged, another value in the
// form of ndjson.
func valueText(v codec.Value) string {
	if v.IsText() {
		return v.Text()
	}
	return strings.Trim(string(ndjson.AppendValue(nil, v)), `"`)
}
