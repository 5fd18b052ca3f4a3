package codec

import (
	"encoding/binary"
	"slices"

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
	keep byte // the flags of EventRow.Written that count
}

// begin starts a block: body has its header.
func (s *rowEncoder) begin(body []byte) {
	s.prev, s.size, s.body = EventRow{}, 0, body
}

// A header is written into an array of this size, which is a power of two so that
// positions in it need no check.
const (
	maxRowHeader = 128
	inHeader     = maxRowHeader - 1
)

// reserve returns the place of a row's header, with space for size bytes after it.
func (s *rowEncoder) reserve(size int) *[maxRowHeader]byte {
	n := len(s.body)
	if cap(s.body)-n < maxRowHeader+size {
		s.body = slices.Grow(s.body, maxRowHeader+size)
	}
	return (*[maxRowHeader]byte)(s.body[n : n+maxRowHeader])
}

// put writes v into a header at i and returns the position after it.
//
// Spec: "Primitives", varuint.
func put(h *[maxRowHeader]byte, i int, v uint64) int {
	for v >= 1<<7 {
		h[i&inHeader] = byte(v) | 1<<7
		v >>= 7
		i++
	}
	h[i&inHeader] = byte(v)
	return i + 1
}

// compressedV6 appends rows of v6.
//
// Spec: "Event block", header compression.
func (s *rowEncoder) compressedV6(rows []EventRow) { s.compressed(rows, true) }

// compressedV4 appends rows of v4 or v5. The number of a row with metadata id 0
// does not go up by itself.
//
// Spec: "Header compression" of the v4/v5 text.
func (s *rowEncoder) compressedV4(rows []EventRow) { s.compressed(rows, false) }

// compressed appends rows. It writes a field when it differs from the row before,
// or when Written has it. A written sequence number is relative to the one that
// follows that of the row before. Indexed rows have lists of labels, and all of
// them count.
func (s *rowEncoder) compressed(rows []EventRow, indexed bool) {
	prev, keep := &s.prev, s.keep&^wire.RowSorted
	if indexed {
		keep &^= wire.RowRelated
	}
	for k := range rows {
		row := &rows[k]
		h := s.reserve(len(row.Payload))
		f, i := row.Written&keep, 1
		if v := row.MetadataID; v != prev.MetadataID || f&wire.RowMetadataID != 0 {
			prev.MetadataID = v
			f |= wire.RowMetadataID
			i = put(h, i, uint64(v))
		}
		next := prev.Sequence
		if indexed || row.MetadataID != 0 {
			next++
		}
		if row.Sequence != next || row.CaptureThreadIndex != prev.CaptureThreadIndex || row.Processor != prev.Processor || f&wire.RowSequence != 0 {
			f |= wire.RowSequence
			i = put(h, i, uint64(row.Sequence-prev.Sequence-1))
			i = put(h, i, row.CaptureThreadIndex)
			i = put(h, i, uint64(row.Processor))
			prev.CaptureThreadIndex, prev.Processor = row.CaptureThreadIndex, row.Processor
		}
		prev.Sequence = row.Sequence
		if v := row.ThreadIndex; v != prev.ThreadIndex || f&wire.RowThread != 0 {
			prev.ThreadIndex = v
			f |= wire.RowThread
			i = put(h, i, v)
		}
		if v := row.StackID; v != prev.StackID || f&wire.RowStackID != 0 {
			prev.StackID = v
			f |= wire.RowStackID
			i = put(h, i, uint64(v))
		}
		i = put(h, i, row.Timestamp-prev.Timestamp)
		prev.Timestamp = row.Timestamp
		if !indexed {
			if row.Activity != prev.Activity || row.Related != prev.Related || f&(wire.RowActivity|wire.RowRelated) != 0 {
				f, i = s.activities(h, row, f, i)
			}
		} else if id := row.LabelListID; id != prev.LabelListID || f&wire.RowLabelList != 0 {
			prev.LabelListID = id
			f |= wire.RowLabelList
			i = put(h, i, uint64(id))
		}
		if size := uint32(len(row.Payload)); size != s.size || f&wire.RowPayloadSize != 0 {
			s.size = size
			f |= wire.RowPayloadSize
			i = put(h, i, uint64(size))
		}
		if row.Sorted {
			f |= wire.RowSorted
		}
		h[0] = f
		n := len(s.body) + i
		s.body = s.body[:n+len(row.Payload)]
		copy(s.body[n:], row.Payload)
	}
}

// activities writes the activity ids of a row that writes one.
//
// Spec: "Header compression" of the v4/v5 text.
func (s *rowEncoder) activities(h *[maxRowHeader]byte, row *EventRow, f byte, i int) (byte, int) {
	if row.Activity != s.prev.Activity || f&wire.RowActivity != 0 {
		s.prev.Activity = row.Activity
		f |= wire.RowActivity
		i += copy(h[i:], row.Activity[:])
	}
	if row.Related != s.prev.Related || f&wire.RowRelated != 0 {
		s.prev.Related = row.Related
		f |= wire.RowRelated
		i += copy(h[i:], row.Related[:])
	}
	return f, i
}

// plainV6 appends uncompressed rows of v6.
//
// Spec: "Event block", uncompressed format.
func (s *rowEncoder) plainV6(rows []EventRow) {
	for i := range rows {
		row := &rows[i]
		b := s.plain(row, plainHeaderV6)
		b = binary.LittleEndian.AppendUint32(b, row.LabelListID)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(row.Payload)))
		s.body = append(b, row.Payload...)
	}
}

// plainV4 appends uncompressed rows of v4 or v5. Zeros fill each up to a multiple
// of 4 bytes; they are part of the event, and EventSize counts them.
//
// Spec: "Uncompressed events" of the v4/v5 text.
func (s *rowEncoder) plainV4(rows []EventRow) {
	for i := range rows {
		row := &rows[i]
		padding := -len(row.Payload) & 3
		b := s.plain(row, plainHeaderV4+padding)
		b = append(b, row.Activity[:]...)
		b = append(b, row.Related[:]...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(row.Payload)))
		b = append(b, row.Payload...)
		s.body = append(b, "\x00\x00\x00"[:padding]...)
	}
}

// plain appends the fields at the start of uncompressed rows of all versions.
// EventSize counts header bytes except itself, and the payload.
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
