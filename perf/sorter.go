package perf

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// sorter puts the records of several rings in the order of their times. A record that is older
// than the beginning of the last reading but one of all rings can have no older one after it:
// each reading takes all that was written before it.
type sorter struct {
	list   []held
	memory []byte
	before uint64 // when the last reading but one began
	last   uint64 // when the last one began
}

// held is a record in memory.
type held struct {
	time     uint64
	from, to int
}

// begin begins a reading of all rings.
func (s *sorter) begin(time uint64) { s.before, s.last = s.last, time }

// add adds a copy of a record.
func (s *sorter) add(b []byte) {
	from := len(s.memory)
	s.memory = append(s.memory, b...)
	s.list = append(s.list, held{timeOf(b), from, len(s.memory)})
}

// release passes on the records that are complete, or all.
func (s *sorter) release(all bool, take func([]byte) error) error {
	slices.SortStableFunc(s.list, func(a, b held) int { return compare(a.time, b.time) })
	n := 0
	for n < len(s.list) && (all || s.list[n].time < s.before) {
		if err := take(s.memory[s.list[n].from:s.list[n].to]); err != nil {
			return err
		}
		n++
	}
	var kept []byte
	rest := s.list[:0]
	for _, one := range s.list[n:] {
		from := len(kept)
		kept = append(kept, s.memory[one.from:one.to]...)
		rest = append(rest, held{one.time, from, len(kept)})
	}
	s.list, s.memory = rest, append(s.memory[:0], kept...)
	return nil
}

// recordKind is the kind of a record in the kernel's numbers.
func recordKind(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// parseProcessors reads a list such as "0-3,6"; nil if it is none.
func parseProcessors(text string) []int {
	var list []int
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		from, to, ranged := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		last := first
		if err == nil && ranged {
			last, err = strconv.Atoi(to)
		}
		if err != nil || last < first || last > 1<<16 {
			return nil
		}
		for i := first; i <= last; i++ {
			list = append(list, i)
		}
	}
	return list
}
