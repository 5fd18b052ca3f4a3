package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Options configure a Recording. The zero value is right for most programs. The
// functions are called by the goroutine of Run.
type Options struct {
	// OnEvent, if set, is called for each event, in file order. The event is
	// valid during the call and has no stack.
	OnEvent func(*codec.Event)
	// Schemas, if set, returns the fields of events that the trace does not
	// describe, for OnEvent; see codec.Options.
	Schemas func(m *codec.Metadata, version uint32) (codec.EventSchema, bool)
	// OnPoint, if set, is called for each sequence point, which is valid during the call.
	OnPoint func(*codec.SequencePoint)
	// OnBlock, if set, is called after each block.
	OnBlock func()
	// OnBadBlock, if set, is called for the first block with malformed rows.
	// The Recording keeps such blocks unchanged and continues.
	OnBadBlock func(error)
	// OnFull, if set, is called once when the destination accepts no more
	// blocks. It should stop the session; Run reads until the stream ends.
	OnFull func(error)
	// Additions, if set, is called after the last block of the stream, and
	// returns events to write after it, such as those of Names; nil for none. A
	// sequence point follows them.
	// It is called only if the destination is a File, has the start of the
	// stream and is not full.
	Additions func(*Report) iter.Seq[Addition]
}

// Sink is the destination of a Recording: a *File or a *Ring.
type Sink interface {
	keep(b *arrival) error
	keepRows(trace *codec.Trace, rows *codec.BlockRows) (size int64, err error)
	// finish ends the sink and returns how many bytes of the kept blocks it has
	// lost.
	finish() (lost int64, err error)
}

// arrival is a complete block.
type arrival struct {
	*codec.Block
	trace  *codec.Trace
	object []byte // its bytes in the stream, with its framing; borrowed
	naming bool   // it has events of a rundown
	newest uint64 // ticks of the newest of its other events
}

// Recording copies one stream to a Sink. Another goroutine may call Stats
// while Run runs.
type Recording struct {
	opt   Options
	bytes atomic.Int64
	event atomic.Int64
	lost  atomic.Uint64
}

// New returns a Recording for one call of Run.
func New(opt Options) *Recording { return &Recording{opt: opt} }

// Stats are the counts of a Recording so far.
type Stats struct {
	Bytes  int64  // of the stream
	Events int64  // decoded events
	Lost   uint64 // events that the runtime dropped, according to the sequence numbers
}

// Stats returns the current counts.
func (r *Recording) Stats() Stats {
	return Stats{r.bytes.Load(), r.event.Load(), r.lost.Load()}
}

// Report is the result of Run.
type Report struct {
	Stats
	// Ended is true if the stream had an end mark.
	Ended bool
	// Providers has the names of the providers of the events in complete blocks,
	// each once, in the order of the stream.
	Providers []string
	// RecoveredRows is the number of rows kept of a truncated block.
	RecoveredRows int
	// Dropped is the number of bytes that were read and are not in the
	// destination: the incomplete part of a truncated block, bytes from the
	// malformed place on, bytes after the end mark, and those that the
	// destination did not accept.
	Dropped int64
	// BadBlocks is the number of blocks with malformed rows. They are kept
	// unchanged.
	BadBlocks int
	// BadBlock is the *codec.Error of the first of BadBlocks, or nil.
	BadBlock error
	// Full is the error of a destination that accepted no more blocks, or nil.
	Full error
	// Added is the number of events of Options.Additions that were written.
	Added int64
	// NotAdded is the reason why the others are missing, or nil.
	NotAdded error
}

// Complete reports whether the complete stream is in the destination, including
// the blocks that BadBlocks counts.
func (r *Report) Complete() bool { return r.Ended && r.Full == nil }

// Run copies a stream until its end mark, the end of src, or the place where
// the stream is malformed. The error is the reason why there was no end mark:
// the error of src, a *codec.Error for a malformed stream, or nil if src ended
// early. Run does not read src any further, so close a session when Run has
// returned.
//
// When ctx is done, Run returns its cause after the current block. To end a
// blocked read, close the source.
//
// Run copies complete blocks unchanged, and the complete rows of a truncated
// block (not in version 3). It closes a File at the end.
func (r *Recording) Run(ctx context.Context, src io.Reader, to Sink) (Report, error) {
	run := run{Recording: r, src: newSource(src, r.opt.Schemas), to: to, numbers: numbers{fromStart: true}}
	for run.next() {
		if ctx.Err() != nil {
			run.err = context.Cause(ctx)
			break
		}
	}
	run.end()
	return run.report, run.err
}

// run is one stream on its way.
type run struct {
	*Recording
	src    *source
	to     Sink
	report Report
	err    error
	kept   int64 // bytes of the stream given to the sink
	low    bool  // the sink accepts names only
	rows   codec.BlockRows
	at     position

	numbers numbers // of the threads, for the sequence point after additions
}

// next reads one block.
func (r *run) next() bool {
	b, object, ok := r.src.next()
	switch {
	case !ok:
		return false
	case b.Kind == wire.KindEndOfStream:
		r.report.Ended = true
		r.kept += int64(len(object))
		return false
	case b.Kind == wire.KindUnknown:
		r.err = unknownType(b)
		return false
	case object == nil:
		r.truncated()
		return false
	}
	naming, newest := r.events()
	r.advance(b)
	r.count()
	r.badBlock()
	if r.report.Full == nil || r.low && (naming || b.Kind != wire.KindEvent) {
		r.kept += int64(len(object))
		trace, _ := r.src.r.Trace()
		r.keep(&arrival{b, trace, object, naming, newest})
	}
	if r.opt.OnBlock != nil {
		r.opt.OnBlock()
	}
	return true
}

// keep gives a block to the sink. When a file system has only the space that a File keeps back,
// the blocks of events without names are left out from then on: they count as lost events, by
// the numbers of their threads.
func (r *run) keep(b *arrival) {
	file, isFile := r.to.(*File)
	keep := r.to.keep
	if r.low {
		keep = file.keepMoved
	}
	err := keep(b)
	switch {
	case err != nil:
		r.low = false
		if r.report.Full == nil {
			r.full(err)
		}
	case isFile && r.report.Full == nil && file.Low() != nil:
		r.low = true
		r.full(file.Low())
	}
}

// unknownType is the error for an object of v3 to v5 with an unknown type. Other
// readers refuse the stream there. Blocks of unknown kinds in v6 are skippable by
// the specification, and are kept.
func unknownType(b *codec.Block) error {
	return &codec.Error{Offset: b.Offset, Block: b.Kind, BlockOffset: b.Offset, Row: codec.NoRow, Rule: rule.OBJ006,
		Err: fmt.Errorf("object of unknown type %q", b.TypeName)}
}

// badBlock reports the first bad block.
func (r *run) badBlock() {
	if r.report.BadBlock != nil {
		return
	}
	_, r.report.BadBlock = r.src.r.BadBlocks()
	if r.report.BadBlock != nil && r.opt.OnBadBlock != nil {
		r.opt.OnBadBlock(r.report.BadBlock)
	}
}

// events decodes the events of the block. It returns whether some are of a
// rundown, and the newest time of the others.
func (r *run) events() (naming bool, newest uint64) {
	seen, rundown := uint32(0), false
	for e, ok := r.src.r.NextEvent(); ok; e, ok = r.src.r.NextEvent() {
		if e.MetadataID != seen {
			seen = e.MetadataID
			rundown = isRundown(e.Provider())
			naming = naming || rundown
			r.sent(e.Provider())
		}
		r.at.last = max(r.at.last, e.Timestamp)
		r.numbers.next(e.CaptureThreadIndex, e.Sequence)
		if !rundown {
			newest = max(newest, e.Timestamp)
		}
		if r.opt.OnEvent != nil {
			r.opt.OnEvent(e)
		}
	}
	return naming, newest
}

// advance moves the end of the stream over a block other than events.
func (r *run) advance(b *codec.Block) {
	switch b.Kind {
	case wire.KindTrace:
		if trace, err := r.src.r.Trace(); err == nil {
			r.at.last = trace.SyncTicks
		}
	case wire.KindMetadata:
		for i := range b.Metadata {
			r.at.types = max(r.at.types, b.Metadata[i].Metadata.ID)
			r.at.defined.add(b.Metadata[i].Metadata)
		}
	case wire.KindSequencePoint:
		r.at.last = max(r.at.last, b.SequencePoint.Timestamp)
		if r.opt.OnPoint != nil {
			r.opt.OnPoint(&b.SequencePoint)
		}
		r.numbers.point(slices.Clone(b.SequencePoint.Threads))
	}
}

// sent counts a provider.
func (r *run) sent(provider string) {
	if !slices.Contains(r.report.Providers, provider) {
		r.report.Providers = append(r.report.Providers, strings.Clone(provider))
	}
}

// truncated keeps the complete rows of a truncated block, except in version 3,
// which no runtime writes any more. They stay valid: no more is read with that
// Reader.
func (r *run) truncated() {
	r.src.r.Rows(&r.rows)
	r.count()
	trace, err := r.src.r.Trace()
	if r.report.Full != nil || err != nil || !r.rows.HasRows() {
		return
	}
	r.rows.SetBounds()
	r.report.RecoveredRows = max(len(r.rows.Events), len(r.rows.Metadata), len(r.rows.Stacks))
	for i := range r.rows.Events {
		row := &r.rows.Events[i]
		r.at.last = max(r.at.last, row.Timestamp)
		r.numbers.next(row.CaptureThreadIndex, row.Sequence)
	}
	for i := range r.rows.Metadata {
		r.at.types = max(r.at.types, r.rows.Metadata[i].Metadata.ID)
		r.at.defined.add(r.rows.Metadata[i].Metadata)
	}
	size, err := r.to.keepRows(trace, &r.rows)
	r.kept += size
	if err != nil {
		r.report.RecoveredRows = 0
	}
	if err != nil && !errors.Is(err, codec.ErrNotExpressible) {
		r.full(err)
	}
}

func (r *run) count() {
	r.bytes.Store(r.src.tee.read)
	r.event.Store(r.src.r.Count())
	r.lost.Store(r.src.r.Lost())
}

func (r *run) full(err error) {
	r.report.Full = err
	if r.opt.OnFull != nil {
		r.opt.OnFull(err)
	}
}

// end finds out why the stream ended and closes the keeper.
func (r *run) end() {
	if r.err == nil && !r.report.Ended {
		r.err = r.reason()
	}
	r.count()
	r.report.Stats = r.Stats()
	r.badBlock()
	r.report.BadBlocks, _ = r.src.r.BadBlocks()
	r.add()
	lost, full := r.to.finish()
	if r.report.Full == nil && full != nil {
		r.report.Full = full
	}
	r.report.Dropped = max(0, r.src.tee.read-r.kept) + lost
}

// add writes the additions.
func (r *run) add() {
	file, isFile := r.to.(*File)
	trace, err := r.src.r.Trace()
	if r.opt.Additions == nil || !isFile || err != nil || r.kept == 0 || r.report.Full != nil && !r.low {
		return
	}
	if list := r.opt.Additions(&r.report); list != nil {
		r.report.Added, r.report.NotAdded = file.add(trace, r.at, &r.numbers, list)
	}
}

// reason is the error of the stream, or of its source where that ended early.
func (r *run) reason() error {
	r.src.r.Next() // reports why the stream ended in a block
	err := r.src.r.Err()
	if err != nil && !errors.Is(err, codec.ErrTruncated) {
		return err
	}
	if err := r.src.tee.err; err != io.EOF {
		return err
	}
	return nil
}
