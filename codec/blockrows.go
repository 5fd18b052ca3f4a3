package codec

import (
	"bytes"
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// BlockRows is a block with all of its rows, as BlockReader.Rows reads it and
// BlockWriter.WriteBlock writes it. Kind decides which fields are set. A
// BlockRows from BlockReader.Rows is valid until the next step of the
// BlockReader.
//
// WriteBlock writes a row of a table from its decoded form. If that would give
// other bytes than those read (an order of optional elements, bytes of a later
// version), Rows sets the row's Bytes, and WriteBlock writes them instead. To
// change such a row, set Bytes to nil.
type BlockRows struct {
	// Kind is the kind of the block.
	Kind               wire.Kind
	TypeName           string // type name of the object (v4, v5); empty: the usual one of the kind
	Version, MinReader int32  // of the object (v4, v5)
	Offset             int64  // file offset of the block in its source; ignored by WriteBlock

	Flags                      uint16 // in the header of event blocks, and of metadata blocks in v4 and v5
	MinTimestamp, MaxTimestamp uint64 // ticks, in the same header
	Extension                  []byte // bytes after the known fields of a header with a size

	Events        []EventRow       // of an event block
	Metadata      []MetadataBytes  // of a metadata block
	FirstID       uint32           // id of the first of Stacks or LabelLists
	Stacks        []StackBytes     // of a stack block
	LabelLists    []LabelListBytes // of a label list block
	Threads       []ThreadBytes    // of a thread block
	Removed       []ThreadSequence // of a RemoveThread block
	SequencePoint SequencePoint    // of a sequence point block
	Trace         *Trace           // of a Trace block
	Body          []byte           // bytes of an unknown block, and of a Trace block whose decoded form gives other bytes
}

// MetadataBytes is a metadata row of a BlockRows.
type MetadataBytes struct {
	// Metadata is the decoded row.
	Metadata *Metadata
	Header   EventRow // the event row around it (v4, v5), without its payload
	Bytes    []byte   // see BlockRows: the payload (v4, v5), or the row with its size (v6)
}

// StackBytes is a stack of a BlockRows.
type StackBytes struct {
	// Addresses are the addresses, leaf first.
	Addresses []uint64
	Bytes     []byte // see BlockRows: the addresses
}

// LabelListBytes is a label list of a BlockRows.
type LabelListBytes struct {
	// Labels are the entries, in file order.
	Labels []Label
	Bytes  []byte // see BlockRows
}

// ThreadBytes is a thread row of a BlockRows.
type ThreadBytes struct {
	// Thread is the decoded row.
	Thread *Thread
	Bytes  []byte // see BlockRows: the row with its size
}

// reset empties the rows and keeps their memory.
func (b *BlockRows) reset() {
	*b = BlockRows{
		Events: b.Events[:0], Metadata: b.Metadata[:0], Stacks: b.Stacks[:0], LabelLists: b.LabelLists[:0],
		Threads: b.Threads[:0],
	}
}

// HasRows reports whether the block has a row, or a sequence point with
// threads.
func (b *BlockRows) HasRows() bool {
	return len(b.Events)+len(b.Metadata)+len(b.Stacks)+len(b.LabelLists)+len(b.Threads)+len(b.Removed)+
		len(b.SequencePoint.Threads) > 0
}

// SetBounds sets the times in the header of an event block to those of its
// rows.
func (b *BlockRows) SetBounds() {
	for i := range b.Events {
		t := b.Events[i].Timestamp
		if i == 0 {
			b.MinTimestamp, b.MaxTimestamp = t, t
		}
		b.MinTimestamp, b.MaxTimestamp = min(b.MinTimestamp, t), max(b.MaxTimestamp, t)
	}
}

// readRows reads the rest of the current block into dst.
func (r *stream) readRows(dst *BlockRows) {
	dst.reset()
	b := &r.block
	dst.Kind, dst.TypeName, dst.Version, dst.MinReader = b.Kind, b.TypeName, b.Version, b.MinReader
	dst.Offset = b.Offset
	dst.Flags, dst.MinTimestamp, dst.MaxTimestamp, dst.FirstID = b.Flags, b.MinTimestamp, b.MaxTimestamp, b.FirstID
	dst.Removed, dst.SequencePoint = b.Removed, b.SequencePoint
	switch b.Kind {
	case wire.KindTrace:
		r.traceRows(dst)
	case wire.KindEvent:
		dst.Extension = b.extension(20)
		r.eventRows(dst)
	case wire.KindMetadata:
		r.takeMetadata(dst)
	case wire.KindStack:
		r.stackRows(dst)
	case wire.KindLabelList:
		r.labelRows(dst)
	case wire.KindThread:
		r.threadRows(dst)
	case wire.KindSequencePoint, wire.KindRemoveThread, wire.KindEndOfStream:
	default:
		dst.Body = b.Body
	}
}

// extension returns the bytes of a header after its known fields.
func (b *Block) extension(known int) []byte {
	if b.HeaderSize <= known || b.HeaderSize > len(b.Body) {
		return nil
	}
	return b.Body[known:b.HeaderSize]
}

func (r *stream) eventRows(dst *BlockRows) {
	for e, ok := r.nextEvent(); ok; e, ok = r.nextEvent() {
		n := len(dst.Events)
		if n == cap(dst.Events) {
			dst.Events = append(dst.Events, EventRow{})
		}
		dst.Events = dst.Events[:n+1]
		e.Row(&dst.Events[n])
	}
}

func (r *stream) traceRows(dst *BlockRows) {
	dst.Trace = r.trace
	encode := appendTraceObject
	if r.dialect.indexed {
		encode = appendTraceBlock
	}
	dst.Body = r.unlike(r.block.Body, func(b []byte) ([]byte, error) { return encode(b, r.trace, r.trace.Format) })
}

// unlike returns read if encode gives other bytes, or if read is so long that a
// comparison would take as much memory again.
func (r *stream) unlike(read []byte, encode func(dst []byte) ([]byte, error)) []byte {
	const long = 64 << 10
	if len(read) > long {
		return read
	}
	made, err := encode(r.encoded[:0])
	r.encoded = made
	if err == nil && bytes.Equal(made, read) {
		return nil
	}
	return read
}

// takeMetadata reads the rows of a metadata block.
func (r *stream) takeMetadata(dst *BlockRows) {
	b := &r.block
	if r.dialect.indexed {
		dst.Extension = b.extension2()
	} else {
		dst.Extension = b.extension(20)
	}
	for i := range b.Metadata {
		row := &b.Metadata[i]
		start := int(row.Offset - b.BodyOffset)
		m := MetadataBytes{Metadata: row.Metadata, Header: row.Header}
		read, encode := row.Header.Payload, appendDefinitionV5
		if r.dialect.indexed {
			read, encode = b.Body[start:start+row.Size], appendMetadataV6
		}
		m.Bytes = r.unlike(read, func(b []byte) ([]byte, error) { return encode(b, row.Metadata, r.trace.Format) })
		dst.Metadata = append(dst.Metadata, m)
	}
}

// extension2 is that of a metadata block of v6, whose header does not count its
// own size.
func (b *Block) extension2() []byte {
	if b.HeaderSize == 0 || 2+b.HeaderSize > len(b.Body) {
		return nil
	}
	return b.Body[2 : 2+b.HeaderSize]
}

func (r *stream) stackRows(dst *BlockRows) {
	b := r.block.Body
	pos := 8
	for i := range r.block.Rows {
		size := int(binary.LittleEndian.Uint32(b[pos:]))
		s := StackBytes{Addresses: r.stacks.get(dst.FirstID + uint32(i))}
		if len(s.Addresses)*r.trace.PointerSize != size {
			s.Bytes = b[pos+4 : pos+4+size]
		}
		dst.Stacks = append(dst.Stacks, s)
		pos += 4 + size
	}
}

func (r *stream) threadRows(dst *BlockRows) {
	b := r.block.Body
	pos := 0
	for _, t := range r.block.Threads {
		end := pos + 2 + int(binary.LittleEndian.Uint16(b[pos:]))
		row := ThreadBytes{Thread: t}
		row.Bytes = r.unlike(b[pos:end], func(b []byte) ([]byte, error) { return appendThread(b, t) })
		dst.Threads = append(dst.Threads, row)
		pos = end
	}
}

func (r *stream) labelRows(dst *BlockRows) {
	c := cursor{b: r.block.Body, pos: 8}
	for i := range r.block.Rows {
		start := c.pos
		for skipLabel(&c) && c.bad == rule.None {
		}
		row := LabelListBytes{Labels: r.labels.get(dst.FirstID + uint32(i))}
		row.Bytes = r.unlike(c.b[start:c.pos], func(b []byte) ([]byte, error) { return appendLabels(b, row.Labels) })
		dst.LabelLists = append(dst.LabelLists, row)
	}
}

// skipLabel moves over one label of a list that was read before, and reports
// whether the list continues.
//
// Spec: "LabelList block".
func skipLabel(c *cursor) bool {
	const id = rule.LBL004
	kind := c.byte(id)
	switch wire.LabelKind(kind &^ wire.LastLabel) {
	case wire.LabelActivityID, wire.LabelRelatedActivityID, wire.LabelTraceID:
		c.guid(id)
	case wire.LabelSpanID, wire.LabelKeywords:
		c.uint64(id)
	case wire.LabelKeyString:
		c.text(id)
		c.text(id)
	case wire.LabelKeyNumber:
		c.text(id)
		c.varUint64(id)
	default:
		c.byte(id)
	}
	return kind&wire.LastLabel == 0
}
