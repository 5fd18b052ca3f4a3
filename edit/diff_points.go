package edit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// diffPoint is a compared sequence point.
type diffPoint struct {
	events  int64 // of the stream before it
	ticks   uint64
	flags   uint32
	threads []codec.ThreadSequence // by number in the operating system, 0 without one: other streams may have other indexes
}

// collectPoints collects the sequence points of the streams.
func (d *differ) collectPoints() {
	for i := range d.side {
		if d.skipped["sequencePoints"] {
			d.side[i].r.OnSequencePoint(func(*codec.SequencePoint) {
				d.notCompared.add("sequence points (v3 cannot express them)", 1)
			})
		}
		if !d.whole["sequencePoints"] {
			continue
		}
		d.side[i].r.OnSequencePoint(func(p *codec.SequencePoint) { d.takePoint(i, p) })
	}
}

// takePoint keeps a point until the other stream has one to compare it with.
func (d *differ) takePoint(i int, p *codec.SequencePoint) {
	if d.pointed {
		return
	}
	s := &d.side[i]
	point := diffPoint{events: s.r.Count(), ticks: p.Timestamp, threads: s.named(p.Threads, d.mixed())}
	if !d.mixed() {
		point.flags = p.Flags
	}
	slices.SortFunc(point.threads, func(a, b codec.ThreadSequence) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Sequence, b.Sequence))
	})
	if d.mixed() && p.Flags != 0 {
		d.notCompared.add("flags of sequence points", 1)
	}
	s.points = append(s.points, point)
	s.waiting += 1 + len(point.threads)
	if d.matchPoints(); s.waiting > maxWaiting { // the other stream has none by now
		d.finishPoints()
	}
}

// maxWaiting bounds the points of one stream, with their threads, that wait for
// those of the other one.
const maxWaiting = 1 << 20

// mixed reports whether one stream has a table of threads and the other has not.
func (d *differ) mixed() bool {
	return d.side[0].format.HasThreadTable() != d.side[1].format.HasThreadTable()
}

// named returns threads with their numbers in the operating system. Where the other
// stream has no table of threads, it leaves out those without a number.
func (s *diffSide) named(list []codec.ThreadSequence, mixed bool) []codec.ThreadSequence {
	var named []codec.ThreadSequence
	for _, entry := range list {
		if entry.Sequence == 0 { // no event is before it
			continue
		}
		if s.format.HasThreadTable() {
			row := s.r.Thread(entry.Thread)
			known := row != nil && row.HasThreadID
			if !known && mixed {
				continue
			}
			if entry.Thread = 0; known {
				entry.Thread = row.ThreadID
			}
		}
		named = append(named, entry)
	}
	return named
}

// matchPoints compares the points that both streams have, and drops them.
func (d *differ) matchPoints() {
	x, y := &d.side[0].points, &d.side[1].points
	for !d.pointed && len(*x) > 0 && len(*y) > 0 {
		a, b := &(*x)[0], &(*y)[0]
		if what := d.comparePoints(a, b); what != "" {
			d.pointed = true
			d.traceDiffers("sequencePoints", fmt.Sprintf("number %d, %s", d.points, a), fmt.Sprintf("%s (%s)", b, what))
		}
		d.points++
		d.side[0].waiting -= 1 + len(a.threads)
		d.side[1].waiting -= 1 + len(b.threads)
		*x, *y = (*x)[1:], (*y)[1:]
	}
}

// finishPoints ends the comparison: a point that has no equal is a difference, unless it is
// the last one of v4 or v5, which has the losses of threads that v6 removes without a point.
func (d *differ) finishPoints() {
	for i := range d.side {
		s := &d.side[i]
		if list := s.points; len(list) == 1 && d.mixed() && !s.format.HasThreadTable() &&
			s.waiting <= maxWaiting && list[0].events == s.r.Count() {
			d.notCompared.add("a last sequence point, which has the losses of removed threads", 1)
			continue
		}
		if list := s.points; !d.pointed && len(list) > 0 {
			d.pointed = true
			text := [2]string{"none", "none"}
			text[i] = list[0].String()
			d.traceDiffers("sequencePoints", fmt.Sprintf("number %d, %s", d.points, text[0]), text[1])
		}
	}
}

// comparePoints returns the differences of two points.
func (d *differ) comparePoints(a, b *diffPoint) string {
	switch {
	case a.ticks != b.ticks:
		return "time"
	case a.flags != b.flags:
		return "flags"
	case !d.mixed() && !slices.Equal(a.threads, b.threads), d.mixed() && !d.agree(a.threads, b.threads):
		return "numbers of threads"
	}
	return ""
}

// agree compares the numbers of threads that both lists have. A point of v6 may
// leave threads out, one of v4 lists those that continue.
func (d *differ) agree(a, b []codec.ThreadSequence) bool {
	numbers := map[uint64][]uint32{}
	for _, entry := range a {
		numbers[entry.Thread] = append(numbers[entry.Thread], entry.Sequence)
	}
	both := 0
	for _, entry := range b {
		if list := numbers[entry.Thread]; list != nil {
			if both++; !slices.Contains(list, entry.Sequence) {
				return false
			}
		}
	}
	d.notCompared.add("threads that one of two sequence points leaves out", len(a)+len(b)-2*both)
	return true
}

// String is the text for a report.
func (p *diffPoint) String() string {
	text := fmt.Sprintf("at %d after %d events", p.ticks, p.events)
	if p.flags != 0 {
		text += fmt.Sprintf(", flags %#x", p.flags)
	}
	const most = 4
	for i, entry := range p.threads {
		if i == most {
			return text + fmt.Sprintf(" and %d more", len(p.threads)-most)
		}
		text += fmt.Sprintf(", thread %d=%d", entry.Thread, entry.Sequence)
	}
	return text
}
