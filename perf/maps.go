package perf

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
)

// IsMemory reports whether the mapping is memory in which a runtime makes code: .NET maps
// such memory twice by a file that has no name.
func (m *Mapping) IsMemory() bool {
	return strings.HasPrefix(m.Path, "/memfd:") || strings.HasPrefix(m.Path, "/dev/zero") || strings.HasPrefix(m.Path, "/dev/shm/doublemapper")
}

// ReadMaps reads /proc/PID/maps and returns the mappings with code.
func ReadMaps(r io.Reader) ([]Mapping, error) {
	var list []Mapping
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Fields(lines.Text()) // range, permissions, offset, device, inode, path
		if len(fields) < 5 || !strings.Contains(fields[1], "x") {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, e1 := strconv.ParseUint(from, 16, 64)
		end, e2 := strconv.ParseUint(to, 16, 64)
		offset, e3 := strconv.ParseUint(fields[2], 16, 64)
		if e1 != nil || e2 != nil || e3 != nil || end < start {
			continue
		}
		m := Mapping{Start: start, End: end, Offset: offset}
		if len(fields) > 5 {
			at := strings.Index(lines.Text(), fields[5]) // a path can have spaces
			m.Path = lines.Text()[at:]
		}
		list = append(list, m)
	}
	return list, lines.Err()
}

// placed is a mapping from a time on.
type placed struct {
	Mapping
	from uint64 // time
}

// Maps are the mappings of a process over time. The zero value is empty.
type Maps struct {
	list   []*placed
	sorted []*placed // by start; nil: not made
	reach  []uint64  // the largest end of the mappings up to there
}

// add adds a mapping, unless it is there already.
func (m *Maps) add(one Mapping, time uint64) *placed {
	if have := m.find(one.Start, time); have != nil && have.Mapping == one {
		return have
	}
	p := &placed{Mapping: one, from: time}
	m.list = append(m.list, p)
	m.sorted = nil
	return p
}

// find returns the newest mapping with an address that is not younger than a time, or else
// the first later one; nil if there is none.
func (m *Maps) find(address, time uint64) *placed {
	if m.sorted == nil {
		m.sorted = slices.Clone(m.list)
		slices.SortStableFunc(m.sorted, func(a, b *placed) int { return compare(a.Start, b.Start) })
		m.reach = m.reach[:0]
		largest := uint64(0)
		for _, p := range m.sorted {
			largest = max(largest, p.End)
			m.reach = append(m.reach, largest)
		}
	}
	var best *placed
	at, _ := slices.BinarySearchFunc(m.sorted, address+1, func(p *placed, a uint64) int { return compare(p.Start, a) })
	for at--; at >= 0 && m.reach[at] > address; at-- {
		p := m.sorted[at]
		if !p.Contains(address) {
			continue
		}
		switch {
		case best == nil:
			best = p
		case p.from <= time && (best.from > time || p.from > best.from):
			best = p
		case p.from > time && best.from > time && p.from < best.from:
			best = p
		}
	}
	return best
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Add adds a mapping that is there from a time on, in nanoseconds.
func (m *Maps) Add(one Mapping, time uint64) { m.add(one, time) }

// Find returns the mapping that contains an address at a time: the newest one of that time, or
// else the first later one.
func (m *Maps) Find(address, time uint64) (*Mapping, bool) {
	if found := m.find(address, time); found != nil {
		return &found.Mapping, true
	}
	return nil, false
}
