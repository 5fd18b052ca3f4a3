package runner

import (
	"fmt"
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
}

// ownKeys are a writer's own: ids, and how much it promises.
var ownKeys = []string{"type", "metadata", "threadIndex", "captureThreadIndex", "sorted", own}

// meaningOf reads an answer in file order.
func meaningOf(a *answer) (*meaning, error) {
	m := &meaning{
		threads: map[string]string{}, metadata: map[string]string{}, rows: map[string]bool{}, points: map[string]bool{},
		events: map[string]int{}, lost: map[string]uint64{},
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
		m.rows["metadata "+text] = true
	case "thread":
		text := content(l, "type", "index")
		m.threads[canonical(l["index"])] = text
		m.rows["thread "+text] = true
	case "removeThread":
		m.rows["removal of "+m.threads[canonical(l["index"])]+" at "+canonical(l["sequence"])] = true
	case "sequencePoint":
		m.points[canonical(l["time"])] = true
	case "event":
		parts := []string{
			content(l, ownKeys...), m.metadata[canonical(l["metadata"])],
			m.threads[canonical(l["threadIndex"])], m.threads[canonical(l["captureThreadIndex"])],
		}
		m.events[strings.Join(parts, " of ")]++
	}
}

// content is the text of a line without some keys.
func content(l line, but ...string) string {
	rest := map[string]any{}
	for key, v := range l {
		if !slices.Contains(but, key) && !holdsNothing(v) {
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
	for text, n := range want.events {
		if m.events[text] < n {
			return fmt.Errorf("an event is missing: %s", shown(text))
		}
	}
	for text, n := range m.events {
		if n > want.events[text] {
			return fmt.Errorf("an unexpected event: %s", shown(text))
		}
	}
	for text := range want.rows {
		if !m.rows[text] {
			return fmt.Errorf("a row is missing: %s", shown(text))
		}
	}
	for text := range m.rows {
		if !want.rows[text] {
			return fmt.Errorf("an unexpected row: %s", shown(text))
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
