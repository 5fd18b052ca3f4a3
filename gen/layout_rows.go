package gen

import (
	"encoding/binary"
	"slices"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// events walks an event block, or a metadata block of v4 and v5, whose payloads
// have fields of their own.
//
// Spec: "Event block"; "The EventBlock Object" of the v4/v5 text.
func (s *scan) events(v6 bool, payload func(*scan, int)) {
	known := s.uint16("HeaderSize")
	flags := s.uint16("Flags")
	s.fixed("MinTimestamp", 8)
	s.fixed("MaxTimestamp", 8)
	s.fixed("Extension", known-20)
	size := 0
	for s.row = 0; s.pos < len(s.b); s.row++ {
		from := s.pos
		if flags&wire.BlockCompressed == 0 {
			size = s.plainRow(v6)
		} else {
			size = s.compressedRow(v6, size)
		}
		s.fields = append(s.fields, field{s.row, "Row", from, s.pos - from + size})
		end := s.pos + size
		if payload != nil {
			payload(s, end)
		}
		s.pos = end
		s.fields = append(s.fields, field{s.row, "Payload", end - size, size})
		if flags&wire.BlockCompressed == 0 && !v6 {
			s.pos = (s.pos + 3) &^ 3
		}
	}
}

// compressedRow walks the header of a compressed row and returns the size of its
// payload; before is that of the row before.
func (s *scan) compressedRow(v6 bool, before int) int {
	s.fixed("RowFlags", 1)
	f := s.b[s.pos-1]
	if f&wire.RowMetadataID != 0 {
		s.varuint("MetadataId")
	}
	if f&wire.RowSequence != 0 {
		s.varuint("SequenceNumber")
		s.varuint("CaptureThreadIndex")
		s.varuint("ProcessorNumber")
	}
	if f&wire.RowThread != 0 {
		s.varuint("ThreadIndex")
	}
	if f&wire.RowStackID != 0 {
		s.varuint("StackId")
	}
	s.varuint("TimeStamp")
	switch {
	case v6 && f&wire.RowLabelList != 0:
		s.varuint("LabelListId")
	case !v6:
		if f&wire.RowActivity != 0 {
			s.fixed("ActivityId", 16)
		}
		if f&wire.RowRelated != 0 {
			s.fixed("RelatedActivityId", 16)
		}
	}
	if f&wire.RowPayloadSize == 0 {
		return before
	}
	from := s.pos
	n := int(s.varuint("PayloadSize"))
	s.sizes = append(s.sizes, container{"PayloadSize", from, 0, s.pos, s.pos + n})
	return n
}

// plainRow walks the header of an uncompressed row.
func (s *scan) plainRow(v6 bool) int {
	end := s.sized("EventSize", 4)
	s.fixed("MetadataId", 4)
	s.fixed("SequenceNumber", 4)
	s.fixed("ThreadIndex", 8)
	s.fixed("CaptureThreadIndex", 8)
	s.fixed("ProcessorNumber", 4)
	s.fixed("StackId", 4)
	s.fixed("TimeStamp", 8)
	if v6 {
		s.fixed("LabelListId", 4)
	} else {
		s.fixed("ActivityId", 16)
		s.fixed("RelatedActivityId", 16)
	}
	s.sized("PayloadSize", 4)
	return end - s.pos
}

// definition walks the payload of a metadata row of v4 and v5.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
func (s *scan) definition(end int) {
	s.fixed("MetaDataId", 4)
	s.utf16z("ProviderName")
	s.fixed("EventId", 4)
	s.utf16z("EventName")
	s.fixed("Keywords", 8)
	s.fixed("Version", 4)
	s.fixed("Level", 4)
	s.fieldsV4()
	for s.pos < end {
		size := s.uint32("TagPayloadBytes")
		s.fixed("TagKind", 1)
		tag := s.pos + size
		s.sizes = append(s.sizes, container{"TagPayloadBytes", s.pos - 5, 4, s.pos, tag})
		if wire.MetadataTag(s.b[s.pos-1]) == wire.TagV2Params {
			s.fieldsV2()
		} else {
			s.fixed("TagPayload", size)
		}
		s.pos = tag
	}
}

func (s *scan) fieldsV4() {
	for n := s.uint32("FieldCount"); n > 0; n-- {
		if s.uint32("TypeCode") == int(wire.Object) {
			s.fieldsV4()
		}
		s.utf16z("FieldName")
	}
}

// fieldsV2 walks the fields of a V2Params tag, whose sizes count themselves.
func (s *scan) fieldsV2() {
	for n := s.uint32("V2FieldCount"); n > 0; n-- {
		size := s.uint32("V2FieldSize")
		s.sizes = append(s.sizes, container{"V2FieldSize", s.pos - 4, 4, s.pos - 4, s.pos - 4 + size})
		s.utf16z("FieldName")
		s.typeV2()
	}
}

func (s *scan) typeV2() {
	switch wire.TypeCode(s.uint32("V2TypeCode")) {
	case wire.Array:
		s.typeV2()
	case wire.Object:
		s.fieldsV2()
	}
}

// metadataV6 walks a metadata block of v6.
//
// Spec: "Metadata block".
func (s *scan) metadataV6() {
	s.fixed("Header", s.uint16("HeaderSize"))
	for s.row = 0; s.pos < len(s.b); s.row++ {
		end := s.sized("Size", 2)
		s.varuint("MetaDataId")
		s.text("ProviderName")
		s.varuint("EventId")
		s.text("EventName")
		s.fieldsV6()
		for optional := s.sized("OptionalMetadataSize", 2); s.pos < optional; {
			s.optional()
		}
		s.pos = end
	}
}

func (s *scan) optional() {
	s.fixed("OptionalKind", 1)
	switch wire.OptionalMetadata(s.b[s.pos-1]) {
	case wire.MetadataKeywords:
		s.fixed("Keywords", 8)
	case wire.MetadataMessageTemplate:
		s.text("MessageTemplate")
	case wire.MetadataDescription:
		s.text("Description")
	case wire.MetadataKeyValue:
		s.text("Key")
		s.text("Value")
	case wire.MetadataProviderGUID:
		s.fixed("ProviderGuid", 16)
	case wire.MetadataLevel:
		s.fixed("Level", 1)
	case wire.MetadataVersion:
		s.fixed("Version", 1)
	default:
		s.fixed("OpCode", 1)
	}
}

func (s *scan) fieldsV6() {
	for n := s.uint16("FieldCount"); n > 0; n-- {
		end := s.sized("FieldSize", 2)
		s.text("FieldName")
		s.typeV6()
		s.pos = end
	}
}

func (s *scan) typeV6() {
	s.fixed("TypeCode", 1)
	code := wire.TypeCode(s.b[s.pos-1])
	if code.HasElement() {
		s.typeV6()
	}
	if code == wire.FixedLengthArray {
		s.fixed("ElementCount", 2)
	}
	if code == wire.Object {
		s.fieldsV6()
	}
}

// resize makes the numbers that count the byte at pos count delta bytes more:
// those of the containers that are named, or all.
func (l *layout) resize(b []byte, pos, delta int, names ...string) {
	for _, c := range l.sizes {
		if pos < c.from || pos >= c.to || len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		at := b[c.pos:]
		switch c.width {
		case 2:
			binary.LittleEndian.PutUint16(at, uint16(c.to-c.from+delta))
		case 4:
			binary.LittleEndian.PutUint32(at, uint32(c.to-c.from+delta))
		default:
			n := wire.AppendVarUint(nil, uint64(c.to-c.from+delta))
			if len(n) != c.from-c.pos {
				panic("gen: a size in varuint grows")
			}
			copy(at, n)
		}
	}
}
