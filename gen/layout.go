package gen

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// header stands for the row of a field that is in none.
const header = -1

// field is a field of a block's body: which one of which row, and where it
// stands.
type field struct {
	row       int
	name      string // the spec's
	pos, size int
}

// container is a number of bytes that is written in front of them.
type container struct {
	name     string
	pos      int // of the number
	width    int // bytes of the number, 0 for a varuint
	from, to int // the bytes that it counts
}

// layout is where the fields of a body stand.
type layout struct {
	fields []field
	sizes  []container
}

// scan walks a body that is in order and notes its fields.
type scan struct {
	layout
	b   []byte
	pos int
	row int // -1: the header
}

func (s *scan) note(name string, from int) {
	s.fields = append(s.fields, field{s.row, name, from, s.pos - from})
}

// fixed passes a field of n bytes.
func (s *scan) fixed(name string, n int) {
	s.pos += n
	s.note(name, s.pos-n)
}

func (s *scan) uint16(name string) int {
	s.fixed(name, 2)
	return int(binary.LittleEndian.Uint16(s.b[s.pos-2:]))
}

func (s *scan) uint32(name string) int {
	s.fixed(name, 4)
	return int(binary.LittleEndian.Uint32(s.b[s.pos-4:]))
}

func (s *scan) varuint(name string) uint64 {
	from := s.pos
	v, next := wire.VarUint64(s.b, s.pos)
	s.pos = next
	s.note(name, from)
	return v
}

// text passes a string of v6: the field, and its bytes without the length.
func (s *scan) text(name string) {
	from := s.pos
	n, next := wire.VarUint64(s.b, s.pos)
	s.pos = next + int(n)
	s.note(name, from)
	s.fields = append(s.fields, field{s.row, name + " text", next, int(n)})
}

// utf16z passes a zero-terminated text.
func (s *scan) utf16z(name string) {
	_, next := wire.UTF16Z(s.b, s.pos)
	from := s.pos
	s.pos = next
	s.note(name, from)
}

// sized passes a number of bytes of 2 or 4 bytes that counts what follows, and
// returns where that ends.
func (s *scan) sized(name string, width int) (end int) {
	s.fixed(name, width)
	n := int(binary.LittleEndian.Uint16(s.b[s.pos-width:]))
	if width == 4 {
		n = int(binary.LittleEndian.Uint32(s.b[s.pos-width:]))
	}
	s.sizes = append(s.sizes, container{name, s.pos - width, width, s.pos, s.pos + n})
	return s.pos + n
}

// layoutOf finds the fields of a body of a version.
func layoutOf(kind wire.Kind, body []byte, format wire.Format) layout {
	s := &scan{b: body, row: header}
	v6 := format.Major >= 6
	switch kind {
	case wire.KindTrace:
		s.trace(v6)
	case wire.KindEvent:
		s.events(v6, nil)
	case wire.KindMetadata:
		if v6 {
			s.metadataV6()
		} else {
			s.events(false, (*scan).definition)
		}
	case wire.KindStack:
		s.stacks()
	case wire.KindLabelList:
		s.labelLists()
	case wire.KindThread:
		s.threads()
	case wire.KindRemoveThread:
		for s.row = 0; s.pos < len(body); s.row++ {
			s.varuint("Index")
			s.varuint("SequenceNumber")
		}
	case wire.KindSequencePoint:
		s.sequencePoint(v6)
	}
	return s.layout
}

// trace walks a Trace block.
//
// Spec: "Trace block"; "The Trace Object" of the v4/v5 text.
func (s *scan) trace(v6 bool) {
	s.fixed("SyncTimeUTC", 16)
	s.fields = append(s.fields, field{header, "DayOfWeek", 4, 2})
	s.fixed("SyncTimeTicks", 8)
	s.fixed("TickFrequency", 8)
	s.fixed("PointerSize", 4)
	if !v6 {
		s.fixed("ProcessId", 4)
		s.fixed("NumberOfProcessors", 4)
		s.fixed("ExpectedCPUSamplingRate", 4)
		return
	}
	n := s.uint32("KeyValueCount")
	for s.row = 0; s.row < n; s.row++ {
		s.text("Key")
		s.text("Value")
	}
}

// stacks walks a stack block.
func (s *scan) stacks() {
	s.fixed("FirstId", 4)
	n := s.uint32("Count")
	for s.row = 0; s.row < n; s.row++ {
		end := s.sized("StackSize", 4)
		s.fixed("Stack", end-s.pos)
	}
}

// sequencePoint walks a sequence point.
func (s *scan) sequencePoint(v6 bool) {
	s.fixed("TimeStamp", 8)
	if v6 {
		s.fixed("Flags", 4)
	}
	n := s.uint32("ThreadCount")
	for s.row = 0; s.row < n; s.row++ {
		if v6 {
			s.varuint("ThreadIndex")
			s.varuint("SequenceNumber")
		} else {
			s.fixed("ThreadIndex", 8)
			s.fixed("SequenceNumber", 4)
		}
	}
}

// threads walks a thread block.
func (s *scan) threads() {
	for s.row = 0; s.pos < len(s.b); s.row++ {
		end := s.sized("RowSize", 2)
		s.varuint("Index")
		for s.pos < end {
			s.fixed("Kind", 1)
			switch wire.ThreadInfo(s.b[s.pos-1]) {
			case wire.ThreadName:
				s.text("Name")
			case wire.ThreadKeyValue:
				s.text("Key")
				s.text("Value")
			default:
				s.varuint("Id")
			}
		}
	}
}

// labelLists walks a label list block.
func (s *scan) labelLists() {
	s.fixed("firstIndex", 4)
	n := s.uint32("count")
	for s.row = 0; s.row < n; s.row++ {
		for last := false; !last; {
			s.fixed("Kind", 1)
			kind := s.b[s.pos-1]
			last = kind&wire.LastLabel != 0
			s.label(wire.LabelKind(kind &^ wire.LastLabel))
		}
	}
}

func (s *scan) label(kind wire.LabelKind) {
	switch kind {
	case wire.LabelActivityID, wire.LabelRelatedActivityID:
		s.fixed("ActivityId", 16)
	case wire.LabelTraceID:
		s.fixed("TraceId", 16)
	case wire.LabelSpanID:
		s.fixed("SpanId", 8)
	case wire.LabelKeyString:
		s.text("Key")
		s.text("Value")
	case wire.LabelKeyNumber:
		s.text("Key")
		s.varuint("Number")
	case wire.LabelKeywords:
		s.fixed("Keywords", 8)
	case wire.LabelLevel:
		s.fixed("Level", 1)
	default:
		s.fixed("Byte", 1)
	}
}
