package codec

import (
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Reader reads one NetTrace stream of any version from 3 to 6. It is for one
// goroutine.
type Reader struct {
	opt    Options
	limits Limits

	raw     raw.Reader
	dialect *dialect
	trace   *Trace

	metadata idTable[*Metadata]
	threads  idTable[*Thread]
	removed  map[uint64]struct{} // indexes of threads that were removed and not defined again
	stacks   stackTable
	labels   labelTable
	gaps     gaps
	inline   []uint64 // the stack of a v3 event

	names         interner
	metadataCache rowCache[Metadata]
	threadCache   rowCache[Thread]
	metadataHeld  int64 // what the rows of the tables hold beside small ones
	threadsHeld   int64
	traceHeld     int64
	plans         plans
	outdated      int64 // what left the tables holds, and the current block or waiting events may show
	unasked       int64 // taken since the limit was last looked at

	onPoint func(*SequencePoint) // or nil
	block   Block
	body    *raw.Block // of the event block whose rows are read
	source  source     // of its events
	rows    rowState   // of that block, or of a metadata block of v4 and v5
	endMark bool       // all that the truncated current block has left after its rows is an end mark
	inRows  bool       // rows of the current block are still to come
	badRows rule.ID    // the row behind the batch is wrong

	// batch[next:ready] go out without a look; behind ready comes a notice, or
	// the batch ends. 0 <= next <= ready <= decoded <= len(batch).
	batch                []Event
	events               []*Event // events[i] is &batch[i]
	next, ready, decoded int
	loop                 int // position in batch of a loop over Events that runs, for which next is ready; or noLoop
	first                int // row number of batch[0] in the block
	notices              []notice
	told                 int // notices[:told] have gone out
	region               region
	scratch              [1]Event

	encoded   []byte     // scratch of Rows
	view      fieldsView // fields of the event at offset viewed
	viewed    int64
	misfitted int64 // offset of the last event counted as a misfit
	counted8  bool  // the writer declares counted strings as UTF8CodeUnit

	sliced  bool      // of an Index: only events within a range
	within  TimeRange // that range
	bounded bool      // the header of the current event block bounds the times of its rows

	begun    int64 // offset after the Trace block
	seen     int64 // number of events decoded
	defects  []Defect
	bad      int
	firstBad *Error
	fatal    error // what ends the iteration once what is decoded has gone out
	err      error // what ended it; io.EOF at the end mark
}

// notice is something to tell before a row of the batch goes out.
type notice struct {
	row  int
	lost uint64
	rule rule.ID
}

// Defect counts the defects of one rule.
type Defect struct {
	Rule  rule.ID
	Count int64
	First Error // the first one
}

// NewReader returns a Reader of src. Nothing is read before the first call that
// needs it. The Reader asks src for no more than it can get at once, so that a
// block that has arrived is delivered even when nothing follows.
func NewReader(src io.Reader, opt Options) *Reader {
	r := newReader(opt)
	r.Reset(src)
	return r
}

// NewBytesReader returns a Reader of a stream that is in memory. The bytes are
// read in place and never written; they must not change while the Reader is in
// use.
func NewBytesReader(b []byte, opt Options) *Reader {
	r := newReader(opt)
	r.ResetBytes(b)
	return r
}

func newReader(opt Options) *Reader {
	r := &Reader{opt: opt, limits: opt.Limits.withDefaults(), loop: noLoop}
	r.source.r, r.view.room = r, r
	r.raw.Room = (*room)(r)
	r.scratch[0].src = &r.source
	r.rows.activities = make([]activityPair, 0, batchSize+1)
	r.batch = r.newBatch()
	for i := range r.batch {
		r.events = append(r.events, &r.batch[i])
	}
	return r
}

// newBatch returns room for a batch of events of the current block.
func (r *Reader) newBatch() []Event {
	batch := make([]Event, batchSize)
	for i := range batch {
		batch[i].src = &r.source
	}
	return batch
}

// Reset makes the Reader read src from its start, with the same options. It
// keeps buffers, names and decoded rows, so that a stream like the one before
// costs almost no allocation. It panics inside a loop over Events.
func (r *Reader) Reset(src io.Reader) {
	r.outsideLoop("Reset")
	r.reset()
	r.raw.ResetStream(src, r.limits.Block)
}

// ResetBytes is Reset for a stream that is in memory.
func (r *Reader) ResetBytes(b []byte) {
	r.outsideLoop("ResetBytes")
	r.reset()
	r.raw.ResetMemory(b, r.limits.Block)
}

func (r *Reader) reset() {
	r.trace = nil
	r.clearMetadata()
	r.threads.clear()
	r.forgetRemoved()
	r.threadsHeld, r.traceHeld, r.unasked = 0, 0, 0
	r.clearStacksAndLabels()
	r.gaps.reset()
	r.block.reset()
	r.body, r.inRows, r.badRows = nil, false, rule.None
	r.next, r.ready, r.decoded, r.loop, r.first, r.notices, r.told = 0, 0, 0, noLoop, 0, r.notices[:0], 0
	r.seen, r.defects, r.bad, r.firstBad = 0, r.defects[:0], 0, nil
	r.fatal, r.err = nil, nil
	r.viewed, r.misfitted, r.counted8, r.view.steady = -1, -1, false, nil
	r.sliced = false
	r.region.reset()
	r.leaveBlock()
}

// Trace returns what the stream says about itself. It reads the stream up to
// and with its first block if that was not read yet, and fails as Next would.
// The result stays valid.
func (r *Reader) Trace() (*Trace, error) {
	for r.trace == nil && r.advance() {
	}
	if r.trace == nil {
		return nil, r.Err()
	}
	return r.trace, nil
}

// Events iterates over the events that were not delivered yet, in the order of
// Options.Order. The loop yields an error last, with a nil event; the end of the
// stream is not an error. Breaking out of the loop leaves the Reader at the next
// event.
//
// The Reader belongs to the loop: Events, Next, NextBlock, NextInBlock, ReadBlock,
// Rows, Reset and ResetBytes panic inside its body, and after a panic that left
// the body.
func (r *Reader) Events() iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		for {
			events, err := r.enterLoop()
			// One call serves events and the error, because the compiler puts a large
			// loop body in place of a call only when it is the only one.
			for _, e := range events {
				r.loop++
				if !yield(e, err) {
					r.leaveLoop()
					return
				}
			}
			if r.leaveLoop(); err != nil || len(events) == 0 {
				return
			}
		}
	}
}

// noLoop is Reader.loop outside of a loop over Events.
const noLoop = -2

// enterLoop returns the events that a loop over Events yields next, or one nil
// event with the error that ends the loop. In strict mode it returns one event at
// a time, because asking for its fields may end the reading.
func (r *Reader) enterLoop() ([]*Event, error) {
	r.outsideLoop("Events")
	for r.next >= r.ready {
		if r.refill(true) {
			continue
		}
		if err := r.Err(); err != nil {
			r.loop = -1
			return []*Event{nil}, err
		}
		return nil, nil
	}
	events := r.events[r.next:r.ready]
	if r.opt.Strict {
		events = events[:1]
	}
	r.loop, r.next = r.next, r.ready // so that Next finds no event, and looks
	return events, nil
}

// leaveLoop makes the event after the one yielded last come next.
func (r *Reader) leaveLoop() {
	if r.loop != noLoop {
		r.next, r.loop = r.loop, noLoop
	}
}

// outsideLoop panics inside a loop over Events.
func (r *Reader) outsideLoop(method string) {
	if r.loop != noLoop {
		panic("codec: Reader." + method + " called inside a loop over Reader.Events")
	}
}

// Next returns the next event in the order of Options.Order, or false when there
// is none: Err returns the reason. It panics inside a loop over Events.
func (r *Reader) Next() (*Event, bool) {
	if r.next >= r.ready && !r.more("Next", true) {
		return nil, false
	}
	r.next++
	return &r.batch[r.next-1], true
}

// more is refill for a method that must not run inside a loop over Events.
func (r *Reader) more(method string, follow bool) bool {
	r.outsideLoop(method)
	return r.refill(follow)
}

// NextBlock goes to the next block and returns it, the end mark included, or
// returns false when there is none: Err returns the reason. Blocks come in file
// order whatever Options.Order is. NextBlock passes over the events that were not
// delivered yet: those left in the block before, and, by time, those that wait to
// be ordered. It panics inside a loop over Events.
func (r *Reader) NextBlock() (*Block, bool) {
	r.outsideLoop("NextBlock")
	r.passWaiting()
	for r.refill(false) {
		r.next = r.ready
	}
	if !r.advance() {
		return nil, false
	}
	return &r.block, true
}

// NextInBlock returns the next event of the current block, or false after the
// last one. It panics inside a loop over Events.
func (r *Reader) NextInBlock() (*Event, bool) {
	if r.next >= r.ready && !r.more("NextInBlock", false) {
		return nil, false
	}
	r.next++
	return &r.batch[r.next-1], true
}

// RowFlags returns the flags byte of the row of e, an event of the current
// block; of an uncompressed row the sorted bit alone.
func (r *Reader) RowFlags(e *Event) byte { return e.flags }

// Stack returns the addresses of a stack of the current region, as
// Event.Stack.
func (r *Reader) Stack(id uint32) []uint64 { return r.stacks.get(id) }

// LabelList returns the labels of a list of the current region, as
// Event.Labels.
func (r *Reader) LabelList(id uint32) []Label { return r.labels.get(id) }

// Err is what ended the iteration, nil before that and at the end mark.
func (r *Reader) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Count is the number of events decoded so far.
func (r *Reader) Count() int64 { return r.seen }

// Lost is the number of events lost so far, by the sequence numbers.
func (r *Reader) Lost() uint64 { return r.gaps.lost }

// BadBlocks returns the number of bad blocks skipped, and the first one's
// error.
func (r *Reader) BadBlocks() (int, *Error) { return r.bad, r.firstBad }

// Defects returns the defects met so far, by rule in the order first met.
func (r *Reader) Defects() []Defect { return slices.Clone(r.defects) }

// OutOfOrder returns the number of events that were delivered after a newer one
// though Options.Order is ByTime: a sorted row or a sequence point promised too
// much, or Limits.Reorder was exceeded. Sequence points are compared across: an
// event that is older than one before the last sequence point counts.
func (r *Reader) OutOfOrder() int64 { return r.region.late }

// Offset is the number of bytes of the stream consumed so far.
func (r *Reader) Offset() int64 { return r.raw.Offset() }

// TrailingBytes consumes what follows the end mark, without a look at it, and
// returns its length; 0 before the end mark was read. It blocks as long as the
// source does.
func (r *Reader) TrailingBytes() (int64, error) { return r.raw.TrailingBytes() }

// refill makes next < ready, from the current block or, if allowed, from those
// that follow.
func (r *Reader) refill(follow bool) bool {
	if follow && r.byTime() {
		return r.refillByTime()
	}
	for {
		switch {
		case r.next < r.ready:
			return true
		case r.next < r.decoded:
			if !r.tell() {
				return false
			}
		case r.inRows && r.fatal == nil:
			if r.region.shown > 0 { // events that were ordered, by a step before
				r.recycle()
			}
			r.decodeBatch(r.batch)
		case r.fatal != nil:
			return r.stop(r.fatal)
		case !follow || !r.advance():
			return false
		}
	}
}

// stop ends the iteration with err, unless it has ended.
func (r *Reader) stop(err error) bool {
	if r.err == nil {
		r.err = err
	}
	r.inRows, r.next, r.ready, r.decoded = false, 0, 0, 0
	return false
}

// advance reads the next block and takes in what it defines.
func (r *Reader) advance() bool {
	if r.err != nil {
		return false
	}
	if r.fatal != nil {
		return r.stop(r.fatal)
	}
	if r.takeStashed() {
		return true
	}
	r.leaveBlock()
	b, err := r.raw.Next()
	if err != nil {
		return r.stop(r.framingError(err))
	}
	r.takeBlock(b)
	return true
}

// takeBlock takes in what a block defines, or makes its rows come next.
func (r *Reader) takeBlock(b *raw.Block) {
	r.block.reset()
	r.endMark = false
	r.block.truncated = b.Truncated
	r.block.Kind, r.block.TypeName, r.block.Size = b.Kind, b.TypeName, b.Size
	r.block.Offset, r.block.BodyOffset, r.block.Body = b.Offset, b.BodyOffset, b.Body
	r.block.Version, r.block.MinReader = b.Version, b.MinReader
	switch {
	case r.trace == nil:
		r.begin(b)
	case b.Kind == wire.KindTrace:
		r.defectAt(r.dialect.second, b.Offset, NoRow)
	case int(b.Kind) < len(r.dialect.blocks) && r.dialect.blocks[b.Kind] != nil:
		r.dialect.blocks[b.Kind](r, b)
	}
}

// byTime says whether events are to be put in order.
func (r *Reader) byTime() bool {
	if r.opt.Order != ByTime {
		return false
	}
	r.Trace()
	return r.dialect != nil && r.dialect.sequenced
}

// framingError is the error for a fault of the framing. When a truncated block has
// nothing but an end mark after its rows, the block is complete and its size wrong.
func (r *Reader) framingError(err error) error {
	row := r.cutRow()
	var f *raw.Fault
	if r.endMark && errors.As(err, &f) && f.Rule == rule.EOS006 {
		swallowed := *f
		swallowed.Rule = rule.BLK002
		err, row = &swallowed, NoRow
	}
	return wrapFault(err, row)
}

// cutRow is the number of the first row that is not complete, when the stream ends
// inside the body of the current block; else NoRow.
func (r *Reader) cutRow() int {
	if r.block.truncated && r.block.Kind != wire.KindTrace && r.block.Kind.Known() {
		return r.block.Rows
	}
	return NoRow
}

// begin reads the first block, which is Trace, and chooses the dialect.
func (r *Reader) begin(b *raw.Block) {
	r.begun = r.raw.Offset()
	r.dialect = dialectOf(r.raw.Format(), r.raw.Objects())
	r.trace = &Trace{Format: r.raw.Format(), PointerSize: 8}
	r.dialect.blocks[wire.KindTrace](r, b)
}

// readEventBlock makes the rows of an event block come next.
func readEventBlock(r *Reader, b *raw.Block) {
	if r.eventHeader(b, &r.rows) {
		r.bounded = bounds(r.block.MinTimestamp, r.block.MaxTimestamp)
		r.openRows(b)
	}
}

func (r *Reader) openRows(b *raw.Block) {
	r.body, r.inRows = b, true
	r.source.body, r.source.offset, r.source.block = b.Body, b.BodyOffset, b.Offset
	r.source.metadata = r.metadata
}

// readEventBlockV3 does so for v3, whose blocks have no header.
func readEventBlockV3(r *Reader, b *raw.Block) {
	r.beginRows(&r.rows, 0)
	r.bounded = false
	r.openRows(b)
}

// decodeBatch decodes the next rows of the current block, or ends it.
func (r *Reader) decodeBatch(dst []Event) {
	s := &r.rows
	r.next, r.ready, r.decoded, r.notices, r.told = 0, 0, 0, r.notices[:0], 0
	if r.badRows != rule.None || s.pos >= len(r.body.Body) {
		r.endRows()
		return
	}
	s.beginBatch()
	n, bad := r.dialect.rows[r.block.Flags&wire.BlockCompressed](s, r.body.Body, dst)
	r.badRows, r.source.activities = bad, s.activities
	r.first = r.block.Rows
	r.block.Rows += n
	if r.dialect.inline && n > 0 && dst[0].MetadataID == 0 {
		r.defineInline(&dst[0])
		return
	}
	if r.sliced {
		n = r.cutSlice(dst[:n])
	}
	r.decoded = n
	r.seen += int64(n)
	if r.bounded && n > 0 {
		r.checkBounds(dst[:n])
	}
	if s.unknown {
		r.checkReferences(dst[:n])
	}
	if r.dialect.sequenced && n > 0 && !r.sliced {
		r.account(dst[:n], s)
		r.mayHold(int64(s.marked) * stateSize)
		if err := r.overThreads(); err != nil {
			r.fatal = err
		}
	}
	if len(r.notices) == 0 {
		r.ready = n
	} else {
		slices.SortStableFunc(r.notices, func(a, b notice) int { return a.row - b.row })
	}
}

// cutSlice moves the events of a batch that lie in the slice to its front and
// returns their number.
func (r *Reader) cutSlice(batch []Event) int {
	n := 0
	for i := range batch {
		if r.within.Contains(batch[i].Timestamp) {
			batch[n] = batch[i]
			n++
		}
	}
	return n
}

// defineInline takes in a v3 row that defines metadata.
func (r *Reader) defineInline(e *Event) {
	b := r.body
	end := e.payload + e.size
	c := cursor{b: b.Body[:end:end], pos: int(e.payload)}
	r.block.Rows-- // define counts it
	r.definitionV4(&c, MetadataRow{Offset: e.Offset(), Size: r.rows.pos - int(e.row())})
	c.past = false
	if r.badRow(b, &c) {
		r.inRows, r.badRows = false, rule.None
		return
	}
	r.rows.metadata = r.metadata.reach()
	r.source.metadata = r.metadata
}

// endRows ends an event block.
func (r *Reader) endRows() {
	s, b := &r.rows, r.body
	bad := r.badRows
	r.inRows, r.badRows = false, rule.None
	switch {
	case bad != rule.None:
		r.badBlock(b, bad, b.BodyOffset+int64(s.badPos), ErrBadBlock, s.past)
	case r.block.Rows == 0 && !b.Truncated:
		r.defectAt(rule.EVB005, b.Offset, NoRow)
	}
}

// note keeps a notice for a row of the batch.
func (r *Reader) note(row int, n notice) {
	n.row = row
	r.notices = append(r.notices, n)
}

// tell gives out the notices of the row that comes next, and says whether the
// row may go out.
func (r *Reader) tell() bool {
	e := &r.batch[r.next]
	for r.told < len(r.notices) && r.notices[r.told].row == r.next {
		n := r.notices[r.told]
		r.told++
		if n.lost > 0 {
			r.report(Lost{CaptureThread: e.CaptureThreadIndex, Count: n.lost, Before: e.Timestamp, HasBefore: true})
			continue
		}
		defect := r.defectOf(n.rule, e.Offset(), r.first+r.next)
		if r.opt.Strict {
			return r.stop(r.countLast(defect))
		}
		r.count(defect)
	}
	r.ready = r.decoded
	if r.told < len(r.notices) {
		r.ready = r.notices[r.told].row
	}
	return true
}
