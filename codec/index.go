package codec

import (
	"encoding/binary"
	"io"
	"sync"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Index is where the blocks of a file stand and which times they hold. It is
// made from the block headers alone, and lets a part of the file be read
// without the rest. It is safe for concurrent use.
type Index struct {
	at      io.ReaderAt
	size    int64
	opt     Options
	trace   *Trace
	dialect *dialect
	blocks  []IndexBlock
	err     error
}

// IndexBlock is one block of an Index.
type IndexBlock struct {
	Kind   wire.Kind
	Offset int64 // of the block in the file
	Size   int64 // of its body, as declared
	Region int   // number of the sequence points before it

	// Min and Max bound the times of an event block's rows when Bounded; Min is
	// the time of a sequence point.
	Min, Max uint64
	Bounded  bool
}

// NewIndex walks over the block headers of the first size bytes of at. It reads
// at most 64 bytes at a time and no row. A file that is cut or broken gives an
// index of what stands before, and Err. opt is for the Readers that the index
// gives out; Options.OnLost is not used, because a slice tells nothing of
// losses. More blocks than Limits.Total has room for, 128 bytes each, end the
// index as a cut does.
func NewIndex(at io.ReaderAt, size int64, opt Options) (*Index, error) {
	x := &Index{at: at, size: size, opt: opt}
	r := newReader(opt)
	r.reset()
	r.raw.ResetHeaders(at, size, r.limits.Block)
	trace, err := r.Trace()
	if err != nil {
		return nil, err
	}
	x.trace, x.dialect = trace, r.dialect
	x.walk(r)
	x.bound()
	return x, nil
}

// walk collects the blocks behind the Trace block.
func (x *Index) walk(r *Reader) {
	region := 0
	for {
		b, err := r.raw.Next()
		if err != nil {
			if err != io.EOF {
				x.err = wrapFault(err, 0)
			}
			return
		}
		block := IndexBlock{Kind: b.Kind, Offset: b.Offset, Size: b.Size, Region: region}
		x.dialect.times(&block, b.Body)
		if block.Kind == wire.SequencePoint && x.dialect.sequenced {
			region++
		}
		if size := int64(len(x.blocks)+1) * indexBlockSize; size > r.limits.Total {
			x.err = &Error{
				Offset: b.Offset, Block: b.Kind, BlockOffset: b.Offset, Rule: rule.LIM009,
				Err: &LimitError{What: "Total", Size: size, Limit: r.limits.Total},
			}
			return
		}
		x.blocks = append(x.blocks, block)
	}
}

// indexBlockSize is what a block of an Index takes, with what the list leaves
// behind as it grows.
const indexBlockSize = 128

// headerTimes reads the times of an event block's header and of a sequence
// point (v4 to v6).
//
// Spec: "Event block", Header; "SequencePoint block".
func headerTimes(block *IndexBlock, head []byte) {
	switch {
	case block.Kind == wire.Event && len(head) >= 20:
		block.Min, block.Max = binary.LittleEndian.Uint64(head[4:]), binary.LittleEndian.Uint64(head[12:])
		block.Bounded = block.Min <= block.Max && block.Max != 0
	case block.Kind == wire.SequencePoint && len(head) >= 8:
		block.Min = binary.LittleEndian.Uint64(head)
		block.Max = block.Min
	}
}

// firstRowTime reads the time of the first row of a v3 event block, which has
// no header. The file is in order of time, so the next block bounds it.
func firstRowTime(block *IndexBlock, head []byte) {
	if block.Kind == wire.Event && len(head) >= 20 {
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
		case b.Kind == wire.SequencePoint:
			low = b.Min
		case b.Kind == wire.Event && b.Bounded:
			b.Bounded = low <= b.Min
		}
	}
	high := uint64(1<<64 - 1)
	for i := len(x.blocks) - 1; i >= 0; i-- {
		b := &x.blocks[i]
		switch {
		case b.Kind == wire.SequencePoint:
			high = b.Min
		case b.Kind != wire.Event:
		case x.dialect.inline:
			b.Max, b.Bounded = high, b.Min <= high
			high = b.Min
		case b.Bounded:
			b.Bounded = b.Max <= high
		}
	}
}

// Trace is what the file says about itself.
func (x *Index) Trace() *Trace { return x.trace }

// Blocks returns the blocks behind the Trace block, in file order. The slice
// must not be changed.
func (x *Index) Blocks() []IndexBlock { return x.blocks }

// Err is why the walk ended before the end mark, or nil.
func (x *Index) Err() error { return x.err }

// mayHold says whether an event block may hold rows with from <= time < to.
func (b *IndexBlock) mayHold(from, to uint64) bool {
	return b.Kind == wire.Event && (!b.Bounded || b.Min < to && from <= b.Max)
}

// offsets lists the blocks to read for the events of the given regions with
// from <= time < to: the event blocks that may hold some, everything up to them
// that defines metadata and threads or takes them away, and the stacks and
// labels of their own region.
func (x *Index) offsets(from, to uint64, wanted func(region int) bool) []int64 {
	last := -1 // block that may hold an event
	lastOf := map[int]int{}
	for i := range x.blocks {
		if b := &x.blocks[i]; wanted(b.Region) && b.mayHold(from, to) {
			last, lastOf[b.Region] = i, i
		}
	}
	var list []int64
	for i := range x.blocks[:last+1] {
		b := &x.blocks[i]
		need := true
		switch b.Kind {
		case wire.Event:
			need = x.dialect.inline || wanted(b.Region) && b.mayHold(from, to)
		case wire.Stack, wire.LabelList:
			end, ok := lastOf[b.Region]
			need = ok && i < end
		case wire.Metadata, wire.Thread, wire.RemoveThread, wire.SequencePoint:
		default:
			need = false
		}
		if need {
			list = append(list, b.Offset)
		}
	}
	return list
}

// Between returns a Reader of the events with from <= time < to, in ticks. It
// tells nothing of losses.
func (x *Index) Between(from, to uint64) *Reader {
	return x.reader(from, to, x.offsets(from, to, func(int) bool { return true }))
}

func (x *Index) reader(from, to uint64, offsets []int64) *Reader {
	r := newReader(x.opt)
	r.reset()
	r.raw.ResetBlocks(x.at, x.size, offsets, r.limits.Block)
	r.sliced, r.from, r.to = true, from, to
	return r
}

// Parallel reads the events with from <= time < to with several goroutines, each
// of which takes one region between sequence points after the other. f gets the
// number of the region, which ascends in file order, and the events of one
// region in order; it is called from several goroutines at a time. The first
// error, of a Reader or of f, ends the reading and is returned.
func (x *Index) Parallel(from, to uint64, workers int, f func(region int, e *Event) error) error {
	regions := map[int]bool{}
	for i := range x.blocks {
		if x.blocks[i].mayHold(from, to) {
			regions[x.blocks[i].Region] = true
		}
	}
	work := make(chan int, len(regions))
	for i := 0; len(regions) > 0; i++ {
		if regions[i] {
			work <- i
			delete(regions, i)
		}
	}
	close(work)
	var wait sync.WaitGroup
	var failed sync.Once
	var first error
	stop := make(chan struct{})
	for range max(1, workers) {
		wait.Go(func() {
			for region := range work {
				if err := x.readRegion(from, to, region, f, stop); err != nil {
					failed.Do(func() { first = err; close(stop) })
					return
				}
			}
		})
	}
	wait.Wait()
	return first
}

// readRegion reads one region, until stop is closed.
func (x *Index) readRegion(from, to uint64, region int, f func(int, *Event) error, stop <-chan struct{}) error {
	r := x.reader(from, to, x.offsets(from, to, func(n int) bool { return n == region }))
	for e, err := range r.Events() {
		if err != nil {
			return err
		}
		if err := f(region, e); err != nil {
			return err
		}
		select {
		case <-stop:
			return nil
		default:
		}
	}
	return nil
}
