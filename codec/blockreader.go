package codec

import "io"

// BlockReader reads one NetTrace stream of any version from 3 to 6 block by
// block, in file order: Next returns a block, and Rows or NextEvent read its
// rows. A Reader reads a stream by its events. A BlockReader is for
// one goroutine. Use NewBlockReader to create one.
//
// OnLost and OnDefect are called before the event or rows that have the
// loss or defect are returned. Options.Order has no effect.
type BlockReader struct {
	stream
	peeked bool // Trace has read the first block, which Next has not returned
}

// NewBlockReader returns a BlockReader that reads src. It reads nothing before
// the first call that needs it. It does not read ahead: it returns a block as
// soon as the bytes of the block have arrived.
func NewBlockReader(src io.Reader, opt Options) *BlockReader {
	r := &BlockReader{}
	r.init(opt, r)
	r.Reset(src)
	return r
}

// NewBytesBlockReader returns a BlockReader of a stream in memory. It reads b
// in place and never writes to it; b must not change while the BlockReader is
// in use.
func NewBytesBlockReader(b []byte, opt Options) *BlockReader {
	r := &BlockReader{}
	r.init(opt, r)
	r.ResetBytes(b)
	return r
}

// Reset makes the BlockReader read src from its start, with the same options.
// It keeps its memory, so that reading a stream with the same tables needs
// almost no allocation.
func (r *BlockReader) Reset(src io.Reader) {
	r.reset()
	r.raw.ResetStream(src, r.limits.Block)
}

// ResetBytes is Reset for a stream in memory, see NewBytesBlockReader.
func (r *BlockReader) ResetBytes(b []byte) {
	r.reset()
	r.raw.ResetMemory(b, r.limits.Block)
}

func (r *BlockReader) reset() {
	r.mustBeMade("BlockReader")
	r.peeked = false
	r.stream.reset()
}

// Trace returns the content of the first block, which describes the trace. It
// reads that block if necessary, and fails like Next; Next still returns the
// block. The result stays valid.
func (r *BlockReader) Trace() (*Trace, error) {
	if r.trace != nil {
		return r.trace, nil
	}
	r.mustBeMade("BlockReader")
	trace, err := r.stream.Trace()
	r.peeked = err == nil
	return trace, err
}

// Next returns the next block, or false if there is none: Err returns the
// reason. The first block is the Trace block, the last one is the end mark.
// Next skips the rows of the previous block that were not read.
func (r *BlockReader) Next() (*Block, bool) {
	if r.peeked {
		r.peeked = false
		if r.err == nil { // the rows of the block were not asked for before
			return &r.block, true
		}
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

// NextEvent returns the next event of the current block, or false after the
// last one. The event is valid until the next step.
func (r *BlockReader) NextEvent() (*Event, bool) { return r.nextEvent() }

// Rows reads the rest of the current block into dst. dst has only complete
// rows: for a bad or truncated block those before the fault.
func (r *BlockReader) Rows(dst *BlockRows) { r.readRows(dst) }

// Metadata returns the row of the metadata table with an id, nil if there is
// none. It stays valid.
func (r *BlockReader) Metadata(id uint32) *Metadata { return r.metadata.get(uint64(id)) }

// Stack returns the addresses of a stack of the current region, like
// Event.Stack.
func (r *BlockReader) Stack(id uint32) []uint64 { return r.stacks.get(id) }

// LabelList returns the labels of a list of the current region, like
// Event.Labels.
func (r *BlockReader) LabelList(id uint32) []Label { return r.labels.get(id) }

// waiting is 0: a BlockReader keeps no events.
func (r *BlockReader) waiting() int64 { return 0 }

func (r *BlockReader) holds() bool { return false }

func (r *BlockReader) trimWaiting() {}

func (r *BlockReader) freezing() (int64, bool) { return 0, false }

func (r *BlockReader) freeze() {}

func (r *BlockReader) dropWaiting() {}
