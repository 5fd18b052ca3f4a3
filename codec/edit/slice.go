package edit

import (
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// SliceOptions say which part of a stream Slice keeps. The zero value keeps all
// of it.
type SliceOptions struct {
	// From and To bound the timestamps: From <= t < To. To 0: no bound.
	From, To uint64
	// Keep, when set, says whether an event within the bounds is wanted.
	Keep func(*codec.Event) bool
	// KeepLost, when set, says whether the losses of a capture thread matter:
	// t is its row (v6), or nil and id its number in the operating system.
	// Default: those of all threads.
	KeepLost func(id uint64, t *codec.Thread) bool
	// DropRundown leaves out the events of the runtime's rundown.
	DropRundown bool
	// Format is the version that is written: not below the source's. Default:
	// the source's; v6 for v3.
	Format wire.Format
	// Redact, when set, replaces text. The Reader needs Options.Schemas:
	// otherwise events of the runtime give ErrNoSchemas.
	Redact *Redactor
}

// RundownProvider names the methods and modules that are there when a session
// of the .NET runtime ends.
const RundownProvider = "Microsoft-Windows-DotNETRuntimeRundown"

// SliceResult counts what Slice met.
type SliceResult struct {
	Events  int64  // written
	LeftOut int64  // on purpose
	Unknown int64  // not written because nothing describes them
	Lost    uint64 // that the part tells of
}

// Slice writes a part of a stream as a stream of its own: the events that are
// wanted, with all rows that they refer to, and no others.
//
// Sequence numbers are counted anew for each capture thread of which something
// was left out, so that the part reads with its own losses only: those between
// two events within the bounds, and those that a sequence point or the removal
// of a thread shows there. A thread of which nothing is left out keeps its
// numbers. Sequence points stay behind regions of which something stays.
//
// The bare UTF8CodeUnit by which record-trace declares a counted string is
// written as the array that it is, so that numbers of labels can be written as
// the text wants them.
func Slice(dst io.Writer, src *codec.Reader, opt SliceOptions) (SliceResult, error) {
	s, err := newSlicer(src, opt)
	if err != nil {
		return SliceResult{}, err
	}
	s.begin(dst)
	if err := s.run(); err != nil {
		return s.result, err
	}
	return s.result, s.out.w.Close()
}

// slicer reads blocks and writes what is wanted of them.
type slicer struct {
	opt    SliceOptions
	r      *codec.Reader
	source *codec.Trace
	format wire.Format
	trace  codec.Trace // as written
	out    *sliceOutput
	clock  bool                     // rows have sequence numbers
	table  bool                     // threads are rows of a table
	now    uint64                   // the newest time that was read
	thread map[uint64]*sliceThread  // by number of the capture thread in the source
	order  []*sliceThread           // the same in the order first met
	begun  bool                     // threads that are met now began within the bounds
	wrote  bool                     // something of this region
	newest uint64                   // time that was written
	before func(*codec.Event) error // called before an event is written, or nil
	result SliceResult
}

func newSlicer(src *codec.Reader, opt SliceOptions) (*slicer, error) {
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
	if opt.To == 0 {
		opt.To = 1<<64 - 1
	}
	s := &slicer{
		opt: opt, r: src, source: trace, format: format, trace: *trace, thread: make(map[uint64]*sliceThread),
		begun: opt.From == 0, clock: trace.Format.Major >= 4, table: trace.Format.Major >= 6,
	}
	if opt.Redact != nil {
		s.trace = *opt.Redact.Trace(trace)
	}
	return s, nil
}

// sliceFormat is the version that is written of a source's.
func sliceFormat(source, wanted wire.Format) (wire.Format, error) {
	switch {
	case wanted.Major == 0 && (source.Major < 4 || source.Major >= 6):
		return wire.Format{Major: 6}, nil
	case wanted.Major == 0:
		return tagged(source), nil
	case wanted.Major < source.Major && !(wanted.Major == 4 && source.Major == 5):
		return wanted, &codec.FormatError{Format: wanted, What: "a part of a stream of a later version"}
	case wanted.Major == 4:
		return tagged(wanted), nil
	}
	return wanted, nil
}

// begin starts an output.
func (s *slicer) begin(dst io.Writer) {
	opt := codec.WriterOptions{Format: s.format, Trace: s.trace, ThreadBlocks: true, PassOn: true}
	if s.clock { // the regions are the source's
		opt.PointEvents, opt.PointBytes = -1, -1
	}
	recordTrace := s.out != nil && s.out.recordTrace
	s.out = newSliceOutput(codec.NewWriter(dst, opt), s.format, s.source)
	s.out.redact, s.out.recordTrace, s.out.schemas = s.opt.Redact, recordTrace, s.r.HasSchemas()
	for _, t := range s.order {
		t.begin()
	}
	s.wrote = false
}

// run goes through the blocks, and tells at the end what is lost behind the last
// events. What ended the source too early, the Reader tells.
func (s *slicer) run() error {
	for b, ok := s.r.NextBlock(); ok; b, ok = s.r.NextBlock() {
		if err := s.block(b); err != nil {
			return err
		}
	}
	for _, t := range s.order {
		if err := t.drop(s.out); err != nil {
			return err
		}
	}
	return nil
}

func (s *slicer) block(b *codec.Block) error {
	switch b.Kind {
	case wire.Event:
		for e, ok := s.r.NextInBlock(); ok; e, ok = s.r.NextInBlock() {
			if err := s.event(e); err != nil {
				return err
			}
		}
	case wire.Metadata:
		for i := range b.Metadata {
			s.out.recognise(b.Metadata[i].Metadata)
		}
	case wire.Thread:
		s.begun = s.begun || s.within(s.now)
		for _, row := range b.Threads {
			s.of(row.Index, row)
		}
	case wire.SequencePoint:
		return s.point(&b.SequencePoint)
	case wire.RemoveThread:
		for _, entry := range b.Removed {
			if err := s.remove(entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// within says whether a time is in the bounds. The last tick of all is.
func (s *slicer) within(ticks uint64) bool {
	return s.opt.From <= ticks && (ticks < s.opt.To || s.opt.To == 1<<64-1)
}

func (s *slicer) wanted(e *codec.Event) bool {
	return !(s.opt.DropRundown && e.Provider() == RundownProvider) && (s.opt.Keep == nil || s.opt.Keep(e))
}

// event follows the numbers of an event's thread, and writes the event when it
// is wanted.
func (s *slicer) event(e *codec.Event) error {
	s.now = max(s.now, e.Timestamp)
	t := s.captured(e)
	within := s.within(e.Timestamp)
	if s.clock {
		if err := t.follow(s, e.Sequence, within); err != nil {
			return err
		}
	}
	switch {
	case !within || !s.wanted(e):
		t.whole = false
		s.result.LeftOut++
		return nil
	case e.Metadata() == nil:
		t.whole = false
		s.result.Unknown++
		return nil
	}
	if s.before != nil {
		if err := s.before(e); err != nil {
			return err
		}
	}
	return s.write(e, t)
}

// write puts an event into the output.
func (s *slicer) write(e *codec.Event, t *sliceThread) error {
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
	if o.rec.Sequence = e.Sequence; t.whole && s.clock {
		t.missing = 0 // the number shows them
	} else if err = t.drop(o); err != nil {
		return err
	} else {
		o.rec.Sequence = 0
	}
	o.rec.Sorted = e.Sorted() && s.clock
	if err := o.write(e, e.Timestamp); err != nil {
		return fmt.Errorf("the event at offset %d: %w", e.Offset(), err)
	}
	s.wrote, s.newest = true, max(s.newest, e.Timestamp)
	s.result.Events++
	return nil
}
