package wire

// Bits of the flags byte at the start of a compressed event row, and other
// flags of the format.
//
// Spec: "Header compression".
const (
	RowMetadataID    = 1   // the metadata id is written
	RowSequence      = 2   // sequence number, capture thread and processor are written
	RowThread        = 4   // the thread is written
	RowStackID       = 8   // the stack id is written
	RowActivity      = 16  // v4, v5: the activity id is written; v6: the label list id
	RowRelated       = 32  // v4, v5: the related activity id is written
	RowSorted        = 64  // no later row is older than this one
	RowPayloadSize   = 128 // the payload size is written
	RowLabelList     = RowActivity
	BlockCompressed  = 1       // flag of an event block header: rows are compressed
	NotSortedBit     = 1 << 31 // of the metadata id in an uncompressed row
	SequenceThreads  = 1       // flag of a v6 sequence point: the thread table is flushed
	SequenceMetadata = 2       // flag of a v6 sequence point: the metadata table is flushed
)

// UnknownProcessor is the processor number of an event whose writer did not
// know it.
const UnknownProcessor = 0xFFFFFFFF

// Tags of the object framing of v3 to v5.
//
// Spec: "Tags".
const (
	TagNull         = 1 // ends the stream; the type of a type object
	TagBegin        = 4 // begins an object in v3
	TagBeginPrivate = 5 // begins an object in v4 and v5
	TagEnd          = 6 // ends an object
)

// OptionalMetadata is the kind of an optional part of a v6 metadata row.
//
// Spec: "OptionalMetadataKind".
type OptionalMetadata uint8

// The optional metadata kinds of the v6 text.
const (
	MetadataOpcode          OptionalMetadata = 1
	MetadataKeywords        OptionalMetadata = 3
	MetadataMessageTemplate OptionalMetadata = 4
	MetadataDescription     OptionalMetadata = 5
	MetadataKeyValue        OptionalMetadata = 6
	MetadataProviderGUID    OptionalMetadata = 7
	MetadataLevel           OptionalMetadata = 8
	MetadataVersion         OptionalMetadata = 9
)

// MetadataTag is the kind of a tag after the field list of a v5 metadata row.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
type MetadataTag uint8

// The metadata tags of the v4/v5 text.
const (
	TagOpcode   MetadataTag = 1
	TagV2Params MetadataTag = 2
)

// ThreadInfo is the kind of an entry of a v6 thread row.
//
// Spec: "Thread block", OptionalThreadInfo.
type ThreadInfo uint8

// The thread information kinds of the v6 text.
const (
	ThreadName        ThreadInfo = 1
	ThreadOSProcessID ThreadInfo = 2
	ThreadOSThreadID  ThreadInfo = 3
	ThreadKeyValue    ThreadInfo = 4
)

// LabelKind is the kind of a label, without the bit that ends a list.
//
// Spec: "LabelList block".
type LabelKind uint8

// The label kinds of the v6 text.
const (
	LabelActivityID        LabelKind = 1
	LabelRelatedActivityID LabelKind = 2
	LabelTraceID           LabelKind = 3
	LabelSpanID            LabelKind = 4
	LabelKeyString         LabelKind = 5
	LabelKeyNumber         LabelKind = 6
	LabelOpcode            LabelKind = 7
	LabelKeywords          LabelKind = 8
	LabelLevel             LabelKind = 9
	LabelVersion           LabelKind = 10
	// LastLabel is set in the kind byte of the last label of a list.
	LastLabel = 0x80
)
