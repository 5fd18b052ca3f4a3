package codec

import (
	"context"
	"encoding/binary"
	"io"
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Index lists the blocks of a file with the times of their rows, so that a part
// of the file can be read without the rest. The times are those of the block
// headers. If the times in a header do not include all rows of its block,
// Between and Chunks may leave out rows: Unverified returns the number of
// blocks that are skipped only because of their header, and Verify replaces the
// times by those of the rows.
//
// An Index is safe for concurrent use, except for Verify.
type Index struct {
	at      io.ReaderAt
	size    int64
	opt     Options
	trace   *Trace
	dialect *dialect
	blocks  []IndexBlock
	offset  int64 // of the end: after the end mark, or at the error
	err     error
}

// IndexBlock is one block of an Index.
type IndexBlock struct {
	// Kind is the kind of the block.
	Kind   wire.Kind
	Offset int64 // file offset of the block
	Size   int64 // declared bytes of its body
	Region int   // number of the sequence points before it

	// Min and Max are the times of the oldest and the newest row of an event
	// block, in ticks, if Bounded. They come from the block's header, or from
	// its rows if Verified. Min is also the time of a sequence point.
	Min, Max uint64
	// Bounded reports that Min and Max are usable.
	Bounded bool
	// Verified reports that Min and Max come from the rows.
	Verified bool
}

// NewIndex reads the block headers of the first size bytes of at. It reads at
// most 128 bytes at a time. Of each block it reads the header and the time of the
// first row. If the header's range does not include that time, the range is not
// trusted and the block is never skipped. For a
// file that is truncated or malformed, the index has the blocks before that
// place, and Err returns the error. opt is for the Readers that the Index
// returns. Options.OnLost has no effect, because losses cannot be counted in a
// part of a file. The index needs 128 bytes for each block; beyond Limits.Total
// it ends as for a truncated file.
func NewIndex(at io.ReaderAt, size int64, opt Options) (*Index, error) {
	x := &Index{at: at, size: size, opt: opt}
	r := newReader(opt)
	r.reset()
	r.raw.ResetHeaders(raw.File{ReaderAt: at, Size: size, Limit: r.limits.Block})
	trace, err := r.Trace()
	if err != nil {
		return nil, err
	}
	x.trace, x.dialect = trace, r.dialect
	x.walk(r)
	x.bound()
	return x, nil
}

// walk collects the blocks after the Trace block.
func (x *Index) walk(r *Reader) {
	region := 0
	for {
		b, err := r.raw.Next()
		if err != nil {
			if err != io.EOF {
				x.err = wrapFault(err, NoRow)
			}
			x.offset = r.Offset()
			return
		}
		block := IndexBlock{Kind: b.Kind, Offset: b.Offset, Size: b.Size, Region: region}
		x.dialect.times(&block, b.Body)
		if block.Kind == wire.KindSequencePoint && x.dialect.sequenced {
			region++
		}
		if size := int64(len(x.blocks)+1) * indexBlockSize; size > r.limits.Total {
			x.err = &Error{
				Offset: b.Offset, Block: b.Kind, BlockOffset: b.Offset, Row: NoRow, Rule: rule.LIM009,
				Err: &LimitError{Name: "Total", Size: size, Limit: r.limits.Total},
			}
			return
		}
		x.blocks = append(x.blocks, block)
	}
}

// indexBlockSize is the memory of a block of an Index, including the old
// copies of the list that remain as it grows.
const indexBlockSize = 128

// headerTimes reads the times of an event block's header and of a sequence
// point (v4 to v6).
//
// Spec: "Event block", Header; "SequencePoint block".
func headerTimes(block *IndexBlock, head []byte) {
	switch {
	case block.Kind == wire.KindEvent && len(head) >= 20:
		block.Min, block.Max = binary.LittleEndian.Uint64(head[4:]), binary.LittleEndian.Uint64(head[12:])
		block.Bounded = bounds(block.Min, block.Max)
		if first, ok := firstRowOf(head); ok && (first < block.Min || block.Max < first) {
			block.Bounded = false
		}
	case block.Kind == wire.KindSequencePoint && len(head) >= 8:
		block.Min = binary.LittleEndian.Uint64(head)
		block.Max = block.Min
	}
}

// bounds reports whether the times of a header are known: writers that do not
// know them leave 0.
func bounds(low, high uint64) bool { return low <= high && high != 0 }

// firstRowOf reads the time of the first row from the head of an event block, false
// when the head does not reach that far.
//
// Spec: "Event block".
func firstRowOf(head []byte) (ticks uint64, ok bool) {
	const plainTime = 36 // position in an uncompressed row
	start := int(binary.LittleEndian.Uint16(head))
	if start < 20 || start >= len(head) {
		return 0, false
	}
	row := head[start:]
	if head[2]&wire.BlockCompressed == 0 {
		if len(row) < plainTime+8 {
			return 0, false
		}
		return binary.LittleEndian.Uint64(row[plainTime:]), true
	}
	r, flags := varReader{b: row, pos: 1}, row[0]
	if flags&wire.RowMetadataID != 0 {
		r.uint32()
	}
	if flags&wire.RowSequence != 0 {
		r.uint32()
		r.uint64()
		r.uint32()
	}
	if flags&wire.RowThread != 0 {
		r.uint64()
	}
	if flags&wire.RowStackID != 0 {
		r.uint32()
	}
	ticks = r.uint64()
	return ticks, r.bad == rule.None
}

// firstRowTime reads the time of the first row of a v3 event block, which has
// no header. The file is in order of time, so the next block bounds it.
func firstRowTime(block *IndexBlock, head []byte) {
	if block.Kind == wire.KindEvent && len(head) >= 20 {
		block.Min = binary.LittleEndian.Uint64(head[12:])
	}
}

// bound decides which times are trusted. Those of a header are when they lie
// between the sequence points around the block; the text promises as much.
func (x *Index) bound() {
	var low uint64
	for i := range x.blocks {
		b := &x.blocks[i]
		switch {
		case b.Kind == wire.KindSequencePoint:
			low = b.Min
		case b.Kind == wire.KindEvent && b.Bounded:
			b.Bounded = low <= b.Min
		}
	}
	high := uint64(1<<64 - 1)
	for i := len(x.blocks) - 1; i >= 0; i-- {
		b := &x.blocks[i]
		switch {
		case b.Kind == wire.KindSequencePoint:
			high = b.Min
		case b.Kind != wire.KindEvent:
		case x.dialect.inline:
			b.Max, b.Bounded = high, b.Min <= high
			high = b.Min
		case b.Bounded:
			b.Bounded = b.Max <= high
		}
	}
}

// WithLimits returns an Index of the same blocks whose Readers have other limits.
func (x *Index) WithLimits(limits Limits) *Index {
	x.mustBeMade()
	other := *x
	other.blocks = slices.Clone(x.blocks) // Verify changes them
	other.opt.Limits = limits
	return &other
}

// Trace returns the description of the trace.
func (x *Index) Trace() *Trace { return x.trace }

// Blocks returns the blocks after the Trace block, in file order. The caller
// must not modify the slice.
func (x *Index) Blocks() []IndexBlock { return x.blocks }

// Err returns the error that ended the index before the end mark, or nil.
func (x *Index) Err() error { return x.err }

// Unverified returns the number of event blocks that Between and Chunks skip
// for this range only because of the times in their headers. If it is 0, they
// leave out no event.
func (x *Index) Unverified(within TimeRange) int {
	last := x.last(within)
	n := 0
	for i := range x.blocks {
		b := &x.blocks[i]
		read := b.mayHold(within) || x.dialect.inline && i < last
		if b.Kind == wire.KindEvent && !read && !b.Verified {
			n++
		}
	}
	return n
}

// Verify reads all rows of the file and sets the times of each event block to
// those of its rows, so that Between and Chunks leave out no event of the
// blocks in the index. It returns the error that ended the reading. If Err is
// not nil, Verify reads up to that place and returns nil. When ctx is done,
// Verify returns its cause. Blocks that it has not read keep the times of their
// headers.
func (x *Index) Verify(ctx context.Context) error {
	x.mustBeMade()
	opt := x.opt
	opt.OnError, opt.Strict, opt.OnDefect, opt.OnLost, opt.NoStacks = Skip, false, nil, nil, true
	r := NewBlockReader(io.NewSectionReader(x.at, 0, x.size), opt)
	next := 0
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for next < len(x.blocks) && x.blocks[next].Offset < b.Offset {
			next++
		}
		if b.Kind == wire.KindEvent && next < len(x.blocks) && x.blocks[next].Offset == b.Offset {
			x.blocks[next].verify(r)
		}
	}
	if x.err != nil {
		return nil
	}
	return r.Err()
}

// verify makes the times of b those of the rows of the Reader's current block.
func (b *IndexBlock) verify(r *BlockReader) {
	rows := 0
	low, high := uint64(0), uint64(0)
	for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
		if rows == 0 {
			low, high = e.Timestamp, e.Timestamp
		}
		low, high = min(low, e.Timestamp), max(high, e.Timestamp)
		rows++
	}
	if r.Err() == nil {
		b.Min, b.Max, b.Bounded, b.Verified = low, high, rows > 0, true
	}
}

// mustBeMade panics for the zero Index.
func (x *Index) mustBeMade() {
	if x.at == nil {
		panic("codec: a zero Index has no file: use NewIndex")
	}
}

// mayHold reports whether an event block may have rows of the range.
func (b *IndexBlock) mayHold(within TimeRange) bool {
	return b.Kind == wire.KindEvent && (!b.Bounded || (!within.HasTo || b.Min < within.To) && (!within.HasFrom || within.From <= b.Max))
}

// last is the position of the last block that may hold an event of the range, -1
// when none may.
func (x *Index) last(within TimeRange) int {
	for i := len(x.blocks) - 1; i >= 0; i-- {
		if x.blocks[i].mayHold(within) {
			return i
		}
	}
	return -1
}

// Between returns a Reader of the events in a time range. It reports no losses.
// If Unverified is not 0, events in blocks with wrong times in their headers
// may be missing.
func (x *Index) Between(within TimeRange) *Reader {
	x.mustBeMade()
	r := newReader(x.opt)
	r.reset()
	parts := x.appendBetween(nil, x.chunk(0, 0, len(x.blocks), within))
	r.raw.ResetParts(raw.File{ReaderAt: x.at, Size: x.size, Limit: r.limits.Block}, parts)
	r.sliced, r.within = true, within
	return r
}
