package codec

import "github.com/nettrace-go/nettrace/codec/wire"

// EventRow is an event row with its numbers: ids refer to the tables of its
// stream. A metadata row of v4 and v5 has the same form.
//
// Spec: "Event block"; "Event blobs" of the v4/v5 text.
type EventRow struct {
	// MetadataID is the id of a metadata row.
	MetadataID uint32
	// StackID is the id of a stack, 0 for none.
	StackID uint32
	// Sequence is the number of the event on its capture thread.
	Sequence uint32
	// Processor is the processor's number, or wire.UnknownProcessor.
	Processor          uint32
	CaptureThreadIndex uint64 // index (v6) or the operating system's thread id (v4, v5)
	ThreadIndex        uint64 // index (v6) or the operating system's thread id (v4, v5)
	Timestamp          uint64 // ticks
	// Payload has the encoded fields.
	Payload     []byte
	LabelListID uint32 // id of a label list (v6), 0 for none
	// Written is the flags byte of the row that was read (wire.RowMetadataID to
	// wire.RowPayloadSize): it marks the fields that its writer wrote, also those
	// that repeat the previous row. Only BlockWriterOptions.Preserve uses it.
	Written byte
	// Sorted is the flag that no later event is older.
	Sorted            bool
	Activity, Related wire.GUID // v4, v5
	Offset            int64     // file offset of the row in its source; ignored by WriteBlock
}

// rowValues are the fields of a row that the next one may leave out. Processor
// and labels, which seldom change, are side by side here and in Event, so that the
// loops move both at once.
type rowValues struct {
	captureThread                       uint64
	processor, labels                   uint32
	metadataID, stackID, sequence, size uint32
	thread, timestamp                   uint64
}

// set fills the row fields.
func (e *Event) set(v *rowValues, row, payload int, flags byte) {
	e.Timestamp, e.ThreadIndex, e.CaptureThreadIndex = v.timestamp, v.thread, v.captureThread
	e.MetadataID, e.Sequence, e.StackID, e.Processor = v.metadataID, v.sequence, v.stackID, v.processor
	e.labels, e.payload, e.size, e.start, e.flags = v.labels, uint32(payload), v.size, uint8(row), flags
}

// Row fills dst with the numbers in the event's row. The event must not be a
// clone. The payload is borrowed from the event.
func (e *Event) Row(dst *EventRow) {
	dst.MetadataID, dst.Sequence, dst.Processor, dst.StackID = e.MetadataID, e.Sequence, e.Processor, e.StackID
	dst.CaptureThreadIndex, dst.ThreadIndex, dst.Timestamp = e.CaptureThreadIndex, e.ThreadIndex, e.Timestamp
	dst.Sorted, dst.Written, dst.Payload = e.flags&wire.RowSorted != 0, e.flags&^wire.RowSorted, e.Payload()
	dst.Offset = e.Offset()
	dst.LabelListID, dst.Activity, dst.Related = 0, wire.GUID{}, wire.GUID{}
	if e.indexed() {
		dst.LabelListID = e.labels
	} else if e.labels != 0 || e.cloned() {
		pair := e.activities()
		dst.Activity, dst.Related = pair.activity, pair.related
	}
}
