package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// meaning is the content of an answer, without ids, block boundaries and order of
// rows, which a writer chooses.
type meaning struct {
	threads  map[string]string // content by index
	metadata map[string]string // content by id
	rows     map[string]bool   // definitions and removals; one that is written twice has no other meaning
	points   map[string]bool   // times of sequence points
	events   map[string]int
	lost     map[string]uint64 // by the content of the thread, or its id
	lines    map[string]line   // a line of each row and event, by its text in rows and events
}

// ownKeys are a writer's own: ids, and how much it promises.
var ownKeys = []string{"type", "metadata", "threadIndex", "captureThreadIndex", "sorted"}

// meaningOf reads an answer in file order.
func meaningOf(a *answer) (*meaning, error) {
	m := &meaning{
		threads: map[string]string{}, metadata: map[string]string{}, rows: map[string]bool{}, points: map[string]bool{},
		events: map[string]int{}, lost: map[string]uint64{}, lines: map[string]line{},
	}
	for _, l := range a.events {
		m.row(l)
	}
	for _, l := range a.lost {
		n, err := sums([]line{l}, "captureThread")
		if err != nil {
			return nil, err
		}
		for thread, count := range n {
			m.lost[thread] += count
		}
	}
	return m, nil
}

// row adds a line.
func (m *meaning) row(l line) {
	switch l.kind() {
	case "metadata":
		text := content(l, "type", "id")
		m.metadata[canonical(l["id"])] = text
		m.add(m.rows, "metadata "+text, l)
	case "thread":
		text := content(l, "type", "index")
		m.threads[canonical(l["index"])] = text
		m.add(m.rows, "thread "+text, l)
	case "removeThread":
		m.add(m.rows, "removal of "+m.threads[canonical(l["index"])]+" at "+canonical(l["sequence"]), l)
	case "sequencePoint":
		m.points[canonical(l["time"])] = true
	case "event":
		parts := []string{
			content(l, ownKeys...), m.metadata[canonical(l["metadata"])],
			m.threads[canonical(l["threadIndex"])], m.threads[canonical(l["captureThreadIndex"])],
		}
		text := strings.Join(parts, " of ")
		m.events[text]++
		m.lines[text] = l
	}
}

// add adds the row of a line.
func (m *meaning) add(rows map[string]bool, text string, l line) {
	rows[text] = true
	m.lines[text] = l
}

// content is the text of a line without some keys.
func content(l line, but ...string) string {
	rest := map[string]any{}
	for key, v := range l {
		if key != own && key != place && !slices.Contains(but, key) && !holdsNothing(v) {
			rest[key] = v
		}
	}
	return canonical(rest)
}

// sameMeaning returns the first difference between the contents of two answers.
func sameMeaning(want, got *answer) error {
	head := compare(want, got)
	if err := head.line(want.trace, got.trace); err != nil {
		return fmt.Errorf("trace line: %w", err)
	}
	w, err := meaningOf(want)
	if err != nil {
		return err
	}
	g, err := meaningOf(got)
	if err != nil {
		return err
	}
	return g.differs(w)
}

// differs describes what is missing or additional. A writer may add sequence
// points.
func (m *meaning) differs(want *meaning) error {
	if err := m.eventsDiffer(want); err != nil {
		return err
	}
	for _, text := range slices.Sorted(maps.Keys(want.rows)) {
		if !m.rows[text] {
			return fmt.Errorf("a row is missing: %s", want.lines[text])
		}
	}
	for _, text := range slices.Sorted(maps.Keys(m.rows)) {
		if !want.rows[text] {
			return fmt.Errorf("an unexpected row: %s", m.lines[text])
		}
	}
	for ticks := range want.points {
		if !m.points[ticks] {
			return fmt.Errorf("the sequence point at %s is missing", ticks)
		}
	}
	for thread, n := range want.lost {
		if m.lost[thread] != n {
			return fmt.Errorf("thread %s lost %d, want %d", thread, m.lost[thread], n)
		}
	}
	for thread, n := range m.lost {
		if want.lost[thread] != n {
			return fmt.Errorf("thread %s lost %d, want %d", thread, n, want.lost[thread])
		}
	}
	return nil
}

// eventsDiffer describes an event that is missing or additional. If there are both,
// with one time, it names the key in which they differ.
func (m *meaning) eventsDiffer(want *meaning) error {
	missing, added := rest(want.events, m.events), rest(m.events, want.events)
	for _, text := range missing {
		w := want.lines[text]
		for _, other := range added {
			g := m.lines[other]
			if canonical(g["time"]) != canonical(w["time"]) {
				continue
			}
			if err := compareContent(w, g); err != nil {
				return fmt.Errorf("the event at time %s: %w", notation(w["time"]), err)
			}
		}
		return fmt.Errorf("an event is missing: %s", w)
	}
	for _, text := range added {
		return fmt.Errorf("an unexpected event: %s", m.lines[text])
	}
	return nil
}

// rest returns the texts that a has more often than b, in order.
func rest(a, b map[string]int) []string {
	var list []string
	for _, text := range slices.Sorted(maps.Keys(a)) {
		if a[text] > b[text] {
			list = append(list, text)
		}
	}
	return list
}

// compareContent returns the first key in which two events differ.
func compareContent(want, got line) error {
	for _, key := range keys["event"] {
		if !slices.Contains(ownKeys, key) && value(key, want[key]) != value(key, got[key]) {
			return mismatch(key, got[key], want[key])
		}
	}
	return nil
}

// String returns the line in the notation of the protocol.
func (l line) String() string {
	o := map[string]any{}
	for key, v := range l {
		if key != own && key != place {
			o[key] = v
		}
	}
	return notation(o)
}
