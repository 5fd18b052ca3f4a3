package runner

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

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

// Check compares the result of a reader with the expected one. It returns nil,
// the difference, or ErrUnsupported if exit is adapter.Unsupported.
func Check(c *cases.Case, exit adapter.Exit, text []byte) error {
	switch {
	case exit == adapter.Unsupported && c.Unsupported:
		return nil
	case exit == adapter.Unsupported:
		return ErrUnsupported
	case exit != adapter.Read && exit != adapter.Rejected:
		return fmt.Errorf("%v", exit)
	}
	got, err := parse(text)
	if err != nil {
		return err
	}
	got.reports = exit == adapter.Rejected || got.defects > 0
	if c.Grade() == cases.Either {
		return checkEither(c, got)
	}
	return checkAnswer(c, exit, got)
}

// checkAnswer compares the answer for a case that has one right result.
func checkAnswer(c *cases.Case, exit adapter.Exit, got *answer) error {
	m, err := newComparison(c, c.Lines, got)
	if err != nil {
		return err
	}
	m.leaveOut(c.Uncompared)
	m.lossesOf = c.LossesOf
	switch {
	case c.Grade() == cases.Valid && exit == adapter.Rejected:
		return errors.New("rejected")
	case c.Grade() == cases.Valid && got.reports:
		return errors.New("a defect line for a trace without a fault")
	case c.Kind == cases.Silent && exit == adapter.Rejected:
		return nil
	case c.Kind == cases.Silent && got.reports:
		return m.part(0)
	case c.Kind == cases.Silent, c.Grade() == cases.Valid:
		return m.complete()
	case !got.reports:
		return fmt.Errorf("read to its end without a defect line, although it breaks %v", c.Fault.Rule)
	case c.Truncated && got.end["truncated"] != true:
		return errors.New("end line: truncated is false, want true")
	}
	m.missing(c.Missing)
	return m.part(c.Before)
}

// checkEither compares the answer with each accepted one. It returns the difference
// from the first answer of the same sort.
func checkEither(c *cases.Case, got *answer) error {
	first := errors.New("this answer is not accepted: read")
	if got.reports {
		first = errors.New("this answer is not accepted: reported")
	}
	found := false
	for i := range c.Accept {
		a := &c.Accept[i]
		if a.Reports != got.reports {
			continue
		}
		m, err := newComparison(c, a.Lines, got)
		if err != nil {
			return err
		}
		m.leaveOut(a.Uncompared)
		compare := m.complete
		if a.Reports {
			compare = func() error { return m.part(0) }
		}
		if err = compare(); err == nil {
			return nil
		}
		if !found {
			first, found = err, true
		}
	}
	return first
}

// comparison compares an answer with the expected one.
type comparison struct {
	want, got  *answer
	wantRows   []line // of the expected lines, those that count
	gotRows    []line
	uncompared map[string]bool // keys
	lossesOf   string          // thread whose losses are not compared
}

// newComparison compares an answer with lines that are expected for a case.
func newComparison(c *cases.Case, lines []byte, got *answer) (*comparison, error) {
	want, err := parse(lines)
	if err != nil {
		return nil, fmt.Errorf("the case itself: %w", err)
	}
	m := compare(want, got)
	events := m.counting(want.events, false)
	for _, i := range c.Uncompressed {
		events[i].free("sorted")
	}
	return m, nil
}

func compare(want, got *answer) *comparison {
	m := &comparison{want: want, got: got, uncompared: map[string]bool{}}
	want.known()
	return m
}

// leaveOut marks the keys that are not compared of all lines.
func (m *comparison) leaveOut(keys []string) {
	for _, key := range keys {
		m.uncompared[key] = true
	}
}

// missing marks the keys that are not compared of the trace line and of events.
func (m *comparison) missing(list []cases.Missing) {
	events := m.counting(m.want.events, false)
	for _, missing := range list {
		l := m.want.trace
		if missing.Line == "event" {
			l = events[missing.Number]
		}
		l.free(missing.Keys...)
	}
}

// free marks keys of an expected line that are not compared.
func (l line) free(keys ...string) {
	free, _ := l[own].(map[string]bool)
	if free == nil {
		free = map[string]bool{}
		l[own] = free
	}
	for _, key := range keys {
		free[key] = true
	}
}

// counting returns the lines to compare: without empty lines, and without rows
// unless they are compared.
func (m *comparison) counting(list []line, rows bool) []line {
	return slices.DeleteFunc(slices.Clone(list), func(l line) bool {
		kind := l.kind()
		return kind == "flush" || !rows && kind != "event" || kind == removal && m.uncompared[removal]
	})
}

// removal is the type of a line, and the word for all these lines in uncompared.
const removal = "removeThread"

// own is a key of expected lines. It lists which of their keys are not compared: of an
// event those that come from a list of known events, and not from the trace.
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
	rows := !m.got.omits["rows"] && !m.got.byTime
	m.wantRows, m.gotRows = m.counting(m.want.events, rows), m.counting(m.got.events, rows)
	if err := m.rows(); err != nil {
		return err
	}
	if err := m.losses(); err != nil {
		return err
	}
	if m.lossesOf != "" {
		m.uncompared["lost"] = true // the sum on the end line has the losses of that thread
	}
	if err := m.line(m.want.end, m.got.end); err != nil {
		return fmt.Errorf("end line: %w", err)
	}
	return nil
}

// rows compares the events, and the other rows if the reader prints them.
func (m *comparison) rows() error {
	if !m.got.byTime {
		return m.sequence()
	}
	if _, err := m.multiset(); err != nil {
		return err
	}
	if len(m.gotRows) < len(m.wantRows) {
		return fmt.Errorf("%d events of %d", len(m.gotRows), len(m.wantRows))
	}
	return nil
}

// part checks that every printed event is expected, in the expected order, and that
// the first events are printed. Losses and rows that are not events do not count.
func (m *comparison) part(before int) error {
	if m.got.trace != nil && m.want.trace != nil {
		if err := m.line(m.want.trace, m.got.trace); err != nil {
			return fmt.Errorf("trace line: %w", err)
		}
	}
	m.wantRows, m.gotRows = m.counting(m.want.events, false), m.counting(m.got.events, false)
	printed := m.partInOrder
	if m.got.byTime {
		printed = m.multiset
	}
	found, err := printed()
	if err != nil {
		return err
	}
	for i := range before {
		if !found[i] {
			return fmt.Errorf("event %d, which is before the fault, is not printed", i)
		}
	}
	return nil
}

// partInOrder finds each printed event among the expected ones, in their order. It
// returns which of those were printed.
func (m *comparison) partInOrder() ([]bool, error) {
	found := make([]bool, len(m.wantRows))
	next := 0
	for _, got := range m.gotRows {
		at := slices.IndexFunc(m.wantRows[next:], func(want line) bool { return m.line(want, got) == nil })
		if at < 0 {
			return nil, fmt.Errorf("line %d is not expected: %w", got[place], m.nearest(got))
		}
		next += at + 1
		found[next-1] = true
	}
	return found, nil
}

// sequence compares rows one by one.
func (m *comparison) sequence() error {
	for i, got := range m.gotRows {
		if i == len(m.wantRows) {
			return fmt.Errorf("%d rows, more than the %d expected", len(m.gotRows), len(m.wantRows))
		}
		if err := m.line(m.wantRows[i], got); err != nil {
			return fmt.Errorf("line %d, %s: %w", got[place], got.kind(), err)
		}
	}
	if len(m.gotRows) < len(m.wantRows) {
		return fmt.Errorf("%d rows of %d", len(m.gotRows), len(m.wantRows))
	}
	return nil
}

// multiset finds each printed event among the expected ones, in any order. It returns
// which of those were printed.
func (m *comparison) multiset() ([]bool, error) {
	found := make([]bool, len(m.wantRows))
	for _, got := range m.gotRows {
		at := -1
		for j := range m.wantRows {
			if !found[j] && m.line(m.wantRows[j], got) == nil {
				at = j
				break
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("line %d is not expected: %w", got[place], m.nearest(got))
		}
		found[at] = true
	}
	return found, nil
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
	return fmt.Errorf("no event has the time %s", notation(l["time"]))
}

// omitted reports whether a key is not compared.
func (m *comparison) omitted(key string) bool { return m.got.omits[key] || m.uncompared[key] }

// value is a text that two values of a key share when they are the same.
func value(key string, v any) string {
	if holdsNothing(v) || key == "sorted" && v == false {
		return ""
	}
	switch key {
	case "fieldsError":
		return "there"
	case "fields":
		if list, ok := v.([]any); ok { // of a metadata line
			v = withoutNoFields(list)
		}
	}
	return canonical(v)
}

// withoutNoFields leaves out the key "fields" of types without fields, in the list
// that metadata lines have.
func withoutNoFields(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = withoutNoFields(v[i])
		}
		return list
	case map[string]any:
		if _, isType := v["type"].(string); !isType {
			return v
		}
		rest := map[string]any{}
		for key, inner := range v {
			if key != "fields" || !holdsNothing(inner) {
				rest[key] = withoutNoFields(inner)
			}
		}
		return rest
	}
	return v
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
			return mismatch(key, got[key], want[key])
		}
	}
	return nil
}

// losses compares the lost events of each capture thread.
func (m *comparison) losses() error {
	if m.omitted("lost") {
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
	delete(want, m.lossesOf)
	delete(got, m.lossesOf)
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
