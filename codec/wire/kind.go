package wire

import "strconv"

// Kind is a block kind, with the numbers of v6. The objects of v3 to v5 get the
// same numbers by their type names.
//
// Spec: "BlockKind".
type Kind uint8

// The block kinds of the v6 text.
const (
	KindEndOfStream   Kind = 0
	KindTrace         Kind = 1
	KindEvent         Kind = 2
	KindMetadata      Kind = 3
	KindSequencePoint Kind = 4
	KindStack         Kind = 5
	KindThread        Kind = 6
	KindRemoveThread  Kind = 7
	KindLabelList     Kind = 8
	// KindUnknown is an object of v3 to v5 whose type name is not in the
	// specification. In v6 an unknown kind keeps its own number.
	KindUnknown Kind = 255
)

var kindNames = [...]string{
	KindEndOfStream:   "EndOfStream",
	KindTrace:         "Trace",
	KindEvent:         "Event",
	KindMetadata:      "Metadata",
	KindSequencePoint: "SequencePoint",
	KindStack:         "Stack",
	KindThread:        "Thread",
	KindRemoveThread:  "RemoveThread",
	KindLabelList:     "LabelList",
}

// Known reports whether the specification defines the kind.
func (k Kind) Known() bool { return int(k) < len(kindNames) }

// String returns the specification's name, or "Unknown(n)".
func (k Kind) String() string {
	if k.Known() {
		return kindNames[k]
	}
	if k == KindUnknown {
		return "Unknown"
	}
	return "Unknown(" + strconv.Itoa(int(k)) + ")"
}
