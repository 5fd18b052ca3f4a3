package rule

// Headings of the published description of version 6, NetTraceFormat.md. Rules
// that apply to version 6 are filed under these.
const (
	headingOverview      = "File format overview"
	headingPrimitives    = "Primitives and endianness"
	headingMagic         = "First Bytes: NetTrace Magic"
	headingBlocks        = "Blocks"
	headingTraceBlock    = "TraceBlock"
	headingEventBlock    = "EventBlock"
	headingEventRows     = "Event rows"
	headingUncompressed  = "Uncompressed events"
	headingCompression   = "Header compression"
	headingSequence      = "Event Sequence Numbers"
	headingSorting       = "Event TimeStamp sorting"
	headingMetadataBlock = "MetadataBlock"
	headingStackBlock    = "StackBlock Object"
	headingSequencePoint = "SequencePointBlock"
	headingEndOfStream   = "EndOfStreamBlock"
	headingThreadBlock   = "ThreadBlock"
	headingRemoveThread  = "RemoveThreadBlock"
	headingLabelList     = "LabelListBlock"
)

// Headings of the published description of versions 4 and 5,
// NetTraceFormat_v5.md.
const (
	headingStreamHeader45         = "Stream Header"
	headingObjects45              = "Objects"
	headingTraceBlock45           = "The First Object: The Trace Object"
	headingRemaining45            = "Remaining Stream objects"
	headingEventBlock45           = "The EventBlock Object"
	headingMetadataBlock45        = "The MetadataBlock Object"
	headingMetadataEvent45        = "Metadata event encoding"
	headingStackBlock45           = "StackBlock Object"
	headingSequencePoint45        = "SequencePointBlock Object"
	headingEndOfStream45          = "Ending the stream: The NullReference Tag"
	headingForwardCompatibility45 = "Version Numbers and forward compatibility"
)
