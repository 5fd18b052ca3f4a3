package edit

import (
	"context"
	"errors"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// SliceOptions select the part of a stream that Slice writes. The zero value
// selects all events.
type SliceOptions struct {
	// Time bounds the timestamps of the selected events.
	Time codec.TimeRange
	// Keep, if set, reports whether an event in Time is selected. Slice also
	// calls it for the events of First.
	Keep func(*codec.Event) bool
	// KeepLost, if set, reports whether the losses of a capture thread count. If
	// the source has version 6, id is the thread's index and t its row. Otherwise
	// id is the operating system's thread id and t is nil.
	// Default: the losses of all threads count.
	KeepLost func(id uint64, t *codec.Thread) bool
	// Naming, if set, finds the naming events that the selected events need.
	// Slice writes them too, even if Time and Keep exclude them, but without
	// their stacks. Default: naming events that are not selected are left out,
	// and stacks of the slice may have no names.
	Naming Naming
	// First, if set, is another, unread Reader of the same source. Slice reads
	// it to its end in a first pass, to find out which naming events are needed.
	// Without First, for example for a pipe, Slice writes every naming event
	// that is older than the upper bound of Time, and of the later ones those that
	// may be needed. Split requires First if Naming is set.
	First *codec.BlockReader
	// AllRundown, with Naming, keeps all naming events and all events of
	// RundownProvider, such as the maps from IL to native code.
	AllRundown bool
	// DropRundown leaves out all events of RundownProvider, also selected ones.
	// With Naming it also leaves out all other naming events that are not
	// selected. Stacks may then have no names.
	DropRundown bool
	// Format is the version to write. It must not be lower than the source's.
	// Default: the source's; 6 for a source of version 3.
	Format wire.Format
	// Redact, if set, replaces text. The Reader then needs Options.Schemas:
	// without them Slice returns ErrNoSchemas for events of the runtime.
	Redact *Redactor
}

// RundownProvider is the provider of the events that describe the existing
// methods and modules at the end of a session of the .NET runtime.
const RundownProvider = clr.RundownProvider

// SliceResult has the counts of a Slice or Split. The sum of Events, LeftOut
// and Omitted is the number of events in the source.
type SliceResult struct {
	Events  int64    // events written, including naming events
	Names   int64    // of Events: naming events that are not selected
	LeftOut int64    // events neither selected nor needed
	Omitted int64    // events that belong in the slice, but cannot be written: see Changes
	Unknown int64    // of Omitted: events whose metadata the source does not define
	Changes []Change // reason and place of the events in Omitted
	Lost    uint64   // losses that a reader of the slice counts

	// LostDropped is the number of lost events that are not in Lost, because
	// the output cannot express their number.
	LostDropped uint64
	// NamesDropped is the number of naming events that DropRundown left out.
	NamesDropped int64
	// OnePass is set if Slice chose the naming events in one pass, without First:
	// the slice may have some that it does not need.
	OnePass bool
	// BoundsDropped is set if Time has bounds and Format cannot record them.
	BoundsDropped bool
}

// Slice writes a part of a stream as a stream of its own: the selected events,
// the naming events that those need, and all rows that these events refer to.
// With Naming, it also keeps the event DCEndInit within Time, which is logged
// when the recording ends.
//
// Slice renumbers the events of each capture thread of which something is left
// out, so that these events do not count as lost. The losses of the recording
// within Time stay: those between two events, and those that a sequence point
// or the removal of a thread reports. A naming event that is not selected causes no loss. A thread
// of which nothing is left out keeps its sequence numbers, unless they
// decrease. Slice keeps the sequence point at the end of each region
// from which it keeps something.
//
// In version 6, properties of the Trace block record the bounds of Time: see
// codec.Trace.SliceTime. Earlier versions have no place for them. There the event
// ProcessInfo, which the runtime logs at the end of a recording, gets the last time
// before the upper bound, if it is later and neither a sequence point nor an event of
// its thread is between them.
//
// Slice leaves out an event that the output cannot express, such as one older
// than the sequence point before it, and counts it in Omitted. If the options
// exclude all events, the error is ErrNothing, and dst has no complete stream.
//
// record-trace declares a counted string as a plain UTF8CodeUnit. Slice declares it
// as an array. Readers recognize the plain form by another fault of record-trace,
// its encoding of numeric label values. Slice corrects that fault, so readers would
// no longer accept the plain form.
func Slice(ctx context.Context, dst io.Writer, src *codec.BlockReader, opt SliceOptions) (SliceResult, error) {
	s, err := newSlicer(ctx, src, opt)
	if err != nil {
		return SliceResult{}, err
	}
	if err := s.findNeeded(); err != nil {
		return s.result, err
	}
	s.begin(dst)
	err = s.run()
	if err == nil {
		err = s.nothing()
	}
	if err == nil {
		err = s.out.w.Close()
	}
	s.result.Changes = s.changes.list
	return s.result, err
}

// slicer reads blocks and writes the selected part of them.
type slicer struct {
	ctx       context.Context
	opt       SliceOptions
	r         *codec.BlockReader
	source    *codec.Trace
	format    wire.Format
	trace     codec.Trace     // as written
	time      codec.TimeRange // that the slice holds: the bounds of Time and of the source
	bounds    codec.TimeRange // that the open output holds
	out       *sliceOutput
	clock     bool                               // rows have sequence numbers
	table     bool                               // threads are rows of a table
	now       uint64                             // the newest time that was read
	thread    map[uint64]*sliceThread            // by number of the capture thread in the source
	order     []*sliceThread                     // the same in the order first met
	begun     bool                               // threads that are met now began within the bounds
	wrote     bool                               // an event of this region is written
	newest    uint64                             // time that was written
	pointed   uint64                             // time of the last sequence point that was written
	before    func(e *codec.Event, c call) error // called before an event is written, or nil
	names     sliceNames
	seen      int64      // events that were read
	selected  int64      // of those
	processes processSet // of the events that are selected
	about     NothingError
	changes   changes
	result    SliceResult
}

// call is the reason why an event is written.
type call uint8

const (
	ignored  call = iota // it is not written
	selected             // the options select it
	needed               // it names addresses, a process or a thread of selected events
)

func newSlicer(ctx context.Context, src *codec.BlockReader, opt SliceOptions) (*slicer, error) {
	if err := src.Complete(); err != nil {
		return nil, err
	}
	trace, err := src.Trace()
	if err != nil {
		return nil, err
	}
	format, err := sliceFormat(trace.Format, opt.Format)
	if err != nil {
		return nil, err
	}
	s := &slicer{
		ctx: ctx,
		opt: opt, r: src, source: trace, format: format, trace: *trace, thread: make(map[uint64]*sliceThread),
		begun: !opt.Time.HasFrom, clock: trace.Format.HasSequencePoints(), table: trace.Format.HasThreadTable(),
	}
	if opt.Redact != nil {
		s.trace = *opt.Redact.Trace(trace)
	}
	s.recordTime()
	return s, nil
}

// recordTime records the bounds of the slice as properties. Those of a slice of
// a slice are within those of the first one.
func (s *slicer) recordTime() {
	r, outer := s.opt.Time, s.source.SliceTime()
	if outer.HasFrom && (!r.HasFrom || r.From < outer.From) {
		r.From, r.HasFrom = outer.From, true
	}
	if outer.HasTo && (!r.HasTo || r.To > outer.To) {
		r.To, r.HasTo = outer.To, true
	}
	s.time, s.bounds = r, r
	switch {
	case !s.format.HasTraceProperties():
		s.result.BoundsDropped = r.Bounded()
	case r.Bounded():
		s.trace.SetSliceTime(r)
	}
}

// sliceFormat returns the written version for a source's version.
func sliceFormat(source, wanted wire.Format) (wire.Format, error) {
	switch {
	case wanted.IsZero() && source.WithTags().HasTags():
		return wire.V5, nil
	case wanted.IsZero():
		return wire.V6, nil
	case wanted.WithTags().Before(source.WithTags()):
		return wanted, &codec.FormatError{Format: wanted, Feature: "a slice of a later version"}
	}
	return wanted.WithTags(), nil
}

// begin starts an output.
func (s *slicer) begin(dst io.Writer) {
	opt := codec.WriterOptions{Format: s.format, Trace: s.trace, PassOn: true}
	if s.clock { // the regions are the source's
		opt.PointEvents, opt.PointBytes = -1, -1
	}
	recordTrace := s.out != nil && s.out.recordTrace
	s.out = newSliceOutput(codec.NewWriter(dst, opt), s.format, s.source)
	s.out.redact, s.out.recordTrace, s.out.schemas = s.opt.Redact, recordTrace, s.r.HasSchemas()
	for _, t := range s.order {
		t.begin()
	}
	s.wrote, s.newest, s.pointed = false, 0, 0
}

// run reads all blocks, and records at the end the losses after the last events.
// The Reader reports an early end of the source.
func (s *slicer) run() error {
	for b, ok := s.r.Next(); ok; b, ok = s.r.Next() {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if err := s.block(b); err != nil {
			return err
		}
	}
	for _, t := range s.order {
		if err := s.drop(t); err != nil {
			return err
		}
	}
	return nil
}

// nothing is the error for options that exclude all events.
func (s *slicer) nothing() error {
	if s.selected > 0 || !s.opt.Time.Bounded() && s.opt.Keep == nil {
		return nil
	}
	s.about.Events, s.about.Time = s.seen, s.opt.Time
	return &s.about
}

func (s *slicer) block(b *codec.Block) error {
	switch b.Kind {
	case wire.KindEvent:
		for e, ok := s.r.NextEvent(); ok; e, ok = s.r.NextEvent() {
			if err := s.event(e); err != nil {
				return err
			}
		}
	case wire.KindMetadata:
		for i := range b.Metadata {
			s.out.recognise(b.Metadata[i].Metadata)
		}
	case wire.KindThread:
		s.begun = s.begun || s.within(s.now)
		for _, row := range b.Threads {
			s.of(row.Index, row)
		}
	case wire.KindSequencePoint:
		return s.point(&b.SequencePoint)
	case wire.KindRemoveThread:
		for _, entry := range b.Removed {
			if err := s.remove(entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// within reports whether a time is in the bounds.
func (s *slicer) within(ticks uint64) bool { return s.opt.Time.Contains(ticks) }

// event follows the numbers of an event's thread, and writes the event when it
// is selected or needed.
func (s *slicer) event(e *codec.Event) error {
	s.count(e)
	t := s.captured(e)
	within := s.within(e.Timestamp)
	if s.clock {
		if err := t.follow(s, e.Sequence, within); err != nil {
			return err
		}
	}
	if s.names.adds {
		if err := s.addName(e); err != nil {
			return err
		}
	}
	c := s.call(e, within)
	switch {
	case c == ignored:
		t.whole = false
		s.result.LeftOut++
		return nil
	case e.Metadata() == nil:
		t.whole = false
		s.result.Unknown++
		s.omit(e, codec.ErrUndefined)
		return nil
	}
	if s.before != nil {
		if err := s.before(e, c); err != nil {
			return err
		}
	}
	if c == selected && s.names.uses {
		if err := s.opt.Naming.Use(s.names.part, e); err != nil {
			return err
		}
	}
	return s.write(e, t, c)
}

// count records the time of an event, and whether Time excludes it.
func (s *slicer) count(e *codec.Event) {
	s.seen++
	s.now = max(s.now, e.Timestamp)
	if s.within(e.Timestamp) {
		return
	}
	a := &s.about
	if a.Outside++; a.Outside == 1 {
		a.First = e.Timestamp
	}
	a.First, a.Last = min(a.First, e.Timestamp), max(a.Last, e.Timestamp)
}

// call returns the reason for which an event is written, if it is.
func (s *slicer) call(e *codec.Event, within bool) call {
	dropped := s.opt.DropRundown && e.Provider() == RundownProvider
	if within && !dropped && (s.opt.Keep == nil || s.opt.Keep(e)) {
		s.selected++
		s.processes.add(e)
		return selected
	}
	if s.opt.DropRundown {
		if dropped || s.opt.Naming != nil && s.opt.Naming.Names(e) {
			s.result.NamesDropped++
		}
		return ignored
	}
	if s.opt.Naming != nil && (s.needs(e) || within && endsRecording(e) && s.processes.has(e)) {
		return needed
	}
	return ignored
}

// endsRecording reports whether the runtime logs an event after it has stopped
// the session. A profile counts unfinished durations up to that time.
func endsRecording(e *codec.Event) bool {
	return clr.KindOf(e.Metadata()) == clr.KindDCEndInit
}

// timeOf returns the time of an event as it is written: see Slice. after is the time of what was
// written before it by its thread.
func (s *slicer) timeOf(e *codec.Event, after uint64) uint64 {
	if clr.KindOf(e.Metadata()) != clr.KindProcessInfo {
		return e.Timestamp
	}
	if ticks := s.beforeEnd(e.Timestamp); ticks >= s.pointed && ticks >= after {
		return ticks
	}
	return e.Timestamp
}

// beforeEnd returns the last time of the output, for a later one, if the format has no place for its
// bounds.
func (s *slicer) beforeEnd(ticks uint64) uint64 {
	if s.bounds.HasTo && ticks >= s.bounds.To && !s.format.HasTraceProperties() {
		return max(s.bounds.To, 1) - 1
	}
	return ticks
}

// write writes an event. One that the output cannot hold is left out.
func (s *slicer) write(e *codec.Event, t *sliceThread, c call) error {
	if err := s.tryWrite(e, t, c); err != nil {
		t.whole = false
		return s.refuse(e, err)
	}
	s.written(e, c)
	return nil
}

func (s *slicer) written(e *codec.Event, c call) {
	s.wrote, s.newest = true, max(s.newest, s.out.rec.Timestamp)
	s.result.Events++
	if c == needed {
		s.result.Names++
	}
}

func (s *slicer) tryWrite(e *codec.Event, t *sliceThread, c call) error {
	o := s.out
	var err error
	if o.rec.CaptureThread, err = t.define(o); err != nil {
		return err
	}
	o.rec.Thread = o.rec.CaptureThread
	if e.ThreadIndex != e.CaptureThreadIndex {
		if o.rec.Thread, err = s.of(e.ThreadIndex, e.Thread()).define(o); err != nil {
			return err
		}
	}
	// The number 0 is that of the next one, which must be counted.
	if o.rec.Sequence = 0; t.whole && s.clock && e.Sequence != 0 {
		o.rec.Sequence = e.Sequence
	} else if err = s.drop(t); err != nil {
		return err
	}
	ticks := s.timeOf(e, t.newest)
	o.rec.Sorted = e.Sorted() && s.clock && s.beforeEnd(e.Timestamp) == e.Timestamp // else ProcessInfo follows
	o.bare = c == needed
	if err = o.write(e, ticks); err != nil {
		return err
	}
	t.newest = max(t.newest, ticks)
	if t.hidden = false; o.rec.Sequence != 0 {
		t.missing = 0 // the number shows them
	}
	return nil
}

// refuse counts an event that the output cannot hold. Only an error that ends
// the output is returned.
func (s *slicer) refuse(e *codec.Event, err error) error {
	if s.out.w.Err() != nil || errors.Is(err, ErrNoSchemas) {
		return err
	}
	s.omit(e, err)
	return nil
}

func (s *slicer) omit(e *codec.Event, reason error) {
	s.result.Omitted++
	s.changes.omit(omittedEvents(reason), reason, e.Offset())
}
