package wire

import "strconv"

// Format is the version of a stream in its header. Its methods report what the
// specification changed from version to version: code that depends on a version
// calls them and does not compare numbers. The zero value is no version.
type Format struct {
	Major, Minor uint32 // 3 to 6; a reader accepts a higher Minor
}

// The versions of the format.
var (
	// V3 is netperf, the first version.
	V3 = Format{Major: 3}
	// V4 is the version of the .NET runtime since .NET Core 3.0.
	V4 = Format{Major: 4}
	V5 = Format{Major: 5} // V4 with tags in metadata; a Writer writes 4 in the header
	// V6 is the version of one-collect (record-trace).
	V6 = Format{Major: 6}
)

// String returns "3", "4", "5" or, from 6 on, "6.0" with the minor version.
func (f Format) String() string {
	s := strconv.FormatUint(uint64(f.Major), 10)
	if f.Major >= 6 {
		s += "." + strconv.FormatUint(uint64(f.Minor), 10)
	}
	return s
}

// IsZero reports whether f is no version.
func (f Format) IsZero() bool { return f.Major == 0 }

// Before reports whether f is an earlier version than g. It ignores minor
// versions, which only add parts that a reader may ignore.
//
// Spec: "Stream header".
func (f Format) Before(g Format) bool { return f.Major < g.Major }

// WithTags returns V5 for V4, and other versions unchanged. Streams with 4 in
// the header can have the tags of V5, with the same framing.
//
// Spec: "Versioning the Format While Maintaining Compatibility" of the v4/v5
// text.
func (f Format) WithTags() Format {
	if f.Major == 4 {
		f.Major = 5
	}
	return f
}

// HasObjects reports whether the blocks are objects between tags, with a type, a
// name and padding. Later versions have block headers.
//
// Spec: "Objects" of the v4/v5 text, "Block header" of the v6 text.
func (f Format) HasObjects() bool { return f.Major < 6 }

// HasSpecification reports whether a text of the specification describes the
// version. Of v3 only what the runtimes write is known.
func (f Format) HasSpecification() bool { return f.Major != 3 }

// HasEventBlockHeaders reports whether an event block begins with a header, which
// states the form of its rows and their first and last time.
//
// Spec: "The EventBlock Object" of the v4/v5 text, "Event block" of the v6 text.
func (f Format) HasEventBlockHeaders() bool { return f.Major >= 4 }

// HasMetadataBlocks reports whether metadata has blocks of its own. In v3 the
// event rows with metadata id 0 define it.
//
// Spec: "The MetadataBlock Object" of the v4/v5 text, "Metadata block" of the v6
// text.
func (f Format) HasMetadataBlocks() bool { return f.Major >= 4 }

// HasStackBlocks reports whether event rows refer to stacks in blocks. In v3 a
// stack follows the payload of each event.
//
// Spec: "StackBlock Object" of the v4/v5 text, "Stack block" of the v6 text.
func (f Format) HasStackBlocks() bool { return f.Major >= 4 }

// HasSequenceNumbers reports whether event rows have a sequence number, a capture
// thread and a processor number.
//
// Spec: "Event Sequence Numbers" of the v4/v5 text, "Sequence numbers" of the v6
// text.
func (f Format) HasSequenceNumbers() bool { return f.Major >= 4 }

// HasSequencePoints reports whether sequence points divide the stream into
// regions. Without them the events are sorted.
//
// Spec: "SequencePointBlock Object" of the v4/v5 text, "SequencePoint block" of
// the v6 text.
func (f Format) HasSequencePoints() bool { return f.Major >= 4 }

// HasPadding reports whether uncompressed event rows begin at multiples of four.
//
// Spec: "Uncompressed events" of the v4/v5 text.
func (f Format) HasPadding() bool { return f.Major < 6 }

// HasMetadataHeaders reports whether a metadata row is the payload of an event
// row. Otherwise a row begins with its size.
//
// Spec: "The MetadataBlock Object" of the v4/v5 text, "Metadata block" of the v6
// text.
func (f Format) HasMetadataHeaders() bool { return f.Major < 6 }

// HasTags reports whether tags follow the fields of a metadata row.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
func (f Format) HasTags() bool { return f.Major == 5 }

// HasOpcodes reports whether a metadata row can state an opcode.
//
// Spec: "Metadata event encoding" of the v4/v5 text, TagKind; "OptionalMetadata"
// of the v6 text.
func (f Format) HasOpcodes() bool { return f.Major >= 5 }

// HasOptionalMetadata reports whether a metadata row can state the GUID of its
// provider, a message, a description and attributes. Its level and version are
// bytes then; before, they have four.
//
// Spec: "OptionalMetadata".
func (f Format) HasOptionalMetadata() bool { return f.Major >= 6 }

// HasType reports whether a metadata row can describe a field of a type.
//
// Spec: "Metadata event encoding" of the v4/v5 text, "TypeCode" of the v6 text.
func (f Format) HasType(code TypeCode) bool {
	switch {
	case !code.InStream():
		return false
	case code == Decimal:
		return f.Major < 6
	case code == Array:
		return f.Major >= 5
	case code > Array:
		return f.Major >= 6
	}
	return true
}

// HasTraceProperties reports whether the Trace block has keys and values.
// Before, it has three numbers.
//
// Spec: "The First Object: The Trace Object" of the v4/v5 text, "Trace block" of
// the v6 text.
func (f Format) HasTraceProperties() bool { return f.Major >= 6 }

// HasThreadTable reports whether event rows and sequence points refer to threads
// by the index of a row, which states their ids. Before, they have the ids.
//
// Spec: "Thread block".
func (f Format) HasThreadTable() bool { return f.Major >= 6 }

// HasRemovedThreads reports whether RemoveThread blocks state that a thread has
// ended. Before, a thread that a sequence point does not list has ended.
//
// Spec: "RemoveThread block"; "SequencePointBlock Object" of the v4/v5 text.
func (f Format) HasRemovedThreads() bool { return f.Major >= 6 }

// HasSequencePointFlags reports whether a sequence point states which tables the
// reader forgets.
//
// Spec: "SequencePoint block".
func (f Format) HasSequencePointFlags() bool { return f.Major >= 6 }

// HasLabelLists reports whether event rows refer to lists of labels. Before, they
// have two activity ids.
//
// Spec: "LabelList block"; "Header compression" of the v4/v5 text.
func (f Format) HasLabelLists() bool { return f.Major >= 6 }
