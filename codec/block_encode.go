package codec

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// blockEncoder makes the bodies of blocks. It reuses its memory.
type blockEncoder struct {
	format  wire.Format
	to      *encoding
	pointer int // bytes
	rows    rowEncoder
	header  [1]EventRow // of a metadata row of v4
	scratch []byte
}

// body encodes the rows of a block. The result is valid until the next call.
func (e *blockEncoder) body(b *BlockRows) ([]byte, error) {
	encode := (*blockEncoder).unknown
	if int(b.Kind) < len(e.to.blocks) && e.to.blocks[b.Kind] != nil {
		encode = e.to.blocks[b.Kind]
	}
	body, err := encode(e, e.rows.body[:0], b)
	e.rows.body = body
	return body, err
}

// unknown encodes a block of a kind that the version does not have.
func (e *blockEncoder) unknown(dst []byte, b *BlockRows) ([]byte, error) {
	return append(dst, b.Body...), nil
}

func (e *blockEncoder) events(dst []byte, b *BlockRows) ([]byte, error) {
	e.rows.begin(e.eventHeader(dst, b))
	e.to.rows[b.Flags&wire.BlockCompressed](&e.rows, b.Events)
	return e.rows.body, nil
}

func (e *blockEncoder) stacks(dst []byte, b *BlockRows) ([]byte, error) {
	dst = e.counted(dst, b.FirstID, len(b.Stacks))
	for i := range b.Stacks {
		dst = e.stack(dst, &b.Stacks[i])
	}
	return dst, nil
}

func (e *blockEncoder) labelLists(dst []byte, b *BlockRows) (_ []byte, err error) {
	dst = e.counted(dst, b.FirstID, len(b.LabelLists))
	for i := range b.LabelLists {
		if row := &b.LabelLists[i]; row.Bytes != nil {
			dst = append(dst, row.Bytes...)
		} else if dst, err = appendLabels(dst, row.Labels); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (e *blockEncoder) threads(dst []byte, b *BlockRows) (_ []byte, err error) {
	for i := range b.Threads {
		if row := &b.Threads[i]; row.Bytes != nil {
			dst = append(dst, row.Bytes...)
		} else if dst, err = appendThread(dst, row.Thread); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (e *blockEncoder) removedThreads(dst []byte, b *BlockRows) ([]byte, error) {
	return appendThreadSequences(dst, b.Removed), nil
}

func (e *blockEncoder) sequencePoint(dst []byte, b *BlockRows) ([]byte, error) {
	return e.to.point(dst, &b.SequencePoint), nil
}

// counted appends the header of stack and label list blocks.
func (e *blockEncoder) counted(dst []byte, first uint32, count int) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, first), uint32(count))
}

func (e *blockEncoder) stack(dst []byte, s *StackBytes) []byte {
	if s.Bytes == nil {
		return appendStack(dst, s.Addresses, e.pointer)
	}
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s.Bytes))), s.Bytes...)
}

func (e *blockEncoder) trace(dst []byte, b *BlockRows) ([]byte, error) {
	if b.Body != nil {
		return append(dst, b.Body...), nil
	}
	return e.to.trace(dst, b.Trace, e.format)
}

// eventHeader appends the header of an event block, and of a v4 metadata block.
//
// Spec: "Event block", Header.
func (e *blockEncoder) eventHeader(dst []byte, b *BlockRows) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint16(dst, uint16(20+len(b.Extension)))
	dst = le.AppendUint16(dst, b.Flags)
	dst = le.AppendUint64(dst, b.MinTimestamp)
	dst = le.AppendUint64(dst, b.MaxTimestamp)
	return append(dst, b.Extension...)
}

// metadataBlock encodes a metadata block of v6.
//
// Spec: "Metadata block".
func (e *blockEncoder) metadataBlock(dst []byte, b *BlockRows) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(b.Extension)))
	dst = append(dst, b.Extension...)
	for i := range b.Metadata {
		row := &b.Metadata[i]
		if row.Bytes != nil {
			dst = append(dst, row.Bytes...)
			continue
		}
		var err error
		if dst, err = e.to.definition(dst, row.Metadata, e.format); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// metadataObject encodes a metadata block of v4 and v5.
//
// Spec: "The MetadataBlock Object" of the v4/v5 text.
func (e *blockEncoder) metadataObject(dst []byte, b *BlockRows) ([]byte, error) {
	e.rows.begin(e.eventHeader(dst, b))
	encode := e.to.rows[b.Flags&wire.BlockCompressed]
	for i := range b.Metadata {
		row := &b.Metadata[i]
		header := &e.header[0]
		*header = row.Header
		header.Payload = row.Bytes
		if row.Bytes == nil {
			var err error
			e.scratch, err = e.to.definition(e.scratch[:0], row.Metadata, e.format)
			if err != nil {
				return e.rows.body, err
			}
			header.Payload = e.scratch
		}
		encode(&e.rows, e.header[:])
	}
	return e.rows.body, nil
}
