package codec

import "github.com/nettrace-go/nettrace/codec/wire"

// Block is a block that a BlockReader returns: its place in the stream and what it
// defines. It is valid until the next step.
type Block struct {
	Kind       wire.Kind
	TypeName   string // of the object (v3 to v5), "" in v6
	Version    int32  // of the object (v3 to v5)
	MinReader  int32  // of the object (v3 to v5)
	Offset     int64  // of the block's first byte in the stream
	BodyOffset int64  // of the first byte of its body
	Size       int64  // bytes of the body, as declared
	Body       []byte // borrowed; shorter than Size in a stream that is cut inside, where it stays
	Rows       int    // whole rows read so far; of an event block those decoded so far

	// Of event blocks (v4 to v6) and metadata blocks (v4, v5). Of the metadata
	// blocks of v6 only HeaderSize.
	HeaderSize                 int
	Flags                      uint16 // wire.BlockCompressed
	MinTimestamp, MaxTimestamp uint64 // ticks, as the header claims

	Metadata      []MetadataRow    // defined by a metadata block (v4 to v6) or so far by an event block (v3)
	FirstID       uint32           // of a stack or label list block
	Threads       []*Thread        // defined by a thread block
	Removed       []ThreadSequence // entries of a RemoveThread block
	SequencePoint SequencePoint    // of a sequence point block

	truncated bool // the stream ends inside it
}

// Compressed says whether the rows of an event block are compressed.
func (b *Block) Compressed() bool { return b.Flags&wire.BlockCompressed != 0 }

// trim lets go of the memory of slices that are empty.
func (b *Block) trim() {
	if len(b.Metadata) == 0 {
		b.Metadata = nil
	}
	if len(b.Threads) == 0 {
		b.Threads = nil
	}
	if len(b.Removed) == 0 {
		b.Removed = nil
	}
	if len(b.SequencePoint.Threads) == 0 {
		b.SequencePoint.Threads = nil
	}
}

// forget empties the lists, which keep their memory but not what it refers to.
func (b *Block) forget() {
	clear(b.Metadata)
	clear(b.Threads)
	b.Metadata, b.Threads, b.Removed = b.Metadata[:0], b.Threads[:0], b.Removed[:0]
	b.Body, b.Rows = nil, 0
}

// reset makes the block ready for the next one; slices keep their memory.
func (b *Block) reset() {
	*b = Block{
		Metadata: b.Metadata[:0], Threads: b.Threads[:0], Removed: b.Removed[:0],
		SequencePoint: SequencePoint{Threads: b.SequencePoint.Threads[:0]},
	}
}
