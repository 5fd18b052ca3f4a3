package codec

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// rowEncoder encodes the event rows of one block. The values of the row before
// start at zero in each block.
//
// Spec: "Event block", header compression.
type rowEncoder struct {
	prev EventRow // its payload, and Written, are of no meaning
	size uint32   // of the payload of the row before
	body []byte
}

// begin starts a block: what body holds is its header.
func (s *rowEncoder) begin(body []byte) {
	s.prev, s.size, s.body = EventRow{}, 0, body
}

// compressedV6 appends a row of v6. A field is written when the row before has
// another one, or when Written says so.
//
// Spec: "Event block", header compression.
func (s *rowEncoder) compressedV6(row *EventRow) {
	prev, size, f := &s.prev, uint32(len(row.Payload)), row.Written&^wire.RowSorted
	f &^= wire.RowRelated
	if row.LabelListID != prev.LabelListID {
		f |= wire.RowLabelList
	}
	f = s.common(row, f, prev.Sequence+1, size)
	b := append(s.body, f)
	b = s.fields(b, row, f, prev.Sequence+1)
	b = wire.AppendVarUint(b, row.Timestamp-prev.Timestamp)
	if f&wire.RowLabelList != 0 {
		b = wire.AppendVarUint(b, uint64(row.LabelListID))
	}
	s.finish(b, row, f, size)
	prev.LabelListID = row.LabelListID
}

// compressedV4 appends a row of v4 or v5. The number of a row with metadata id 0
// does not go up by itself.
//
// Spec: "Header compression" of the v4/v5 text.
func (s *rowEncoder) compressedV4(row *EventRow) {
	prev, size, f := &s.prev, uint32(len(row.Payload)), row.Written&^wire.RowSorted
	next := prev.Sequence
	if row.MetadataID != 0 {
		next++
	}
	if row.Activity != prev.Activity {
		f |= wire.RowActivity
	}
	if row.Related != prev.Related {
		f |= wire.RowRelated
	}
	f = s.common(row, f, next, size)
	b := append(s.body, f)
	b = s.fields(b, row, f, prev.Sequence+1)
	b = wire.AppendVarUint(b, row.Timestamp-prev.Timestamp)
	if f&(wire.RowActivity|wire.RowRelated) != 0 {
		if f&wire.RowActivity != 0 {
			b = append(b, row.Activity[:]...)
		}
		if f&wire.RowRelated != 0 {
			b = append(b, row.Related[:]...)
		}
		prev.Activity, prev.Related = row.Activity, row.Related
	}
	s.finish(b, row, f, size)
}

// common finds which of the fields that all versions have must be written. next
// is the number that a row without one has.
func (s *rowEncoder) common(row *EventRow, f byte, next, size uint32) byte {
	prev := &s.prev
	if row.MetadataID != prev.MetadataID {
		f |= wire.RowMetadataID
	}
	if row.Sequence != next || row.CaptureThreadIndex != prev.CaptureThreadIndex || row.Processor != prev.Processor {
		f |= wire.RowSequence
	}
	if row.ThreadIndex != prev.ThreadIndex {
		f |= wire.RowThread
	}
	if row.StackID != prev.StackID {
		f |= wire.RowStackID
	}
	if size != s.size {
		f |= wire.RowPayloadSize
	}
	if row.Sorted {
		f |= wire.RowSorted
	}
	return f
}

// fields appends what stands between the flags and the timestamp. A written
// number is relative to base.
func (s *rowEncoder) fields(b []byte, row *EventRow, f byte, base uint32) []byte {
	if f&wire.RowMetadataID != 0 {
		b = wire.AppendVarUint(b, uint64(row.MetadataID))
	}
	if f&wire.RowSequence != 0 {
		b = wire.AppendVarUint(b, uint64(row.Sequence-base))
		b = wire.AppendVarUint(b, row.CaptureThreadIndex)
		b = wire.AppendVarUint(b, uint64(row.Processor))
	}
	if f&wire.RowThread != 0 {
		b = wire.AppendVarUint(b, row.ThreadIndex)
	}
	if f&wire.RowStackID != 0 {
		b = wire.AppendVarUint(b, uint64(row.StackID))
	}
	return b
}

// finish appends the payload and makes the row the one before the next.
func (s *rowEncoder) finish(b []byte, row *EventRow, f byte, size uint32) {
	if f&wire.RowPayloadSize != 0 {
		b = wire.AppendVarUint(b, uint64(size))
	}
	s.body = append(b, row.Payload...)
	prev := &s.prev
	prev.MetadataID, prev.Sequence, prev.Processor, prev.StackID = row.MetadataID, row.Sequence, row.Processor, row.StackID
	prev.CaptureThreadIndex, prev.ThreadIndex, prev.Timestamp = row.CaptureThreadIndex, row.ThreadIndex, row.Timestamp
	s.size = size
}

// plainV6 appends an uncompressed row of v6.
//
// Spec: "Event block", uncompressed format.
func (s *rowEncoder) plainV6(row *EventRow) {
	b := s.plain(row, plainHeaderV6)
	b = binary.LittleEndian.AppendUint32(b, row.LabelListID)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(row.Payload)))
	s.body = append(b, row.Payload...)
}

// plainV4 appends an uncompressed row of v4 or v5. Zeros fill it up to a multiple
// of 4 bytes; they are part of the event, and EventSize counts them.
//
// Spec: "Uncompressed events" of the v4/v5 text.
func (s *rowEncoder) plainV4(row *EventRow) {
	padding := -len(row.Payload) & 3
	b := s.plain(row, plainHeaderV4+padding)
	b = append(b, row.Activity[:]...)
	b = append(b, row.Related[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(row.Payload)))
	b = append(b, row.Payload...)
	s.body = append(b, "\x00\x00\x00"[:padding]...)
}

// plain appends the fields that uncompressed rows of all versions begin with.
// EventSize counts header bytes, itself apart, and the payload.
func (s *rowEncoder) plain(row *EventRow, header int) []byte {
	le, b := binary.LittleEndian, s.body
	id := row.MetadataID
	if !row.Sorted {
		id |= wire.NotSortedBit
	}
	b = le.AppendUint32(b, uint32(header-sizeField+len(row.Payload)))
	b = le.AppendUint32(b, id)
	b = le.AppendUint32(b, row.Sequence)
	b = le.AppendUint64(b, row.ThreadIndex)
	b = le.AppendUint64(b, row.CaptureThreadIndex)
	b = le.AppendUint32(b, row.Processor)
	b = le.AppendUint32(b, row.StackID)
	return le.AppendUint64(b, row.Timestamp)
}
