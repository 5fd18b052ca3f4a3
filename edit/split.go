package edit

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/nettrace-go/nettrace/codec"
)

// SplitOptions configure Split. The zero value writes the complete stream as one
// part.
type SplitOptions struct {
	SliceOptions
	// Size bounds each part. The zero value means no bound.
	Size SplitSize
}

// SplitSize bounds the parts of Split: an event that would exceed a bound
// begins the next part. 0 means no bound.
type SplitSize struct {
	// Bytes is the estimated size of the selected events of a part, without the
	// naming events that they need. It is an estimate because the events of the
	// open block are not encoded yet.
	Bytes int64
	Ticks uint64 // time from the first selected event of a part
}

// maxHeld is how many bytes of naming events Split holds.
const maxHeld = 256 << 20

// heldSize is the estimated number of bytes of a naming event without its
// payload.
const heldSize = 700

// Split writes several slices, each complete in itself: it has the naming
// events that its events need, all rows that its events refer to, and the
// losses before its events and sequence points. Split calls next to open the
// output of a part, numbered from 1, when it has the first event of the part; a
// source without events has one part. It closes each output before it opens the
// next.
//
// With Naming, Split reads First to find the boundaries of the parts and the
// naming events that they need. Without Naming it does not read First. It keeps the naming events of the source in
// memory, at most 256 MB: above that it returns a *codec.LimitError.
//
// In version 6, properties of each part record its time range (see
// codec.Trace.SliceTime): up to the first event of the next part, or to its own
// last event if that is later. Without First, Split does not know where a part
// ends: it then records only the lower bound of Time, in the first part.
//
// The parts are in file order: one after the other they have the selected
// events of Slice, in the same order. As a file is not in time order over all
// threads, a part can have events that are older than the last one of the part
// before.
func Split(ctx context.Context, next func(part int) (io.WriteCloser, error), src *codec.BlockReader, opt SplitOptions) (SliceResult, error) {
	s, err := newSlicer(ctx, src, opt.SliceOptions)
	if err != nil {
		return SliceResult{}, err
	}
	p := &splitter{slicer: s, size: opt.Size, next: next}
	if err := p.findNeeded(); err != nil {
		return s.result, err
	}
	if err := p.open(); err != nil {
		return s.result, err
	}
	s.before = p.divide
	err = s.run()
	p.at = s.seen
	if end := p.close(); err == nil {
		err = end
	}
	if err == nil {
		err = s.nothing()
	}
	s.result.Changes = s.changes.list
	return s.result, err
}

type splitter struct {
	*slicer
	size   SplitSize
	next   func(int) (io.WriteCloser, error)
	part   int
	dst    io.WriteCloser
	events int64  // written before the part
	first  uint64 // time of the part's first event
	wait   int64  // bytes that wait to be written, about
	offset int64  // of the output when that was counted
	plan   *splitPlan
	at     int64 // number of the event that comes next
}

// splitPlan is the result of the first reading.
type splitPlan struct {
	starts []int64    // numbers, of the selected events, of those that begin part 2 and later
	times  []timeSpan // of the selected events of each part
	held   []heldName
	size   int64 // bytes of held
}

// timeSpan is the first and the last of some times.
type timeSpan struct{ first, last uint64 }

// add handles the time of an event of a part, numbered from 1.
func (p *splitPlan) add(part int, ticks uint64) {
	if part > len(p.times) {
		p.times = append(p.times, timeSpan{ticks, ticks})
	}
	x := &p.times[part-1]
	x.first, x.last = min(x.first, ticks), max(x.last, ticks)
}

// heldName is a naming event and its number in the source.
type heldName struct {
	number int64
	event  *codec.Event
}

// findNeeded reads First when naming events are written: it splits the selected
// events without writing them.
func (p *splitter) findNeeded() error {
	if p.opt.Naming == nil || p.opt.DropRundown {
		return nil
	}
	if p.opt.First == nil {
		return errors.New("edit: Split with Naming needs SliceOptions.First")
	}
	first, err := p.firstReading()
	if err != nil {
		return err
	}
	p.plan = &splitPlan{}
	q := &splitter{slicer: first, size: p.size, next: func(int) (io.WriteCloser, error) { return discard{}, nil }}
	first.names.hold, first.names.findNeeded = func(e *codec.Event) error { return p.plan.hold(first.seen-1, e) }, true
	first.before = func(e *codec.Event, c call) error {
		part := q.part
		if err := q.divide(e, c); err != nil || c != selected {
			return err
		}
		if part != q.part {
			p.plan.starts = append(p.plan.starts, first.selected-1)
		}
		p.plan.add(q.part, e.Timestamp)
		return nil
	}
	if err := q.open(); err != nil {
		return err
	}
	if err := first.run(); err != nil {
		return err
	}
	return p.foundNeeded(first)
}

type discard struct{ io.Writer }

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }

// hold keeps a naming event.
func (p *splitPlan) hold(number int64, e *codec.Event) error {
	if p.size += heldSize + int64(len(e.Payload())+8*len(e.Stack())); p.size > maxHeld {
		return &codec.LimitError{Name: "naming events", Size: p.size, Limit: maxHeld}
	}
	p.held = append(p.held, heldName{number, e.Clone()})
	return nil
}

// open begins a part: with the naming events that it needs of those before it.
func (p *splitter) open() error {
	p.part++
	var err error
	if p.dst, err = p.next(p.part); err != nil {
		return err
	}
	p.names.part, p.names.taken, p.names.defined = p.part-1, nil, nil
	if p.bounds = p.partTime(); p.format.HasTraceProperties() {
		p.trace.SetSliceTime(p.bounds)
	}
	p.begin(p.dst)
	p.events, p.wait, p.offset = p.result.Events, 0, 0
	return p.writeNames(0, p.at)
}

// partTime returns the times that a part holds, as far as they are known.
func (p *splitter) partTime() codec.TimeRange {
	r := p.time
	if p.plan == nil {
		r.HasTo, r.HasFrom = false, r.HasFrom && p.part == 1
		return r
	}
	if p.part > len(p.plan.times) {
		return r // no event is selected
	}
	x := p.plan.times[p.part-1]
	if p.part > 1 {
		r.From, r.HasFrom = x.first, true
	}
	if p.part < len(p.plan.times) && x.last < math.MaxUint64 {
		r.To, r.HasTo = max(x.last+1, p.plan.times[p.part].first), true
	}
	return r
}

// close ends a part: with the naming events that it needs of those after it.
func (p *splitter) close() error {
	if p.dst == nil {
		return nil
	}
	err := p.writeNames(p.at, 1<<63-1)
	if err == nil {
		err = p.out.w.Close()
	}
	if closed := p.dst.Close(); err == nil {
		err = closed
	}
	p.dst = nil
	if p.plan != nil {
		p.opt.Naming.Forget(p.names.part)
	}
	return err
}

// divide begins a new part where the event that comes does not fit, or where the
// first reading has found that.
func (p *splitter) divide(e *codec.Event, c call) error {
	if p.at = p.seen - 1; c != selected {
		return nil
	}
	if !p.full(e) {
		return nil
	}
	if err := p.close(); err != nil {
		return err
	}
	err := p.open()
	p.first = e.Timestamp
	return err
}

func (p *splitter) full(e *codec.Event) bool {
	if p.plan != nil {
		return p.part <= len(p.plan.starts) && p.plan.starts[p.part-1] == p.selected-1
	}
	const row = 24 // approximate bytes of a row and of the rows that it refers to
	empty := p.result.Events == p.events
	if empty {
		p.first = e.Timestamp
	}
	if at := p.out.w.Offset(); at != p.offset {
		p.wait, p.offset = 0, at
	}
	p.wait += int64(len(e.Payload()) + row)
	return !empty && (p.size.Bytes > 0 && p.offset+p.wait > p.size.Bytes ||
		p.size.Ticks > 0 && e.Timestamp > p.first && e.Timestamp-p.first >= p.size.Ticks)
}

// writeNames writes the naming events that the part needs of those with the
// numbers from <= n < to.
func (p *splitter) writeNames(from, to int64) error {
	if p.plan == nil {
		return nil
	}
	for _, h := range p.plan.held {
		if h.number < from || h.number >= to || !p.needs(h.event) {
			continue
		}
		if err := p.writeName(h.event); err != nil {
			return err
		}
	}
	return nil
}
