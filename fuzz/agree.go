package fuzz

import (
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// eventStream is a stream with the tables of wrap_test.go, an event block under
// test and a valid event block.
type eventStream struct {
	version
	b       []byte
	body    []byte // of the block under test
	at      int64  // its offset
	after   []byte // of the other
	afterAt int64
}

func newEventStream(v version, body []byte) eventStream {
	s := newStream(v).tables()
	e := eventStream{version: v, body: body, after: s.events()}
	e.at = s.add(wire.KindEvent, body)
	e.afterAt = s.add(wire.KindEvent, e.after)
	e.b = s.end()
	return e
}

// compressedAgrees compares the reader's result for a stream of v4 or v6 with
// compressed rows with the text.
func (s *eventStream) compressedAgrees(o *outcome) error {
	w := world{version: s.version, last: map[uint64]uint32{}}
	found := false
	next := 0
	for _, b := range []struct {
		body []byte
		at   int64
	}{{s.body, s.at}, {s.after, s.afterAt}} {
		start, complete := headerSize(b.body)
		if !complete {
			continue
		}
		rows, bad := s.compressedRows(b.body, start)
		for i := range rows {
			if next == len(o.events) {
				return fmt.Errorf("%d events; a row at %d + %+v", next, b.at, rows[i])
			}
			if err := w.agrees(&o.events[next], o.payloads[next], &rows[i], b.at); err != nil {
				return fmt.Errorf("event %d, row %d: %w", next, i, err)
			}
			w.account(&rows[i], b.at, i == 0)
			next++
		}
		if bad.Rule != rule.None {
			found = true
			if e := o.firstBad; e == nil || e.Rule != bad.Rule || e.Offset != b.at+int64(bad.Pos) || e.Row != len(rows) {
				return fmt.Errorf("row %d is wrong at %d by %v; the reader returns %v", len(rows), b.at+int64(bad.Pos), bad.Rule, e)
			}
		}
	}
	if next != len(o.events) {
		return fmt.Errorf("%d events, %d rows", len(o.events), next)
	}
	if _, complete := headerSize(s.body); complete && !found && o.bad > 0 {
		return fmt.Errorf("all rows are complete; the reader returns %v", o.firstBad)
	}
	if err := w.compareReports(o); err != nil {
		return err
	}
	return s.cutAgrees()
}

// cutAgrees reads the stream up to an offset in the block under test: each
// complete row is delivered, and the error has the number of the incomplete one.
func (s *eventStream) cutAgrees() error {
	start, complete := headerSize(s.body)
	if !complete || start == len(s.body) {
		return nil
	}
	n := start + diceOf(s.body).roll(len(s.body)-start)
	rows, _ := s.compressedRows(s.body[:n], start)
	end := s.at + int64(n)
	o, err := newReading(codec.Options{OnError: codec.Skip}).memory(clip(s.b[:end])).through(byNext)
	if err != nil {
		return fmt.Errorf("truncated at %d: %w", end, err)
	}
	e, ok := o.err.(*codec.Error)
	if len(o.events) != len(rows) || !ok || !errors.Is(e, codec.ErrTruncated) || e.Offset != end || e.Row != len(rows) {
		return fmt.Errorf("truncated at %d: %d events, %d rows; %v", end, len(o.events), len(rows), o.err)
	}
	return nil
}

// plainAgrees does the same as compressedAgrees for uncompressed rows. The reader
// determines the start of a row, within bounds: after the row before it, in v4
// perhaps after zeros up to a multiple of 4.
func (s *eventStream) plainAgrees(o *outcome) error {
	w := world{version: s.version, last: map[uint64]uint32{}}
	pos, complete := headerSize(s.body)
	next := 0
	for ; next < len(o.events) && o.events[next].Offset < s.afterAt; next++ {
		e := &o.events[next]
		start := int(e.Offset - s.at)
		if !complete || !s.follows(pos, start) {
			return fmt.Errorf("event %d starts at %d in the body, the row before ended at %d", next, start, pos)
		}
		r, ok := s.plainRow(s.body, start)
		if !ok {
			return fmt.Errorf("event %d at %d in the body: no such row", next, start)
		}
		if err := w.agrees(e, o.payloads[next], &r, s.at); err != nil {
			return fmt.Errorf("event %d: %w", next, err)
		}
		w.account(&r, s.at, next == 0)
		pos = r.end
	}
	if complete {
		if err := s.plainEnd(o, pos, next); err != nil {
			return err
		}
	}
	rows, _ := s.compressedRows(s.after, 20)
	for i := range rows {
		w.account(&rows[i], s.afterAt, i == 0)
	}
	return w.compareReports(o)
}

// plainEnd checks how the rows ended: at the end of the body, or before one that
// is wrong.
func (s *eventStream) plainEnd(o *outcome, pos, rows int) error {
	e := o.firstBad
	if e == nil {
		if !s.follows(pos, len(s.body)) {
			return fmt.Errorf("the rows end at %d of %d without an error", pos, len(s.body))
		}
		return nil
	}
	start := int(e.Offset - s.at)
	if e.Row != rows || !s.follows(pos, start) {
		return fmt.Errorf("%d rows up to %d; the reader returns %v", rows, pos, e)
	}
	if _, ok := s.plainRow(s.body, start); ok {
		return fmt.Errorf("a row at %d; the reader returns %v", start, e)
	}
	return nil
}

// follows reports whether a row may start at next when the one before ended at
// pos.
func (s *eventStream) follows(pos, next int) bool {
	if !s.HasPadding() || next == pos {
		return next == pos
	}
	if next < pos || next > (pos+3)&^3 || next > len(s.body) {
		return false
	}
	for _, c := range s.body[pos:next] {
		if c != 0 {
			return false
		}
	}
	return true
}

// netperfAgrees compares the events of a v3 stream with its rows. Rows between
// them define metadata.
func (s *eventStream) netperfAgrees(o *outcome) error {
	w := world{version: s.version}
	var d digester
	pos := 0
	for i := 0; i < len(o.events) && o.events[i].Offset < s.afterAt; i++ {
		e := &o.events[i]
		for pos < int(e.Offset-s.at) {
			r, ok := s.plainRow(s.body, pos)
			if !ok || r.metadata != 0 {
				return fmt.Errorf("event %d at %d; the row at %d is %+v", i, e.Offset-s.at, pos, r)
			}
			pos = r.end
		}
		r, ok := s.plainRow(s.body, pos)
		if !ok || r.metadata == 0 {
			return fmt.Errorf("event %d at %d in the body: no such row", i, pos)
		}
		if err := w.agrees(e, o.payloads[i], &r, s.at); err != nil {
			return fmt.Errorf("event %d: %w", i, err)
		}
		if e.Stack != d.stack(r.addresses) {
			return fmt.Errorf("event %d at %d has %d frames, not %x", i, pos, e.Frames, r.addresses)
		}
		pos = r.end
	}
	for pos < len(s.body) && o.bad == 0 {
		r, ok := s.plainRow(s.body, pos)
		if !ok || r.metadata != 0 {
			return fmt.Errorf("the row at %d, %+v, is passed over", pos, r)
		}
		pos = r.end
	}
	return nil
}

// headerSize is the size of the header of an event block of v4 to v6, if the
// body has one.
func headerSize(body []byte) (int, bool) {
	if len(body) < 20 {
		return 0, false
	}
	size := int(body[0]) + int(body[1])<<8
	return size, size >= 20 && size <= len(body)
}
