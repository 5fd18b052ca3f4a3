package codec

import (
	"errors"
	"io"
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// stream reads the blocks of a NetTrace stream of any version from 3 to 6 in file
// order: their framing, the tables that they define, and their rows in batches of
// events. Reader and BlockReader embed it. It calls the type that embeds it
// between rows only.
type stream struct {
	opt    Options
	limits Limits
	owner  owner

	raw     raw.Reader
	dialect *dialect
	trace   *Trace

	metadata idTable[*Metadata]
	threads  idTable[*Thread]
	removed  map[uint64]struct{} // indexes of removed threads that were not defined again
	stacks   stackTable
	labels   labelTable
	gaps     gaps
	inline   []uint64 // the stack of a v3 event

	names         interner
	metadataCache rowCache[Metadata]
	threadCache   rowCache[Thread]
	metadataHeld  int64 // memory of the table rows in addition to small ones
	threadsHeld   int64
	traceHeld     int64
	plans         plans
	outdated      int64 // memory of removed rows that the current block or waiting events may show
	unchecked     int64 // bytes since the limit was last checked

	onPoint func(*SequencePoint) // or nil
	block   Block
	body    *raw.Block // of the current event block
	source  source     // of its events
	rows    rowState   // of that block, or of a metadata block of v4 and v5
	endMark bool       // all that the truncated current block has left after its rows is an end mark
	inRows  bool       // the current block has more rows
	badRows rule.ID    // the row after the batch is malformed

	// batch[next:ready] are returned without a check; after ready comes a notice,
	// or the batch ends. 0 <= next <= ready <= decoded <= len(batch).
	batch                []Event
	next, ready, decoded int
	first                int // row number of batch[0] in the block
	notices              []notice
	reported             int // notices[:reported] were reported

	scratch    [1]Event   // the row of a metadata block of v4 and v5
	encoded    []byte     // scratch of Rows
	view       fieldsView // fields of the event at offset viewed
	viewed     int64
	lastMisfit int64 // offset of the last event counted as a misfit
	counted8   bool  // the writer declares counted strings as UTF8CodeUnit

	chunk   Chunk  // that is read, or the zero Chunk
	edges   []Edge // of the chunk so far
	onEdge  func(Edge)
	sliced  bool      // of an Index: only events within a range
	within  TimeRange // that range
	bounded bool      // the header of the current event block bounds the times of its rows

	undescribed int64 // events whose fields were read and which nothing describes

	begun    int64 // offset after the Trace block
	seen     int64 // number of events decoded
	defects  []Defect
	bad      int
	firstBad *Error
	fatal    error // the error that ends the iteration after the decoded events
	err      error // the error that ended it; io.EOF at the end mark
}

// owner is the type that embeds a stream. It may keep events after their block,
// and use memory for them.
type owner interface {
	// waiting estimates the bytes that the owner holds, for Limits.Total.
	waiting() int64
	// holds reports whether events wait that hold rows and labels which may have
	// left the tables.
	holds() bool
	// trimWaiting lets go of memory that the owner keeps for later use only.
	trimWaiting()
	// freezing reports whether events wait that do not hold their table rows, and
	// the bytes that freeze needs.
	freezing() (bytes int64, wait bool)
	// freeze makes the waiting events hold their table rows, because a row of a
	// table is about to be replaced or removed.
	freeze()
	// dropWaiting drops all events that wait, because a strict reading ends.
	dropWaiting()
}

// notice is something to report before a row of the batch is returned.
type notice struct {
	row  int
	lost uint64
	rule rule.ID
	edge bool // of the first number of a thread in a chunk; rule is that of a step back
}

// Defect counts the defects of one rule.
type Defect struct {
	// Rule is the broken rule.
	Rule rule.ID
	// Count is the number of defects.
	Count int64
	Err   error // the first one, an *Error
}

// init prepares a stream for its owner. The caller sets the source next, with
// reset.
func (r *stream) init(opt Options, o owner) {
	r.opt, r.limits, r.owner = opt, opt.Limits.withDefaults(), o
	r.source.r, r.view.stream = r, r
	r.raw.Budget = (*budget)(r)
	r.scratch[0].src = &r.source
	r.rows.activities = make([]activityPair, 0, batchSize+1)
	r.batch = r.newBatch()
}

// mustBeMade panics if no constructor has made the stream.
func (r *stream) mustBeMade(kind string) {
	if r.owner == nil {
		panicUnmade(kind)
	}
}

// panicUnmade is the part of mustBeMade that is not inlined.
func panicUnmade(kind string) {
	panic("codec: a zero " + kind + " has no stream: use New" + kind + " or NewBytes" + kind)
}

// newBatch returns space for a batch of events of the current block.
func (r *stream) newBatch() []Event {
	batch := make([]Event, batchSize)
	for i := range batch {
		batch[i].src = &r.source
	}
	return batch
}

func (r *stream) reset() {
	r.trace = nil
	r.clearMetadata()
	r.threads.clear()
	r.forgetRemoved()
	r.threadsHeld, r.traceHeld, r.unchecked = 0, 0, 0
	r.clearStacksAndLabels()
	r.gaps.reset()
	r.block.reset()
	r.body, r.inRows, r.badRows = nil, false, rule.None
	r.next, r.ready, r.decoded, r.first, r.notices, r.reported = 0, 0, 0, 0, r.notices[:0], 0
	r.seen, r.defects, r.bad, r.firstBad = 0, r.defects[:0], 0, nil
	r.fatal, r.err = nil, nil
	r.viewed, r.lastMisfit, r.counted8, r.view.steady = -1, -1, false, nil
	r.sliced, r.chunk, r.edges, r.undescribed = false, Chunk{}, r.edges[:0], 0
	r.leaveBlock()
}

// Trace returns the description of the trace. It reads the stream up to and
// including its first block if necessary, and fails like Next. The result stays
// valid.
func (r *stream) Trace() (*Trace, error) {
	if r.trace == nil {
		r.mustBeMade("Reader") // BlockReader.Trace has looked
	}
	for r.trace == nil && r.advance() {
	}
	if r.trace == nil {
		return nil, r.Err()
	}
	return r.trace, nil
}

// Err returns the error that ended the iteration; nil before that, and after
// the end mark.
func (r *stream) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Count returns the number of events decoded so far.
func (r *stream) Count() int64 { return r.seen }

// Lost returns the number of events lost so far, according to the sequence
// numbers.
func (r *stream) Lost() uint64 { return r.gaps.lost }

// BadBlocks returns the number of bad blocks skipped, and the *Error of the
// first one, or nil.
func (r *stream) BadBlocks() (int, error) {
	if r.firstBad == nil {
		return 0, nil
	}
	return r.bad, r.firstBad
}

// Defects returns the defects so far, one entry for each violated rule, in the
// order of the first violation of each.
func (r *stream) Defects() []Defect { return slices.Clone(r.defects) }

// Thread returns the row of the thread table (v6) that has the index at this place
// of the stream, or nil if there is none. In v3 to v5 it returns nil. The row stays
// valid.
func (r *stream) Thread(index uint64) *Thread { return r.threads.get(index) }

// Offset returns the number of bytes of the stream consumed so far.
func (r *stream) Offset() int64 { return r.raw.Offset() }

// TrailingBytes reads the source after the end mark to its end, and returns the
// number of bytes. It returns 0 if the end mark has not been read. It blocks
// until the source ends.
func (r *stream) TrailingBytes() (int64, error) { return r.raw.TrailingBytes() }

// stop ends the iteration with err, unless it has ended.
func (r *stream) stop(err error) bool {
	if r.err == nil {
		r.err = err
	}
	r.inRows, r.next, r.ready, r.decoded = false, 0, 0, 0
	return false
}

// advance reads the next block and its definitions.
func (r *stream) advance() bool {
	if r.err != nil {
		return false
	}
	if r.fatal == nil {
		r.ask(0) // the small pieces of the block before were not counted so far
	}
	if r.fatal != nil {
		return r.stop(r.fatal)
	}
	r.leaveBlock()
	b, err := r.raw.Next()
	if err != nil {
		return r.stop(r.framingError(err))
	}
	r.takeBlock(b)
	return true
}

// takeBlock reads the definitions of a block, or starts its rows.
func (r *stream) takeBlock(b *raw.Block) {
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

// framingError is the error for a fault of the framing. When a truncated block has
// nothing but an end mark after its rows, the block is complete and its size wrong.
func (r *stream) framingError(err error) error {
	row := r.truncatedRow()
	var f *raw.Fault
	if r.endMark && errors.As(err, &f) && f.Rule == rule.EOS006 {
		swallowed := *f
		swallowed.Rule = rule.BLK002
		err, row = &swallowed, NoRow
	}
	return wrapFault(err, row)
}

// truncatedRow is the number of the first incomplete row, when the stream ends inside
// the body of the current block; otherwise NoRow.
func (r *stream) truncatedRow() int {
	if r.block.truncated && r.block.Kind != wire.KindTrace && r.block.Kind.Known() {
		return r.block.Rows
	}
	return NoRow
}

// begin reads the first block, which is Trace, and chooses the dialect.
func (r *stream) begin(b *raw.Block) {
	r.begun = r.raw.Offset()
	r.dialect = dialectOf(r.raw.Format(), r.raw.Objects())
	r.trace = &Trace{Format: r.raw.Format(), PointerSize: 8}
	r.dialect.blocks[wire.KindTrace](r, b)
}
