package codec

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// blockEncoder makes the bodies of blocks. Its memory is used again.
type blockEncoder struct {
	format  wire.Format
	pointer int  // bytes
	keep    bool // fields are also written where EventRow.Written says so
	rows    rowEncoder
	header  EventRow // of a metadata row of v4
	scratch []byte
}

// body encodes the rows of a block. The result is valid until the next call.
func (e *blockEncoder) body(b *BlockRows) ([]byte, error) {
	body := e.rows.body[:0]
	var err error
	switch b.Kind {
	case wire.Trace:
		body, err = e.trace(body, b)
	case wire.Event:
		e.rows.begin(e.eventHeader(body, b))
		e.events(b)
		return e.rows.body, nil
	case wire.Metadata:
		body, err = e.metadata(body, b)
	case wire.Stack:
		body = e.counted(body, b.FirstID, len(b.Stacks))
		for i := range b.Stacks {
			body = e.stack(body, &b.Stacks[i])
		}
	case wire.LabelList:
		body = e.counted(body, b.FirstID, len(b.LabelLists))
		for i := range b.LabelLists {
			if row := &b.LabelLists[i]; row.Bytes != nil {
				body = append(body, row.Bytes...)
			} else if body, err = appendLabels(body, row.Labels); err != nil {
				break
			}
		}
	case wire.Thread:
		for i := range b.Threads {
			if row := &b.Threads[i]; row.Bytes != nil {
				body = append(body, row.Bytes...)
			} else if body, err = appendThread(body, row.Thread); err != nil {
				break
			}
		}
	case wire.RemoveThread:
		body = appendThreadSequences(body, b.Removed)
	case wire.SequencePoint:
		body = appendSequencePoint(body, &b.SequencePoint, e.format)
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
	switch {
	case b.Body != nil:
		return append(dst, b.Body...), nil
	case e.format.Major >= 6:
		return appendTraceBlock(dst, b.Trace), nil
	}
	return appendTraceObject(dst, b.Trace, e.format)
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

// events encodes the rows of an event block.
func (e *blockEncoder) events(b *BlockRows) {
	row := e.rowFunc(b.Flags)
	for i := range b.Events {
		if !e.keep {
			b.Events[i].Written = 0
		}
		row(&e.rows, &b.Events[i])
	}
}

// rowFunc chooses how rows are encoded.
func (e *blockEncoder) rowFunc(flags uint16) func(*rowEncoder, *EventRow) {
	switch compressed := flags&wire.BlockCompressed != 0; {
	case e.format.Major >= 6 && compressed:
		return (*rowEncoder).compressedV6
	case e.format.Major >= 6:
		return (*rowEncoder).plainV6
	case compressed:
		return (*rowEncoder).compressedV4
	}
	return (*rowEncoder).plainV4
}

// metadata encodes a metadata block.
//
// Spec: "Metadata block"; "The MetadataBlock Object" of the v4/v5 text.
func (e *blockEncoder) metadata(dst []byte, b *BlockRows) ([]byte, error) {
	if e.format.Major < 6 {
		return e.metadataV4(dst, b)
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(b.Extension)))
	dst = append(dst, b.Extension...)
	for i := range b.Metadata {
		row := &b.Metadata[i]
		if row.Bytes != nil {
			dst = append(dst, row.Bytes...)
			continue
		}
		var err error
		if dst, err = appendMetadataV6(dst, row.Metadata); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (e *blockEncoder) metadataV4(dst []byte, b *BlockRows) ([]byte, error) {
	e.rows.begin(e.eventHeader(dst, b))
	encode := e.rowFunc(b.Flags)
	for i := range b.Metadata {
		row := &b.Metadata[i]
		header := &e.header
		*header = row.Header
		header.Payload = row.Bytes
		if row.Bytes == nil {
			var err error
			e.scratch, err = appendDefinitionV4(e.scratch[:0], row.Metadata, e.format)
			if err != nil {
				return e.rows.body, err
			}
			header.Payload = e.scratch
		}
		if !e.keep {
			header.Written = 0
		}
		encode(&e.rows, header)
	}
	return e.rows.body, nil
}
