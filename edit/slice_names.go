package edit

import (
	"context"
	"errors"

	"github.com/nettrace-go/nettrace/codec"
)

// sliceNames finds the naming events that the selected events of a slicer need.
type sliceNames struct {
	part       int  // of Naming
	adds       bool // naming events are passed to Naming
	uses       bool // selected events are passed to Naming
	plan       bool // Naming has all selected events
	past       bool // a sequence point shows that no event in Time follows
	hold       func(*codec.Event) error
	findNeeded bool // it is the first reading: no naming event is written
	// Of an output, threads that naming events from another place of the source
	// have: by number (v4, v5), or their numbers by their rows (v6).
	taken   map[uint64]bool
	defined map[namedThread]uint64
}

// namedThread is a thread of the source: its number, and its row if it has one.
type namedThread struct {
	id  uint64
	row *codec.Thread
}

var errOtherSource = errors.New("edit: SliceOptions.First is not a Reader of the same source")

// findNeeded reads First, so that Naming has all selected events.
func (s *slicer) findNeeded() error {
	switch {
	case s.opt.Naming == nil || s.opt.DropRundown:
		return nil
	case s.opt.First == nil:
		s.names.adds, s.names.uses, s.result.OnePass = true, true, true
		return nil
	}
	first, err := s.firstReading()
	if err != nil {
		return err
	}
	for _, ok := first.r.Next(); ok; _, ok = first.r.Next() {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		for e, ok := first.r.NextEvent(); ok; e, ok = first.r.NextEvent() {
			if err := first.look(e); err != nil {
				return err
			}
		}
	}
	return s.foundNeeded(first)
}

// firstReading returns a slicer of First.
func (s *slicer) firstReading() (*slicer, error) {
	opt := s.opt
	opt.First, opt.Redact = nil, nil
	first, err := newSlicer(s.ctx, s.opt.First, opt)
	if err != nil {
		return nil, err
	}
	a, b := s.source, first.source
	if s.r == first.r || a.Format != b.Format || a.SyncTicks != b.SyncTicks || a.PointerSize != b.PointerSize {
		return nil, errOtherSource
	}
	first.names.adds, first.names.uses = true, true
	return first, nil
}

// look handles an event of the first reading.
func (s *slicer) look(e *codec.Event) error {
	s.count(e)
	if err := s.addName(e); err != nil {
		return err
	}
	if s.call(e, s.within(e.Timestamp)) == selected {
		return s.opt.Naming.Use(s.names.part, e)
	}
	return nil
}

// foundNeeded marks that all naming events are known.
func (s *slicer) foundNeeded(first *slicer) error {
	if err := first.nothing(); err != nil {
		return err
	}
	s.opt.Naming.End()
	s.names.plan = true
	return nil
}

// addName adds an event if it is a naming event.
func (s *slicer) addName(e *codec.Event) error {
	if err := s.opt.Naming.Add(e); err != nil {
		return err
	}
	if s.names.hold != nil && s.isName(e) {
		return s.names.hold(e)
	}
	return nil
}

// isName reports whether an event is written if other events need it.
func (s *slicer) isName(e *codec.Event) bool {
	return s.opt.AllRundown && e.Provider() == RundownProvider || s.opt.Naming.Names(e)
}

// needs reports whether an event that is not selected is written.
func (s *slicer) needs(e *codec.Event) bool {
	switch {
	case s.names.findNeeded:
		return false
	case s.opt.AllRundown:
		return s.isName(e)
	case s.names.plan:
		return s.opt.Naming.Needs(s.names.part, e)
	}
	return s.opt.Naming.Names(e) && (!s.names.past || s.opt.Naming.Needs(s.names.part, e))
}

// writeName writes a naming event from another place of the source.
func (s *slicer) writeName(e *codec.Event) error {
	o := s.out
	var err error
	if o.rec.CaptureThread, err = s.nameThread(e.CaptureThreadIndex, e.CaptureThread()); err != nil {
		return s.refuse(e, err)
	}
	if o.rec.Thread = o.rec.CaptureThread; e.ThreadIndex != e.CaptureThreadIndex {
		if o.rec.Thread, err = s.nameThread(e.ThreadIndex, e.Thread()); err != nil {
			return s.refuse(e, err)
		}
	}
	o.rec.Sequence, o.rec.Sorted, o.bare = 0, false, true
	if err := o.write(e, s.timeOf(e, s.newest)); err != nil {
		return s.refuse(e, err)
	}
	s.written(e, needed)
	return nil
}

// nameThread returns the number of the thread of a naming event from another
// place of the source: that of the thread that has its number and row now, or
// else of one for such events alone.
func (s *slicer) nameThread(id uint64, row *codec.Thread) (uint64, error) {
	if !s.out.table {
		if s.names.taken == nil {
			s.names.taken = map[uint64]bool{}
		}
		s.names.taken[id] = true
	}
	if t := s.thread[id]; t != nil && (row == nil || t.row != nil && sameThreadRow(t.row, row)) {
		t.whole = false
		return t.define(s.out)
	}
	if !s.out.table {
		return id, nil
	}
	key := namedThread{id, row}
	if number, ok := s.names.defined[key]; ok {
		return number, nil
	}
	if row == nil {
		row = s.out.unlisted(id)
	}
	if s.out.redact != nil {
		row = s.out.redact.Thread(row)
	}
	number, err := s.out.w.AddThread(row)
	if err == nil {
		if s.names.defined == nil {
			s.names.defined = map[namedThread]uint64{}
		}
		s.names.defined[key] = number
	}
	return number, err
}
