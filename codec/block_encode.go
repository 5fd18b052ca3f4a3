package codec

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// blockEncoder makes the bodies of blocks. Its memory is used again.
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
	body := e.rows.body[:0]
	var err error
	switch b.Kind {
	case wire.KindTrace:
		body, err = e.trace(body, b)
	case wire.KindEvent:
		e.rows.begin(e.eventHeader(body, b))
		e.to.rows[b.Flags&wire.BlockCompressed](&e.rows, b.Events)
		return e.rows.body, nil
	case wire.KindMetadata:
		body, err = e.to.metadata(e, body, b)
	case wire.KindStack:
		body = e.counted(body, b.FirstID, len(b.Stacks))
		for i := range b.Stacks {
			body = e.stack(body, &b.Stacks[i])
		}
	case wire.KindLabelList:
		body = e.counted(body, b.FirstID, len(b.LabelLists))
		for i := range b.LabelLists {
			if row := &b.LabelLists[i]; row.Bytes != nil {
				body = append(body, row.Bytes...)
			} else if body, err = appendLabels(body, row.Labels); err != nil {
				break
			}
		}
	case wire.KindThread:
		for i := range b.Threads {
			if row := &b.Threads[i]; row.Bytes != nil {
				body = append(body, row.Bytes...)
			} else if body, err = appendThread(body, row.Thread); err != nil {
				break
			}
		}
	case wire.KindRemoveThread:
		body = appendThreadSequences(body, b.Removed)
	case wire.KindSequencePoint:
		body = e.to.point(body, &b.SequencePoint)
	default:
		body = append(body, b.Body...)
	}
	e.rows.body = body
	return body, err
}

// counted appends what stack and label list blocks begin with.
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
