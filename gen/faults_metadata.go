package gen

import (
	"bytes"
	"slices"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// metadataFaults are faults in metadata rows.
var metadataFaults = []Fault{
	{Name: "metadata-header-past-block", Rule: rule.MD001, Reader: rule.MD001, Versions: in6, inject: func(s *template) {
		set(roleSpareMetadata, 0, "HeaderSize", 0xFF, 0x7F)(s)
		s.fault.pos += 2
	}},
	{Name: "metadata-header", Rule: rule.MD002, Versions: in6, inject: func(s *template) {
		set(roleSpareMetadata, 0, "HeaderSize", 2, 0)(s)
		s.bad[s.fault.part].body = slices.Insert(s.bad[s.fault.part].body, 2, 9, 9)
	}},
	{Name: "metadata-row-past-block", Rule: rule.MD003, Reader: rule.MD003, Versions: in6,
		inject: at(roleSpareMetadata, 0, "MetaDataId", set(roleSpareMetadata, 0, "MetadataRow.Size", 0xFF, 0x7F))},
	{Name: "metadata-row-short", Rule: rule.MD004, Reader: rule.MD004, Versions: in6,
		inject: cut(roleSpareMetadata, 0, "ProviderName", 2, "MetadataRow.Size")},
	{Name: "metadata-without-optional", Rule: rule.MD004, Reader: rule.MD004, Versions: in6,
		inject: cut(roleSpareMetadata, 0, "OptionalMetadata.Size", 0, "MetadataRow.Size")},
	{Name: "metadata-row-tail", Rule: rule.MD005, Versions: in6, inject: grow(roleSpareMetadata, 0, "MetadataRow.Size", []byte{1, 2, 3})},
	{Name: "metadata-id-zero", Rule: rule.MD006, Versions: in6, inject: set(roleSpareMetadata, 0, "MetaDataId", 0)},
	{Name: "metadata-id-huge", Rule: rule.MD007, Versions: in6, inject: set(roleSpareMetadata, 0, "MetaDataId", varuint(1<<31+5)...)},
	{Name: "metadata-id-twice", Rule: rule.MD008, Reader: rule.MD008, Versions: in6, inject: set(roleSpareMetadata, 0, "MetaDataId", 1)},
	{Name: "metadata-id-twice-v4", Rule: rule.MD008, Reader: rule.MD008, Versions: in45,
		inject: set(roleSpareMetadata, 0, "MetaDataId", u32(1)...)},
	{Name: "event-type-twice", Rule: rule.MD009, Versions: in6, inject: func(s *template) {
		for _, name := range []string{"EventName", "EventId"} {
			i, _, f := s.find(roleMetadata, last, name, 0)
			set(roleSpareMetadata, 0, name, s.bad[i].body[f.Pos:f.Pos+f.Size]...)(s)
		}
		at(roleSpareMetadata, 0, "MetaDataId", func(*template) {})(s)
	}},
	{Name: "provider-empty", Rule: rule.MD011, Versions: in6, inject: set(roleSpareMetadata, 0, "ProviderName", 0)},
	{Name: "event-name-empty", Rule: rule.MD013, Versions: in6, inject: set(roleSpareMetadata, 0, "EventName", 0)},
	{Name: "event-without-name-and-id", Rule: rule.MD012, Versions: in6, inject: func(s *template) {
		set(roleSpareMetadata, 0, "EventName", 0)(s)
		set(roleSpareMetadata, 0, "EventId", 0)(s)
	}},
	{Name: "guid-in-provider", Rule: rule.MD017, Versions: in6, inject: set(roleSpareMetadata, 0, "ProviderName",
		append([]byte{46}, "Contoso:{E13C0D23-CCBC-4E12-931B-D9CC2EEE27E4}"...)...)},
	{Name: "event-name-not-utf8", Rule: rule.MD014, Versions: in6, inject: at(roleSpareMetadata, 0, "EventName",
		change(roleSpareMetadata, 0, "EventName text", func(b []byte) { b[0] = 0xC0 }))},
	{Name: "event-name-with-control", Rule: rule.MD014, Versions: in6, inject: at(roleSpareMetadata, 0, "EventName",
		change(roleSpareMetadata, 0, "EventName text", func(b []byte) { b[0] = 1 }))},
	{Name: "event-id-high", Rule: rule.MD015, Versions: in6, inject: set(roleSpareMetadata, 0, "EventId", varuint(70_000)...)},
	{Name: "event-id-high-v4", Rule: rule.MD015, Versions: in45, inject: set(roleSpareMetadata, 0, "EventId", u32(70_000)...)},
}

// Fields of the unused event types of v6, in file order: One, Two, Sub, Six, Ten
// and Last. Their type codes: Int32, Object, Int64, RelLoc, Byte,
// FixedLengthArray, Int64, Array, Int64.
const (
	nthTwo    = 1
	nthRelLoc = 3
	nthByte   = 4
	nthTen    = 5
	nthLast   = 7
)

// typeFaults are faults in fields and their types.
var typeFaults = []Fault{
	{Name: "field-past-row", Rule: rule.TYP001, Reader: rule.TYP001, Versions: in6, inject: func(s *template) {
		setNth(roleSpareMetadata, 0, "FieldSize", 5, 0xFF, 0x7F)(s)
		s.fault.pos += 2
	}},
	{Name: "field-short", Rule: rule.TYP002, Reader: rule.TYP002, Versions: in6,
		inject: cutNth(roleSpareMetadata, 0, "FieldName", 5, 1, "FieldSize")},
	{Name: "field-tail", Rule: rule.TYP002, Versions: in6, inject: grow(roleSpareMetadata, 0, "FieldSize", []byte{1, 2}, "MetadataRow.Size")},
	{Name: "unknown-type", Rule: rule.TYP003, Reader: rule.TYP003, Versions: in6, inject: set(roleSpareMetadata, 0, "TypeCode", 99)},
	{Name: "decimal-in-v6", Rule: rule.TYP004, Versions: in6, inject: set(roleSpareMetadata, 0, "TypeCode", byte(wire.Decimal))},
	{Name: "empty-type", Rule: rule.TYP004, Reader: rule.TYP004, Versions: in6, inject: set(roleSpareMetadata, 0, "TypeCode", 0)},
	{Name: "array-without-element", Rule: rule.TYP005, Reader: rule.TYP005, Versions: in6,
		inject: cutNth(roleSpareMetadata, 0, "TypeCode", nthLast+1, 0, "FieldSize")},
	{Name: "fixed-array-without-count", Rule: rule.TYP006, Reader: rule.TYP006, Versions: in6,
		inject: cut(roleSpareMetadata, 0, "ElementCount", 0, "FieldSize")},
	{Name: "fixed-array-of-none", Rule: rule.TYP006, Versions: in6, inject: set(roleSpareMetadata, 0, "ElementCount", 0, 0)},
	{Name: "object-without-fields", Rule: rule.TYP007, Reader: rule.TYP007, Versions: in6,
		inject: cutNth(roleSpareMetadata, 0, "FieldDescriptions.Count", 1, 0, "FieldSize")},
	{Name: "locator-of-text", Rule: rule.TYP008, Reader: rule.TYP008, Versions: in6,
		inject: setNth(roleSpareMetadata, 0, "TypeCode", nthByte, byte(wire.NullTerminatedUTF16String))},
	{Name: "locator-of-varint", Rule: rule.TYP009, Versions: in6,
		inject: setNth(roleSpareMetadata, 0, "TypeCode", nthByte, byte(wire.VarInt))},
	{Name: "locator-in-array", Rule: rule.TYP010, Versions: in6,
		inject: setNth(roleSpareMetadata, 0, "TypeCode", nthLast+1, byte(wire.RelLoc), byte(wire.Byte))},
	{Name: "types-too-deep", Rule: rule.TYP011, Versions: in6, inject: setNth(roleSpareMetadata, 0, "TypeCode", nthLast+1,
		append(bytes.Repeat([]byte{byte(wire.Array)}, 40), byte(wire.Byte))...)},
	{Name: "field-name-twice", Rule: rule.TYP012, Versions: in6, inject: setNth(roleSpareMetadata, 0, "FieldName", 3, 3, 'T', 'w', 'o')},
	{Name: "field-name-empty", Rule: rule.TYP013, Versions: in6, inject: setNth(roleSpareMetadata, 0, "FieldName", 3, 0)},
	{Name: "text-as-one-unit", Rule: rule.TYP014, Versions: in6, inject: func(s *template) {
		i, l, f := s.find(roleMetadata, 1, "TypeCode", 4) // Flag, Text, Many of Int32, Name of UTF8CodeUnit
		s.faultAt(i, l, f.Row, f.Pos)
		s.splice(i, l, f.Pos, f.Size, nil)
	}},
	{Name: "locator-as-integer", Rule: rule.TYP015, Versions: in6,
		inject: setNth(roleSpareMetadata, 0, "FieldName", 0, append([]byte{10}, "__data_loc"...)...)},
	{Name: "fixed-array-in-v4", Rule: rule.TYP016, Reader: rule.TYP016, Versions: in45,
		inject: set(roleSpareMetadata, 0, "TypeCode", u32(uint32(wire.FixedLengthArray))...)},
	{Name: "varint-in-v4", Rule: rule.TYP016, Versions: in45, inject: set(roleSpareMetadata, 0, "TypeCode", u32(uint32(wire.VarInt))...)},
	{Name: "array-in-first-list", Rule: rule.TYP017, Reader: rule.TYP017, Versions: in45,
		inject: set(roleSpareMetadata, 0, "TypeCode", u32(uint32(wire.Array))...)},
	{Name: "fixed-array-large", Rule: rule.TYP018, Versions: in6, inject: set(roleSpareMetadata, 0, "ElementCount", 0xFF, 0xFF)},
}

// optionalFaults are faults in the optional metadata of v6.
var optionalFaults = []Fault{
	{Name: "optional-past-row", Rule: rule.OPT001, Reader: rule.OPT001, Versions: in6, inject: func(s *template) {
		set(roleSpareMetadata, 0, "OptionalMetadata.Size", 0xFF, 0x7F)(s)
		s.fault.pos += 2
	}},
	{Name: "optional-cut", Rule: rule.OPT001, Reader: rule.OPT001, Versions: in6,
		inject: cut(roleSpareMetadata, 0, "Version", 0, "OptionalMetadata.Size")},
	{Name: "optional-unknown", Rule: rule.OPT002, Reader: rule.OPT002, Versions: in6, inject: optionalKind("Version", 99)},
	{Name: "optional-v2params", Rule: rule.OPT003, Reader: rule.OPT003, Versions: in6, inject: optionalKind("Version", 2)},
	{Name: "optional-twice", Rule: rule.OPT004, Versions: in6, inject: optionalKind("Version", byte(wire.MetadataLevel))},
	{Name: "attribute-twice", Rule: rule.OPT005, Versions: in6, inject: setNth(roleSpareMetadata, 0, "Key", 1, 4, 'l', 'e', 'f', 't')},
	{Name: "level-6", Rule: rule.OPT006, Versions: in6, inject: set(roleSpareMetadata, 0, "Level", 6)},
	{Name: "level-6-v4", Rule: rule.OPT006, Versions: in45, inject: set(roleSpareMetadata, 0, "Level", u32(6)...)},
	{Name: "provider-guid-differs", Rule: rule.OPT007, Versions: in6,
		inject: change(roleSpareMetadata, 0, "ProviderGuid", func(b []byte) { b[15]++ })},
	{Name: "template-field", Rule: rule.OPT009, Versions: in6, inject: at(roleSpareMetadata, 0, "MessageTemplate",
		change(roleSpareMetadata, 0, "MessageTemplate text", func(b []byte) { b[1] = 'X' }))},
	{Name: "description-not-utf8", Rule: rule.OPT010, Versions: in6, inject: at(roleSpareMetadata, 0, "Description",
		change(roleSpareMetadata, 0, "Description text", func(b []byte) { b[0] = 0xFF }))},
}

// optionalKind writes another kind before a value of optional metadata.
func optionalKind(value string, kind byte) func(*template) {
	return func(s *template) {
		i, l, f := s.find(roleSpareMetadata, 0, value, 0)
		s.faultAt(i, l, f.Row, f.Pos-1)
		s.bad[i].body[f.Pos-1] = kind
	}
}

// metadataV4Faults are faults in the definitions of v4 and v5.
var metadataV4Faults = []Fault{
	{Name: "definition-with-id", Rule: rule.MD4001, Versions: in45, inject: func(s *template) {
		i, l, f := s.find(roleSpareMetadata, 0, "EventRow.Flags", 0)
		s.faultAt(i, l, 0, f.Pos+1)
		s.bad[i].body[f.Pos] |= wire.RowMetadataID
		s.bad[i].body = slices.Insert(s.bad[i].body, f.Pos+1, 3)
	}},
	{Name: "definition-short", Rule: rule.MD4003, Reader: rule.MD4003, Versions: in45,
		inject: cut(roleSpareMetadata, 0, "Level", 2, "PayloadSize")},
	{Name: "name-without-end", Rule: rule.MD4004, Reader: rule.MD4004, Versions: in45,
		inject: cut(roleSpareMetadata, 0, "EventName", 6, "PayloadSize")},
	{Name: "field-count-high", Rule: rule.MD4005, Reader: rule.MD4005, Versions: in45,
		inject: set(roleSpareMetadata, 0, "FieldCount", u32(9999)...)},
	{Name: "version-256", Rule: rule.MD4007, Versions: in45, inject: set(roleSpareMetadata, 0, "Version", u32(256)...)},
	{Name: "type-dbnull", Rule: rule.MD4008, Reader: rule.MD4008, Versions: in45, inject: set(roleSpareMetadata, 0, "TypeCode", u32(2)...)},
	{Name: "type-unknown", Rule: rule.MD4008, Reader: rule.MD4008, Versions: in45, inject: set(roleSpareMetadata, 0, "TypeCode", u32(99)...)},
}

// tagFaults are faults in the metadata tags of v5.
var tagFaults = []Fault{
	{Name: "tag-past-payload", Rule: rule.TAG001, Reader: rule.TAG001, Versions: in5,
		inject: at(roleSpareMetadata, 0, "OpCode", set(roleSpareMetadata, 0, "TagPayloadBytes", u32(999)...))},
	{Name: "tag-cut", Rule: rule.TAG001, Reader: rule.TAG001, Versions: in5,
		inject: cut(roleSpareMetadata, 0, "TagPayloadBytes", 3, "PayloadSize")},
	{Name: "opcode-missing", Rule: rule.TAG002, Reader: rule.TAG002, Versions: in5,
		inject: cut(roleSpareMetadata, 0, "OpCode", 0, "TagPayloadBytes")},
	{Name: "opcode-long", Rule: rule.TAG002, Versions: in5, inject: set(roleSpareMetadata, 0, "OpCode", 3, 0)},
	{Name: "both-field-lists", Rule: rule.TAG003, Versions: in5,
		inject: set(roleMetadata, 1, "FieldCount", 1, 0, 0, 0, 9, 0, 0, 0, 'x', 0, 0, 0)},
	{Name: "second-list-negative", Rule: rule.TAG004, Reader: rule.TAG004, Versions: in5,
		inject: set(roleMetadata, 1, "V2FieldCount", u32(1<<32-1)...)},
	{Name: "second-field-size", Rule: rule.TAG005, Reader: rule.TAG005, Versions: in5,
		inject: set(roleMetadata, 1, "V2FieldSize", u32(3)...)},
	{Name: "unknown-tag", Rule: rule.TAG006, Versions: in5, inject: set(roleSpareMetadata, 0, "TagKind", 9)},
	{Name: "tag-twice", Rule: rule.TAG007, Versions: in5,
		inject: grow(roleSpareMetadata, 0, "PayloadSize", []byte{1, 0, 0, 0, byte(wire.TagOpcode), 4})},
	{Name: "opcode-info", Rule: rule.TAG008, Versions: in5, inject: set(roleSpareMetadata, 0, "OpCode", 0)},
}
