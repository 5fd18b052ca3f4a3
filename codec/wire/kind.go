package wire

import "strconv"

// Kind is a block kind by the numbers of v6. The objects of v3 to v5 are given
// the same numbers by their type names.
//
// Spec: "BlockKind".
type Kind uint8

// The block kinds of the v6 text.
const (
	EndOfStream   Kind = 0
	Trace         Kind = 1
	Event         Kind = 2
	Metadata      Kind = 3
	SequencePoint Kind = 4
	Stack         Kind = 5
	Thread        Kind = 6
	RemoveThread  Kind = 7
	LabelList     Kind = 8
	// Unknown stands for an object of v3 to v5 whose type name is not in the
	// text. In v6 an unknown kind keeps its own number.
	Unknown Kind = 255
)

var kindNames = [...]string{
	EndOfStream:   "EndOfStream",
	Trace:         "Trace",
	Event:         "Event",
	Metadata:      "Metadata",
	SequencePoint: "SequencePoint",
	Stack:         "Stack",
	Thread:        "Thread",
	RemoveThread:  "RemoveThread",
	LabelList:     "LabelList",
}

// Known says whether the text defines the kind.
func (k Kind) Known() bool { return int(k) < len(kindNames) }

// String returns the spec's name, or "Unknown(n)".
func (k Kind) String() string {
	if k.Known() {
		return kindNames[k]
	}
	if k == Unknown {
		return "Unknown"
	}
	return "Unknown(" + strconv.Itoa(int(k)) + ")"
}

// Format is the version of a stream as its header tells it.
type Format struct {
	Major, Minor uint32
}

// String is "3", "4", "5" or, from 6 on, "6.0" with the minor number.
func (f Format) String() string {
	s := strconv.FormatUint(uint64(f.Major), 10)
	if f.Major >= 6 {
		s += "." + strconv.FormatUint(uint64(f.Minor), 10)
	}
	return s
}
