package edit

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// point handles a sequence point, and writes one when the output has events,
// losses or ended threads of the region before it.
func (s *slicer) point(p *codec.SequencePoint) error {
	s.now = max(s.now, p.Timestamp)
	s.names.past = s.names.past || s.opt.Time.HasTo && p.Timestamp >= s.opt.Time.To
	for _, t := range s.order {
		t.point = false
	}
	for _, entry := range p.Threads {
		if entry.Sequence == 0 && s.thread[entry.Thread] == nil {
			continue
		}
		t := s.of(entry.Thread, s.row(entry.Thread))
		t.point = true
		t.bound(s, entry.Sequence, s.within(p.Timestamp))
	}
	if err := s.settle(p); err != nil {
		return err
	}
	if !s.table { // which lists all threads that are there
		s.begun = s.begun || s.within(p.Timestamp)
	}
	if s.wrote {
		if err := s.writePoint(p); err != nil {
			return err
		}
	}
	if p.Flags&wire.SequenceThreads != 0 {
		return s.forget(func(*sliceThread) bool { return true })
	}
	return nil
}

// writePoint ends the region in the output. No later event may have an earlier
// time.
func (s *slicer) writePoint(p *codec.SequencePoint) error {
	s.wrote, s.newest = false, max(s.newest, s.beforeEnd(p.Timestamp))
	s.pointed = s.newest
	return s.out.w.SequencePoint(s.newest)
}

// settle writes all losses up to a sequence point to the output, and ends the
// threads that a point of v4 or v5 does not list. The losses of such a thread
// after its last event can only be in a point: then settle writes two.
func (s *slicer) settle(p *codec.SequencePoint) error {
	again := false
	for _, t := range s.order {
		if t.missing > 0 || t.hidden {
			s.wrote = true
			again = again || !t.point && !s.out.table
		}
		if err := s.drop(t); err != nil {
			return err
		}
		t.hidden = false
	}
	if s.table {
		return nil
	}
	if again {
		if err := s.writePoint(p); err != nil {
			return err
		}
		s.wrote = true
	}
	return s.forget(func(t *sliceThread) bool {
		s.wrote = s.wrote || !t.point && t.defined // a point shows it
		return !t.point
	})
}
