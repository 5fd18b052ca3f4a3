package codec

import "github.com/nettrace-go/nettrace/codec/wire"

// Block is a block of a BlockReader: its place in the stream and the rows that
// it defines. It is valid until the next step.
type Block struct {
	// Kind is the kind of the block, which decides the other fields that are
	// set.
	Kind       wire.Kind
	TypeName   string // type name of the object (v3 to v5), "" in v6
	Version    int32  // version of the object (v3 to v5)
	MinReader  int32  // minimum reader version of the object (v3 to v5)
	Offset     int64  // file offset of the block's first byte
	BodyOffset int64  // file offset of the first byte of its body
	Size       int64  // declared bytes of the body
	Body       []byte // borrowed; shorter than Size if the stream is truncated inside the block
	Rows       int    // complete rows read so far

	HeaderSize                 int    // bytes of the header of event and metadata blocks (v4 to v6)
	Flags                      uint16 // of event blocks (v4 to v6) and metadata blocks (v4, v5): wire.BlockCompressed
	MinTimestamp, MaxTimestamp uint64 // ticks, as the header of these blocks declares them

	Metadata      []MetadataRow    // rows that a metadata block defines (v4 to v6); of an event block of v3, those that its rows so far define
	FirstID       uint32           // id of the first row of a stack or label list block
	Threads       []*Thread        // defined by a thread block
	Removed       []ThreadSequence // entries of a RemoveThread block
	SequencePoint SequencePoint    // of a sequence point block

	truncated bool // the stream ends inside it
}

// Compressed reports whether the rows of an event block are compressed.
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
