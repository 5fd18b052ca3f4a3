package edit

import (
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// sliceThread follows the sequence numbers of a thread in the source, and has its
// thread in the output.
type sliceThread struct {
	id    uint64        // its number in the source
	row   *codec.Thread // nil without a table
	point bool          // the last sequence point listed it

	last    uint32 // number in the source
	begun   bool   // a number within the bounds was seen, or the thread began there
	whole   bool   // none of its events was left out: it keeps its numbers
	missing uint64 // lost, and not yet recorded in the output
	hidden  bool   // losses are recorded that nothing in the output shows yet

	number  uint64 // in the output
	newest  uint64 // time that was written there
	defined bool
}

// begin makes the thread one that the output does not have yet.
func (t *sliceThread) begin() { t.whole, t.defined, t.hidden, t.newest = t.last == 0, false, false, 0 }

// captured is the thread that logged an event.
func (s *slicer) captured(e *codec.Event) *sliceThread {
	if t := s.thread[e.CaptureThreadIndex]; t != nil && !s.table {
		return t
	}
	return s.of(e.CaptureThreadIndex, e.CaptureThread())
}

// of is the thread with a number. Another row under that number is another
// thread to the output.
func (s *slicer) of(id uint64, row *codec.Thread) *sliceThread {
	t := s.thread[id]
	if t == nil {
		t = &sliceThread{id: id, row: row, whole: !s.names.taken[id], begun: s.begun}
		s.thread[id] = t
		s.order = append(s.order, t)
	}
	if t.row != row && row != nil {
		if t.row != nil && !sameThreadRow(t.row, row) {
			t.whole, t.defined = false, false
		}
		t.row = row
	}
	return t
}

func sameThreadRow(a, b *codec.Thread) bool {
	return a.Name == b.Name && a.ProcessID == b.ProcessID && a.ThreadID == b.ThreadID &&
		a.HasProcessID == b.HasProcessID && a.HasThreadID == b.HasThreadID && slices.Equal(a.Attributes, b.Attributes)
}

// sequenceStep compares a number with the last one of its thread: how many are
// lost between them, or that it steps back.
func sequenceStep(last, next uint32) (lost uint32, back bool) {
	if next > last || last-next > 1<<31 {
		return next - last - 1, false
	}
	return 0, true
}

// follow handles the number of an event.
func (t *sliceThread) follow(s *slicer, number uint32, within bool) error {
	lost, back := sequenceStep(t.last, number)
	var err error
	switch {
	case number == 1 && t.last > 0 && !s.table:
		err = s.restart(t)
	case back: // the output has no such step
		t.whole = false
	case within && t.begun:
		t.miss(s, lost)
	case lost > 0:
		t.whole = false
	}
	t.last = number
	t.begun = t.begun || within
	return err
}

// restart starts a new thread with an old id, as v4 and v5 allow. If that would
// hide losses of the old thread, the two stay one.
func (s *slicer) restart(t *sliceThread) error {
	if !s.out.table {
		t.whole = t.missing == 0 && !t.hidden
		return nil
	}
	if err := s.drop(t); err != nil {
		return err
	}
	t.whole = true
	if !t.defined {
		return nil
	}
	t.defined = false
	return s.out.w.RemoveThread(t.number)
}

// bound handles a number that the thread has reached or exceeded.
func (t *sliceThread) bound(s *slicer, number uint32, within bool) {
	t.begun = t.begun || within
	lost, back := sequenceStep(t.last, number)
	if back {
		return
	}
	t.last = number
	if within {
		t.miss(s, lost+1)
	} else {
		t.whole = false
	}
}

// miss counts events as lost, if the slice reports the losses of the thread.
func (t *sliceThread) miss(s *slicer, lost uint32) {
	switch {
	case lost == 0:
	case s.opt.KeepLost != nil && !s.opt.KeepLost(t.id, t.row):
		t.whole = false
	default:
		t.missing += uint64(lost)
		s.result.Lost += uint64(lost)
	}
}

// define makes the thread known to an output.
func (t *sliceThread) define(o *sliceOutput) (uint64, error) {
	if t.defined {
		return t.number, nil
	}
	t.number = t.id
	var err error
	if o.table {
		row := t.row
		if row == nil {
			row = o.unlisted(t.id)
		}
		if o.redact != nil {
			row = o.redact.Thread(row)
		}
		t.number, err = o.w.AddThread(row)
	}
	t.defined = err == nil
	return t.number, err
}

// maxMissing is the number of lost events that a reader can find between any
// two numbers of a thread. With more, wrapped numbers look like a step back.
const maxMissing = 1<<31 - 2

// drop writes the losses of the thread to the output. Losses that the output
// cannot express are not counted.
func (s *slicer) drop(t *sliceThread) error {
	missing := t.missing
	if missing == 0 {
		return nil
	}
	if t.missing = 0; missing > maxMissing && !t.whole || missing > math.MaxUint32 {
		s.dropLost(t, missing-maxMissing)
		missing = maxMissing
	}
	number, err := t.define(s.out)
	if err == nil {
		err = s.out.w.Drop(number, uint32(missing))
	}
	if err != nil && s.out.w.Err() == nil {
		s.dropLost(t, missing)
		return nil
	}
	t.hidden = true
	return err
}

// dropLost removes losses that the output cannot express.
func (s *slicer) dropLost(t *sliceThread, n uint64) {
	t.whole = false
	s.result.Lost -= n
	s.result.LostDropped += n
}

// remove handles the end of a thread.
func (s *slicer) remove(entry codec.ThreadSequence) error {
	t := s.of(entry.Thread, s.row(entry.Thread))
	t.bound(s, entry.Sequence, s.within(s.now))
	if err := s.drop(t); err != nil {
		return err
	}
	return s.forget(func(other *sliceThread) bool { return other == t })
}

// row is the row of a thread in the source, or nil.
func (s *slicer) row(id uint64) *codec.Thread {
	if t := s.thread[id]; t != nil {
		return t.row
	}
	return nil
}

// forget ends threads.
func (s *slicer) forget(ended func(*sliceThread) bool) error {
	kept := s.order[:0]
	for _, t := range s.order {
		if !ended(t) {
			kept = append(kept, t)
			continue
		}
		delete(s.thread, t.id)
		if t.defined && !s.names.taken[t.id] { // else the point has to list it
			if err := s.out.w.RemoveThread(t.number); err != nil {
				return err
			}
		}
	}
	clear(s.order[len(kept):])
	s.order = kept
	return nil
}
