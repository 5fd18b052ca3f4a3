package codec

import (
	"io"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Chunk is a part of a file: some consecutive blocks of an Index. Chunks of one
// file can be read at the same time. The Chunk of a file of version 3 is the
// complete file, because its event rows define metadata.
type Chunk struct {
	// Number counts the chunks of the file, from 0.
	Number int
	// Offset and End are the file offsets of the first block and of the end of the
	// last one. The last chunk of a file ends after all that follows its blocks.
	Offset, End int64

	index    *Index
	from, to int // positions in index.blocks
	within   TimeRange
}

// Chunks divides the file into chunks of at least size bytes, except for the last
// one, and returns those that may have events of the range, in file order. It cuts
// between any two blocks; with Order ByTime only after a sequence point, because
// events are put in order up to there. For the zero TimeRange, the chunks have all
// events, losses and errors of the file. With a bound they have the events of
// Between, without losses.
func (x *Index) Chunks(within TimeRange, size int64) []Chunk {
	x.mustBeMade()
	var list []Chunk
	from, bytes, events := 0, int64(0), false
	for i := range x.blocks {
		b := &x.blocks[i]
		bytes += x.endOf(i) - b.Offset
		events = events || b.mayHold(within)
		if last := i+1 == len(x.blocks); !last && (bytes < size || !x.mayCutAfter(b)) {
			continue
		}
		if events || !within.Bounded() {
			list = append(list, x.chunk(len(list), from, i+1, within))
		}
		from, bytes, events = i+1, 0, false
	}
	if len(list) == 0 && !within.Bounded() {
		list = append(list, x.chunk(0, 0, 0, within)) // for the error after the Trace block
	}
	return list
}

// endOf returns the offset after a block, which is that of the next one.
func (x *Index) endOf(i int) int64 {
	if i+1 < len(x.blocks) {
		return x.blocks[i+1].Offset
	}
	return x.size
}

// mayCutAfter reports whether a chunk may end after b.
func (x *Index) mayCutAfter(b *IndexBlock) bool {
	if x.opt.Order == ByTime {
		return b.Kind == wire.KindSequencePoint && x.dialect.sequenced
	}
	return !x.dialect.inline
}

func (x *Index) chunk(number, from, to int, within TimeRange) Chunk {
	c := Chunk{Number: number, End: x.endOf(to - 1), index: x, from: from, to: to, within: within}
	if from > 0 {
		c.Offset = x.blocks[from].Offset
	}
	return c
}

// ChunkHooks are the functions that a Reader of chunks calls, any of them nil. They
// replace those of the Options of the Index, because several Readers run at the
// same time.
type ChunkHooks struct {
	OnDefect func(*Error) // as in Options
	OnLost   func(Lost)   // as in Options, for the losses between two numbers in the chunk
	// OnEdge is called for each Edge in the place in which OnLost or OnDefect
	// would be called.
	OnEdge func(Edge)
}

// ChunkReader returns a Reader for the chunks of the Index. It has no events until
// ReadChunk is called.
func (x *Index) ChunkReader(hooks ChunkHooks) *Reader {
	x.mustBeMade()
	opt := x.opt
	opt.OnDefect, opt.OnLost = hooks.OnDefect, hooks.OnLost
	r := newReader(opt)
	r.onEdge = hooks.OnEdge
	x.startAt(r, Chunk{index: x, within: TimeRange{HasTo: true}}, nil)
	return r
}

// ReadChunk makes a Reader of Index.ChunkReader read a chunk. Before the chunk's
// own blocks it reads the metadata, threads, removed threads and sequence points
// before the chunk, and the stacks and labels since the last of these points. If
// the Reader has read an earlier chunk to its end, it continues from there and
// keeps its tables. It reports no defect or loss of the blocks before the chunk.
//
// ReadChunk resets all counts. It panics if the chunk is not of the Reader's
// Index, and inside a loop over Events.
func (r *Reader) ReadChunk(c Chunk) {
	r.outsideLoop("ReadChunk")
	if r.chunk.index == nil || r.chunk.index != c.index {
		panic("codec: ReadChunk needs a Reader and a Chunk of the same Index")
	}
	x, before := c.index, r.chunk
	if before.to > before.from && r.err == io.EOF && before.to <= c.from && before.within == c.within && x.hasTables(before, c) {
		parts := x.chunkParts(before.to, c)
		r.nextChunk()
		r.raw.NextParts(parts)
		r.startChunk(c)
		return
	}
	x.startAt(r, c, x.chunkParts(0, c))
	r.startChunk(c)
}

// hasTables reports whether a Reader of the chunk before has read all of its blocks
// that a later chunk needs. With a bound of time it leaves out the stacks and labels
// after the last event that it reads of a region.
func (x *Index) hasTables(before, c Chunk) bool {
	if !before.within.Bounded() {
		return true
	}
	read := x.appendBetween(nil, before)
	for _, need := range x.tablesBefore(before.from, before.to, c) {
		if !slices.ContainsFunc(read, func(p raw.Part) bool { return p.From <= need.From && need.To <= p.To }) {
			return false
		}
	}
	return true
}

// startAt makes r begin with a chunk.
func (x *Index) startAt(r *Reader, c Chunk, parts []raw.Part) {
	r.reset()
	r.raw.ResetParts(raw.File{ReaderAt: x.at, Size: x.size, Limit: r.limits.Block}, parts)
	r.chunk = c
}

// startChunk sets the state of a chunk that is read next.
func (r *Reader) startChunk(c Chunk) {
	r.chunk, r.within = c, c.within
	r.sliced = c.within.Bounded()
	r.gaps.edges.reset(c.from > 0)
}

// nextChunk resets the counts and keeps the tables.
func (r *Reader) nextChunk() {
	r.region.reset()
	r.region.closeSource()
	r.recycle()
	r.leaveBlock()
	r.gaps.reset()
	r.edges = r.edges[:0]
	r.next, r.ready, r.decoded, r.first, r.notices, r.reported = 0, 0, 0, 0, r.notices[:0], 0
	r.seen, r.defects, r.bad, r.firstBad = 0, r.defects[:0], 0, nil
	r.fatal, r.err = nil, nil
	r.viewed, r.lastMisfit, r.undescribed = -1, -1, 0
}

// beforeChunk reports whether the current block is read for its tables only.
func (r *stream) beforeChunk() bool { return r.block.Offset < r.chunk.Offset }

// chunkParts lists the blocks from position from on that are read for a chunk, if the
// tables have those before it: rows and points before the chunk, its stacks and labels
// since the last point, and the blocks of the chunk.
func (x *Index) chunkParts(from int, c Chunk) []raw.Part {
	list := x.tablesBefore(from, c.from, c)
	switch {
	case c.within.Bounded():
		return x.appendBetween(list, c)
	case c.to == len(x.blocks):
		return append(list, raw.Part{From: c.Offset, To: math.MaxInt64})
	}
	return append(list, raw.Part{From: c.Offset, To: c.End})
}

// appendBlock appends the block at position i to ascending parts of the file.
func (x *Index) appendBlock(list []raw.Part, i int) []raw.Part {
	part := raw.Part{From: x.blocks[i].Offset, To: x.endOf(i)}
	if i+1 == len(x.blocks) {
		part.To = part.From + 1 // without what follows the blocks
	}
	if last := len(list) - 1; last >= 0 && list[last].To == part.From {
		list[last].To = part.To
		return list
	}
	return append(list, part)
}

// tablesBefore lists the blocks from one position to another, before a chunk, whose rows
// and points it needs.
func (x *Index) tablesBefore(from, to int, c Chunk) []raw.Part {
	var list []raw.Part
	for i := from; i < to; i++ {
		b := &x.blocks[i]
		switch b.Kind {
		case wire.KindStack, wire.KindLabelList:
			if b.Region != x.blocks[c.from].Region {
				continue
			}
		case wire.KindMetadata, wire.KindThread, wire.KindRemoveThread, wire.KindSequencePoint:
		default:
			continue
		}
		list = x.appendBlock(list, i)
	}
	return list
}

// appendBetween appends the blocks of a chunk that are read for the events in its
// range of time: the event blocks that may have some, all blocks up to them that
// define metadata and threads or remove them, and the stacks and labels of their
// own region.
func (x *Index) appendBetween(list []raw.Part, c Chunk) []raw.Part {
	last := -1 // block that may hold an event
	lastOf := map[int]int{}
	for i := c.from; i < c.to; i++ {
		if b := &x.blocks[i]; b.mayHold(c.within) {
			last, lastOf[b.Region] = i, i
		}
	}
	for i := c.from; i <= last; i++ {
		b := &x.blocks[i]
		need := true
		switch b.Kind {
		case wire.KindEvent:
			need = x.dialect.inline || b.mayHold(c.within)
		case wire.KindStack, wire.KindLabelList:
			end, ok := lastOf[b.Region]
			need = ok && i < end
		case wire.KindMetadata, wire.KindThread, wire.KindRemoveThread, wire.KindSequencePoint:
		default:
			need = false
		}
		if need {
			list = x.appendBlock(list, i)
		}
	}
	return list
}
