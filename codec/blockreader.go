package codec

import "io"

// BlockReader reads one NetTrace stream of any version from 3 to 6 block by block,
// in file order: Next goes to a block, and Rows, Columns or NextEvent read its rows.
// A Reader reads a stream by its events. A BlockReader is for one goroutine.
//
// Losses and defects are reported before the event, the rows or the columns that
// show them. Options.Order is not used.
type BlockReader struct {
	stream
	peeked bool // Trace has read the first block, which Next has not returned
}

// NewBlockReader returns a BlockReader of src. Nothing is read before the first
// call that needs it. It asks src for no more than it can get at once, so that a
// block that has arrived is returned even when nothing follows.
func NewBlockReader(src io.Reader, opt Options) *BlockReader {
	r := &BlockReader{}
	r.init(opt, r)
	r.Reset(src)
	return r
}

// NewBytesBlockReader returns a BlockReader of a stream that is in memory. The
// bytes are read in place and never written; they must not change while the
// BlockReader is in use.
func NewBytesBlockReader(b []byte, opt Options) *BlockReader {
	r := &BlockReader{}
	r.init(opt, r)
	r.ResetBytes(b)
	return r
}

// Reset makes the BlockReader read src from its start, with the same options. It
// keeps buffers, names and decoded rows, so that a stream like the one before
// costs almost no allocation.
func (r *BlockReader) Reset(src io.Reader) {
	r.reset()
	r.raw.ResetStream(src, r.limits.Block)
}

// ResetBytes is Reset for a stream that is in memory.
func (r *BlockReader) ResetBytes(b []byte) {
	r.reset()
	r.raw.ResetMemory(b, r.limits.Block)
}

func (r *BlockReader) reset() {
	r.mustBeMade("BlockReader")
	r.peeked = false
	r.stream.reset()
}

// Trace returns the content of the first block, which describes the trace. It reads
// that block if this has not been done, and fails as Next would; Next returns the
// block all the same. The result stays valid.
func (r *BlockReader) Trace() (*Trace, error) {
	if r.trace != nil {
		return r.trace, nil
	}
	r.mustBeMade("BlockReader")
	trace, err := r.stream.Trace()
	r.peeked = err == nil
	return trace, err
}

// Next goes to the next block and returns it, or returns false when there is none:
// Err returns the reason. The first block is the Trace block, the last one is the
// end mark. Rows of the block before that were not read are passed over.
func (r *BlockReader) Next() (*Block, bool) {
	if r.peeked {
		r.peeked = false
		return &r.block, true
	}
	for r.refill(false) {
		r.next = r.ready
	}
	r.mustBeMade("BlockReader")
	if !r.advance() {
		return nil, false
	}
	return &r.block, true
}

// NextEvent returns the next event of the current block, or false after the last
// one. The event is valid until the next step.
func (r *BlockReader) NextEvent() (*Event, bool) { return r.nextEvent() }

// Rows reads the rest of the current block into dst. The rows are those that are
// complete: of a block that is bad or truncated, those before the fault.
func (r *BlockReader) Rows(dst *BlockRows) { r.readRows(dst) }

// Columns reads the rest of the current block into dst, which has no rows when the
// block is no event block. Rows before the one that ends the reading are in dst.
//
// Metadata, Stack, Thread and LabelList return what the ids refer to.
func (r *BlockReader) Columns(dst *Columns) {
	dst.Block = &r.block
	dst.resize(0)
	for r.refill(false) {
		dst.add(r.batch[r.next:r.ready], r.dialect.indexed)
		r.next = r.ready
	}
}

// Metadata returns the row of the metadata table with an id, nil when the table has
// none. It stays valid.
func (r *BlockReader) Metadata(id uint32) *Metadata { return r.metadata.get(uint64(id)) }

// Stack returns the addresses of a stack of the current region, as Event.Stack does.
func (r *BlockReader) Stack(id uint32) []uint64 { return r.stacks.get(id) }

// LabelList returns the labels of a list of the current region, as Event.Labels does.
func (r *BlockReader) LabelList(id uint32) []Label { return r.labels.get(id) }

// waiting is 0: a BlockReader keeps no events.
func (r *BlockReader) waiting() int64 { return 0 }

func (r *BlockReader) holds() bool { return false }

func (r *BlockReader) trimWaiting() {}

func (r *BlockReader) freezing() (int64, bool) { return 0, false }

func (r *BlockReader) freeze() {}

func (r *BlockReader) dropWaiting() {}
