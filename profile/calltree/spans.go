package calltree

import (
	"math"

	"github.com/nettrace-go/nettrace/profile"
)

// Spans converts the samples of one thread into nested frames that open and
// close: frames at the root that two consecutive samples share stay open. If a
// sample begins before another one ends, such as a wait within a wait, the
// later one comes first, then the rest of the earlier one.
type Spans struct {
	// Names numbers the names of the frames.
	Names *Names
	// Open is called with the names of frames that open, root first. at is in
	// nanoseconds since the profile's start, and never decreases.
	Open func(at int64, names []uint32)
	// Close is called with the names of frames that close, root first: the last
	// one closes first. at is like that of Open.
	Close func(at int64, names []uint32)

	open, path []uint32
	at         int64 // where the open frames end unless they go on
	last       profile.StackID
	begun      []spanned // that are not drawn to their ends, the earliest first
}

// spanned is the part of a sample that is not drawn yet.
type spanned struct {
	stack    profile.StackID
	from, to int64
	drawn    bool
}

// Thread calls Open and Close for the samples of a timed type on one thread. It
// returns the beginning of the first and the end of the last sample, both 0 if
// there are none.
func (s *Spans) Thread(p *profile.Profile, t profile.Type, thread int) (from, to int64) {
	any := false
	s.open, s.path, s.at, s.begun = s.open[:0], s.path[:0], 0, s.begun[:0]
	for next := range p.ThreadSamples(t, thread) {
		at := p.Nanos(next.Ticks)
		if !any {
			from, s.at, any = at, at, true
		}
		s.until(at)
		s.begun = append(s.begun, spanned{stack: next.Stack, from: at, to: at + next.Value})
	}
	if any {
		s.until(math.MaxInt64)
		s.Close(s.at, s.open)
	}
	return from, s.at
}

// until draws the samples that have started, up to a time.
func (s *Spans) until(limit int64) {
	for len(s.begun) > 0 {
		last := &s.begun[len(s.begun)-1]
		last.from = max(last.from, s.at)
		end := min(last.to, limit)
		if end > last.from || !last.drawn && last.to <= last.from && last.to >= s.at {
			s.draw(last.stack, last.from, max(last.from, end))
			last.drawn = true
		}
		if last.to > limit {
			return
		}
		s.begun = s.begun[:len(s.begun)-1]
	}
}

// draw draws a part of a sample.
func (s *Spans) draw(stack profile.StackID, from, to int64) {
	switch {
	case from > s.at: // nothing is known of the time between
		s.Close(s.at, s.open)
		s.open = s.open[:0]
	case stack == s.last && len(s.open) > 0:
		s.at = to
		return
	}
	s.path = s.Names.Path(s.path, stack)
	common := commonLength(s.open, s.path)
	s.Close(from, s.open[common:])
	s.Open(from, s.path[common:])
	s.open, s.path = s.path, s.open
	s.at, s.last = to, stack
}
