package runner

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// keys are those that are compared, by the type of the line.
var keys = map[string][]string{
	"trace": {"format", "pointerSize", "syncTime", "syncTicks", "tickFrequency", "properties"},
	"event": {"provider", "id", "version", "name", "level", "opcode", "keywords", "metadataId", "time", "thread", "captureThread",
		"process", "threadIndex", "captureThreadIndex", "threadName", "processor", "sequence", "stack", "activity",
		"relatedActivity", "labels", "payload", "fields", "fieldsError", "metadata", "sorted"},
	"metadata": {"id", "provider", "guid", "eventId", "name", "version", "level", "opcode", "keywords", "message", "description",
		"attributes", "fields"},
	"thread":        {"index", "process", "thread", "name", "attributes"},
	"removeThread":  {"index", "sequence"},
	"sequencePoint": {"time", "flags", "threads"},
	"end":           {"events", "lost", "truncated"},
}

// versionRules are the rules whose breach requires another reader.
var versionRules = []rule.ID{rule.HDR003, rule.HDR006, rule.OBJ004, rule.OBJ005}

// Check compares the result of a reader with the expected one. It returns nil,
// the difference, or ErrUnsupported if exit is adapter.Unsupported.
func Check(c *cases.Case, exit adapter.Exit, text []byte) error {
	switch {
	case exit == adapter.Unsupported && !(c.MustReject() && slices.Contains(versionRules, c.Fault.Rule)):
		return ErrUnsupported
	case exit != adapter.Read && exit != adapter.Rejected && exit != adapter.Unsupported:
		return fmt.Errorf("%v", exit)
	case exit == adapter.Read && c.MustReject():
		return fmt.Errorf("read to its end although it breaks %v", c.Fault.Rule)
	case exit != adapter.Read && c.MustRead():
		return fmt.Errorf("%v", exit)
	}
	got, err := parse(text)
	if err != nil {
		return err
	}
	want, err := parse(c.Lines)
	if err != nil {
		return fmt.Errorf("the case itself: %w", err)
	}
	m := newComparison(want, got)
	if exit != adapter.Read {
		return m.part()
	}
	return m.complete()
}

// comparison compares an answer with the expected one.
type comparison struct {
	want, got *answer
	wantRows  []line // of the expected lines, those that count
	gotRows   []line
}

func newComparison(want, got *answer) *comparison {
	m := &comparison{want: want, got: got}
	want.known()
	rows := !m.got.omits["rows"] && !m.got.byTime
	m.wantRows, m.gotRows = counting(want.events, rows), counting(got.events, rows)
	return m
}

// counting returns the lines to compare: without empty lines, and without rows
// unless they are compared.
func counting(list []line, rows bool) []line {
	return slices.DeleteFunc(slices.Clone(list), func(l line) bool {
		return l.kind() == "flush" || !rows && l.kind() != "event"
	})
}

// own is a key of the events in expected lines. It lists which of their keys come
// from a list of known events, and not from the trace.
const own = "own"

// known marks the keys of events that their metadata does not have: a name, and
// fields.
func (a *answer) known() {
	metadata := map[string]line{}
	for _, l := range a.events {
		switch l.kind() {
		case "metadata":
			metadata[canonical(l["id"])] = l
		case "event":
			row := metadata[canonical(l["metadata"])]
			l[own] = map[string]bool{"name": row["name"] == nil, "fields": row["fields"] == nil, "fieldsError": row["fields"] == nil}
		}
	}
}

// complete demands that all is the same.
func (m *comparison) complete() error {
	if m.got.trace == nil {
		return fmt.Errorf("no trace line")
	}
	if err := m.line(m.want.trace, m.got.trace); err != nil {
		return fmt.Errorf("trace line: %w", err)
	}
	if m.got.byTime {
		if err := m.multiset(true); err != nil {
			return err
		}
	} else if err := m.sequence(true); err != nil {
		return err
	}
	if err := m.losses(); err != nil {
		return err
	}
	if err := m.line(m.want.end, m.got.end); err != nil {
		return fmt.Errorf("end line: %w", err)
	}
	return nil
}

// part checks that every printed event is expected.
func (m *comparison) part() error {
	m.wantRows, m.gotRows = counting(m.want.events, false), counting(m.got.events, false)
	if m.got.byTime {
		return m.multiset(false)
	}
	return m.sequence(false)
}

// sequence compares rows one by one. If not all, those that are got may end too
// early.
func (m *comparison) sequence(all bool) error {
	for i, got := range m.gotRows {
		if i == len(m.wantRows) {
			return fmt.Errorf("%d rows, more than the %d expected", len(m.gotRows), len(m.wantRows))
		}
		if err := m.line(m.wantRows[i], got); err != nil {
			return fmt.Errorf("row %d, %s: %w", i, got.kind(), err)
		}
	}
	if all && len(m.gotRows) < len(m.wantRows) {
		return fmt.Errorf("%d rows of %d", len(m.gotRows), len(m.wantRows))
	}
	return nil
}

// multiset compares rows in any order. If not all, those that are got may be
// fewer.
func (m *comparison) multiset(all bool) error {
	left := slices.Clone(m.wantRows)
	for i, got := range m.gotRows {
		at := slices.IndexFunc(left, func(want line) bool { return m.line(want, got) == nil })
		if at < 0 {
			return fmt.Errorf("event %d is not expected: %w", i, m.nearest(got))
		}
		left = slices.Delete(left, at, at+1)
	}
	if all && len(left) > 0 {
		return fmt.Errorf("%d events of %d", len(m.gotRows), len(m.wantRows))
	}
	return nil
}

// nearest describes how an event differs from the expected one with its time.
func (m *comparison) nearest(l line) error {
	for _, want := range m.wantRows {
		if want["time"] == l["time"] {
			if err := m.line(want, l); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("time %v", l["time"])
}

// omitted reports whether a key is not compared.
func (m *comparison) omitted(key string) bool { return m.got.omits[key] }

// value is a text that two values of a key share when they are the same.
func value(key string, v any) string {
	if holdsNothing(v) {
		return ""
	}
	if key == "fieldsError" {
		return "there"
	}
	return canonical(v)
}

// line compares two lines key by key.
func (m *comparison) line(want, got line) error {
	if want.kind() != got.kind() {
		return fmt.Errorf("%q, want %q", got.kind(), want.kind())
	}
	for _, key := range keys[want.kind()] {
		if known, _ := want[own].(map[string]bool); known[key] {
			continue
		}
		if !m.omitted(key) && value(key, want[key]) != value(key, got[key]) {
			return fmt.Errorf("%s is %s, want %s", key, shown(got[key]), shown(want[key]))
		}
	}
	return nil
}

// shown is a value for a message.
func shown(v any) string {
	const most = 100
	if holdsNothing(v) {
		return "not there"
	}
	text := fmt.Sprint(v)
	if s, ok := v.(string); ok {
		text = strconv.Quote(s)
	}
	if len(text) > most {
		text = text[:most] + "..."
	}
	return text
}

// losses compares the lost events of each capture thread.
func (m *comparison) losses() error {
	if m.got.omits["lost"] {
		return nil
	}
	key := "captureThread"
	if m.want.trace["format"] != "4" && !m.got.omits["captureThreadIndex"] {
		key = "captureThreadIndex"
	}
	want, err := sums(m.want.lost, key)
	if err != nil {
		return err
	}
	got, err := sums(m.got.lost, key)
	if err != nil {
		return err
	}
	for thread, n := range want {
		if got[thread] != n {
			return fmt.Errorf("thread %s lost %d, want %d", thread, got[thread], n)
		}
	}
	for thread, n := range got {
		if want[thread] != n {
			return fmt.Errorf("thread %s lost %d, want %d", thread, n, want[thread])
		}
	}
	return nil
}

// sums adds up the losses of each thread.
func sums(list []line, key string) (map[string]uint64, error) {
	total := map[string]uint64{}
	for _, l := range list {
		n, err := strconv.ParseUint(fmt.Sprint(l["count"]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("lost line: count %v", l["count"])
		}
		total[fmt.Sprint(l[key])] += n
	}
	return total, nil
}
