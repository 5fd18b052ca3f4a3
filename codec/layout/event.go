package layout

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// EventHeaderSize is the size of the header of an event block in bytes, without
// extensions of later versions.
const EventHeaderSize = 20

// eventBlock is an event block, and a metadata block of versions 4 and 5.
//
// Spec: "EventBlock"; "The EventBlock Object" and "The MetadataBlock Object" of
// the v4/v5 text.
var eventBlock = part{name: "EventBlock", missing: rule.EVB001, min: EventHeaderSize, whole: true, items: []item{
	{name: "HeaderSize", enc: Uint16, role: sizesItself, of: &eventBlockHeader, min: EventHeaderSize, rest: "Reserved", atSize: true,
		rule: rules{wrong: rule.EVB002}},
	{role: eventRows},
}}

var eventBlockHeader = part{name: "EventBlock", missing: rule.EVB002, items: []item{
	{name: "Flags", enc: Uint16, role: flags},
	{name: "MinTimestamp", enc: Uint64},
	{name: "MaxTimestamp", enc: Uint64},
}}

// compressedRowV4 is a compressed row of versions 4 and 5.
//
// Spec: "Header compression" of the v4/v5 text.
var compressedRowV4 = part{name: "EventRow", missing: rule.CMP001, items: []item{
	{name: "Flags", enc: Uint8, role: flags, rule: rules{missing: rule.EVB006}},
	{name: "MetadataId", enc: VarUint32, when: wire.RowMetadataID},
	{name: "SequenceNumber", enc: VarUint32, when: wire.RowSequence},
	{name: "CaptureThreadId", enc: VarUint64, when: wire.RowSequence},
	{name: "ProcessorNumber", enc: VarUint32, when: wire.RowSequence},
	{name: "ThreadId", enc: VarUint64, when: wire.RowThread},
	{name: "StackId", enc: VarUint32, when: wire.RowStackID},
	{name: "TimeStamp", enc: VarUint64},
	{name: "ActivityId", enc: GUID, when: wire.RowActivity},
	{name: "RelatedActivityId", enc: GUID, when: wire.RowRelated},
	{name: "PayloadSize", enc: VarUint32, role: sizePayload, when: wire.RowPayloadSize},
	{name: "Payload", enc: Bytes, role: payload, rule: rules{missing: rule.CMP006}},
}}

// compressedRowV6 is a compressed row of version 6.
//
// Spec: "Header compression".
var compressedRowV6 = part{name: "EventRow", missing: rule.CMP001, items: []item{
	{name: "Flags", enc: Uint8, role: flags, rule: rules{missing: rule.EVB006}},
	{name: "MetadataId", enc: VarUint32, when: wire.RowMetadataID},
	{name: "SequenceNumber", enc: VarUint32, when: wire.RowSequence},
	{name: "CaptureThreadIndex", enc: VarUint64, when: wire.RowSequence},
	{name: "ProcessorNumber", enc: VarUint32, when: wire.RowSequence},
	{name: "ThreadIndex", enc: VarUint64, when: wire.RowThread},
	{name: "StackId", enc: VarUint32, when: wire.RowStackID},
	{name: "TimeStamp", enc: VarUint64},
	{name: "LabelListId", enc: VarUint32, when: wire.RowLabelList},
	{name: "PayloadSize", enc: VarUint32, role: sizePayload, when: wire.RowPayloadSize},
	{name: "Payload", enc: Bytes, role: payload, rule: rules{missing: rule.CMP006}},
}}

const plainHeaderV4 = 80 // bytes of the header of an uncompressed row, EventSize included

// plainRowV4 is an uncompressed row of versions 4 and 5.
//
// Spec: "Uncompressed events" of the v4/v5 text.
var plainRowV4 = part{name: "EventRow", missing: rule.UNC003, min: plainHeaderV4, whole: true, items: []item{
	{name: "EventSize", enc: Uint32, role: sizes, of: &plainFieldsV4, rest: "Padding", atSize: true, rule: rules{wrong: rule.UNC003}},
	{name: "Padding", role: aligns},
}}

var plainFieldsV4 = part{name: "EventRow", missing: rule.UNC001, items: []item{
	{name: "MetadataId", enc: Uint32},
	{name: "SequenceNumber", enc: Uint32},
	{name: "ThreadId", enc: Uint64},
	{name: "CaptureThreadId", enc: Uint64},
	{name: "ProcessorNumber", enc: Uint32},
	{name: "StackId", enc: Uint32},
	{name: "TimeStamp", enc: Uint64},
	{name: "ActivityId", enc: GUID},
	{name: "RelatedActivityId", enc: GUID},
	{name: "PayloadSize", enc: Uint32, role: sizePayload},
	{name: "Payload", enc: Bytes, role: payload},
}}

// plainRowV6 is an uncompressed row of version 6.
//
// Spec: "Uncompressed events".
var plainRowV6 = part{name: "EventRow", missing: rule.UNC003, min: 52, whole: true, items: []item{
	{name: "EventSize", enc: Uint32, role: sizes, of: &plainFieldsV6, atSize: true, rule: rules{wrong: rule.UNC003}},
}}

var plainFieldsV6 = part{name: "EventRow", missing: rule.UNC002, items: []item{
	{name: "MetadataId", enc: Uint32},
	{name: "SequenceNumber", enc: Uint32},
	{name: "ThreadIndex", enc: Uint64},
	{name: "CaptureThreadIndex", enc: Uint64},
	{name: "ProcessorNumber", enc: Uint32},
	{name: "StackId", enc: Uint32},
	{name: "TimeStamp", enc: Uint64},
	{name: "LabelListId", enc: Uint32},
	{name: "PayloadSize", enc: Uint32, role: sizePayload},
	{name: "Payload", enc: Bytes, role: payload},
}}

// netperfBlock is an event block of version 3, which has no header. No text
// describes it; this is what the runtimes write.
var netperfBlock = part{name: "EventBlock", items: []item{{role: eventRows}}}

var netperfRow = part{name: "EventRow", missing: rule.NP004, min: 60, whole: true, items: []item{
	{name: "EventSize", enc: Int32, role: sizes, of: &netperfFields, rest: "Padding", atSize: true, rule: rules{wrong: rule.NP004}},
}}

var netperfFields = part{name: "EventRow", missing: rule.NP004, items: []item{
	{name: "MetadataId", enc: Uint32, role: flags},
	{name: "ThreadId", enc: Uint32},
	{name: "TimeStamp", enc: Uint64},
	{name: "ActivityId", enc: GUID},
	{name: "RelatedActivityId", enc: GUID},
	{name: "PayloadSize", enc: Int32, role: sizePayload, rule: rules{wrong: rule.NP005}},
	{name: "Payload", enc: Bytes, role: payload, of: &definition, unless: 1<<32 - 1},
	{name: "Payload", enc: Bytes, role: payload, when: 1<<32 - 1},
	{name: "StackSize", enc: Int32, role: sizes, of: &stack, atSize: true, rule: rules{wrong: rule.NP005}},
}}
