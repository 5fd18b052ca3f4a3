package compare

import (
	"fmt"
	"math/bits"
	"strings"
)

// Difference is an event that the other reader does not have, a line of its
// answer that our events do not have, or a pair of both that is not quite the
// same.
type Difference struct {
	Ours, Theirs *Row    // nil: not there
	Columns      Columns // of a pair: where they differ
}

// String returns the difference with both lines.
func (d Difference) String() string {
	var b strings.Builder
	switch {
	case d.Theirs == nil:
		fmt.Fprintf(&b, "event at offset %d is not in the answer", d.Ours.Place)
	case d.Ours == nil:
		fmt.Fprintf(&b, "line %d of the answer is not among our events", d.Theirs.Place)
	default:
		fmt.Fprintf(&b, "event at offset %d and line %d of the answer differ in %v", d.Ours.Place, d.Theirs.Place, d.Columns)
	}
	if d.Ours != nil {
		fmt.Fprintf(&b, "\n  ours   %v", d.Ours)
	}
	if d.Theirs != nil {
		fmt.Fprintf(&b, "\n  theirs %v", d.Theirs)
	}
	return b.String()
}

// Compare holds our events against the lines of an answer. Each event must
// have a line of its own and each line an event; when partial, the answer may
// be a part of our events. Differences come in the order of our events, then
// of the lines that are left.
func Compare(ours, theirs []Row, partial bool) []Difference {
	lines := map[key][]int{}
	for i := range theirs {
		k := theirs[i].key()
		lines[k] = append(lines[k], i)
	}
	events := map[key][]int{}
	for i := range ours {
		k := ours[i].key()
		events[k] = append(events[k], i)
	}
	m := matching{ours: ours, theirs: theirs, event: make([]int, len(theirs)), line: make([]int, len(ours))}
	m.clear()
	for k, group := range events {
		for _, event := range group {
			m.tried = m.tried[:0]
			m.match(event, lines[k])
		}
	}
	return m.differences(partial)
}

// key has the columns that are never left out and distinguish most events.
type key struct {
	ticks uint64
	id    uint16
	sum   uint32
}

func (ours *Row) key() key { return key{ours.Ticks, ours.ID, ours.PayloadSum} }

// matching assigns each event a line of its own; -1 means none.
type matching struct {
	ours, theirs []Row
	event        []int // of each line
	line         []int // of each event
	tried        []int // lines, in the search for one event
}

func (m *matching) clear() {
	for i := range m.event {
		m.event[i] = -1
	}
	for i := range m.line {
		m.line[i] = -1
	}
}

// match finds a line for an event among candidates. It takes the line of another
// event if that event can have another one: a column that is left out for one
// event may be compared for the next.
func (m *matching) match(event int, candidates []int) bool {
	for _, line := range candidates {
		if m.event[line] < 0 && m.ours[event].differing(&m.theirs[line]) == 0 {
			m.event[line], m.line[event] = event, line
			return true
		}
	}
	for _, line := range candidates {
		if m.wasTried(line) || m.ours[event].differing(&m.theirs[line]) != 0 {
			continue
		}
		m.tried = append(m.tried, line)
		if m.match(m.event[line], candidates) {
			m.event[line], m.line[event] = event, line
			return true
		}
	}
	return false
}

func (m *matching) wasTried(line int) bool {
	for _, t := range m.tried {
		if t == line {
			return true
		}
	}
	return false
}

// differences lists the events and lines without a partner. An event and a line
// that differ in a few columns are shown as a pair.
func (m *matching) differences(partial bool) []Difference {
	var left []int
	for line, event := range m.event {
		if event < 0 {
			left = append(left, line)
		}
	}
	var list []Difference
	for event, line := range m.line {
		if line >= 0 {
			continue
		}
		d := Difference{Ours: &m.ours[event]}
		if at := m.closest(event, left); at >= 0 {
			d.Theirs = &m.theirs[left[at]]
			d.Columns = d.Ours.differing(d.Theirs)
			left = append(left[:at], left[at+1:]...)
		}
		if d.Theirs != nil || !partial {
			list = append(list, d)
		}
	}
	for _, line := range left {
		list = append(list, Difference{Theirs: &m.theirs[line]})
	}
	return list
}

// closest is the position in left of the line that has the fewest differences
// from an event, if those are few.
func (m *matching) closest(event int, left []int) int {
	const few, far = 4, 1000
	best, minCompared := -1, few+1
	for at, line := range left[:min(len(left), far)] {
		if n := bits.OnesCount16(uint16(m.ours[event].differing(&m.theirs[line]))); n < minCompared {
			best, minCompared = at, n
		}
	}
	return best
}
