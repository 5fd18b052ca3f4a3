package calltree

import "github.com/nettrace-go/nettrace/profile"

// Spans turns the samples of one thread into frames that open and close like
// brackets: what two samples in a row have in common at their root end stays
// open.
type Spans struct {
	Names *Names
	// Open and Close are told of frames by their names' numbers, at nanoseconds
	// since the profile's start that never step back; Close from the leaf.
	Open  func(at int64, names []uint32)
	Close func(at int64, names []uint32)

	open, path []uint32
	at         int64 // where the open frames end unless they go on
	last       profile.StackID
}

// Thread goes through the samples of a timed type on one thread. It returns
// when the first began and the last ended, 0 if there are none.
func (s *Spans) Thread(p *profile.Profile, t profile.Type, thread int) (from, to int64) {
	var held profile.Sample
	any := false
	s.open, s.path, s.at = s.open[:0], s.path[:0], 0
	for next := range p.ThreadSamples(t, thread) {
		if any {
			s.step(p, &held, &next)
		} else {
			from, any = p.Nanos(next.Ticks), true
			s.at = from
		}
		held = next
	}
	if any {
		s.step(p, &held, nil)
		s.Close(s.at, s.open)
	}
	return from, s.at
}

// step draws a sample. What follows it bounds it.
func (s *Spans) step(p *profile.Profile, sample, next *profile.Sample) {
	from, to := Span(p, sample, next)
	switch {
	case from > s.at: // nothing is known of the time between
		s.Close(s.at, s.open)
		s.open = s.open[:0]
	case sample.Stack == s.last && len(s.open) > 0:
		s.at = to
		return
	}
	s.path = s.Names.Path(s.path, sample.Stack)
	common := Common(s.open, s.path)
	s.Close(from, s.open[common:])
	s.Open(from, s.path[common:])
	s.open, s.path = s.path, s.open
	s.at, s.last = to, sample.Stack
}
