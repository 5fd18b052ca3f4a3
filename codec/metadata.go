package codec

import (
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Metadata describes one kind of event. It is immutable and stays valid.
//
// Spec: "Metadata block" of the v6 text, "Metadata event encoding" of the v4/v5
// text.
type Metadata struct {
	ID           uint32    // id in event rows
	Provider     string    // name of the event's provider
	ProviderGUID wire.GUID // zero if the row has none (always before v6)
	EventID      uint32    // number of the event within its provider, 0 for none
	Name         string    // of the event; the runtime's native events have none
	Keywords     uint64    // mask of the event's keywords
	Version      uint32    // of the event
	Level        uint32    // 1 critical ... 5 verbose, 0 always logged
	// Opcode is the event's opcode, 0 if OpcodeSet is false.
	Opcode    uint8
	OpcodeSet bool // the row has an opcode
	V2Params  bool // the fields come from a V2Params tag (v5)
	// Message is the template of a text for users (v6), may be empty.
	Message string
	// Description describes the event (v6), may be empty.
	Description string
	// Attributes are further pairs in the row (v6).
	Attributes []KeyValue
	Fields     []Field // of the payload, in order

	plan *plan // how payloads are read; used by the Reader that made the row alone
	cost int64 // bytes that the row and its plan hold in addition to a small row's; likewise
}

// Field is one field of a payload.
type Field struct {
	// Name is the name of the field, may be empty.
	Name string
	// Type is the encoding of the field.
	Type Type
}

// Type is the encoding of a value.
type Type struct {
	// Code is the type code. It decides the other fields that are set.
	Code    wire.TypeCode
	Element *Type   // of arrays and locators, otherwise nil
	Count   uint16  // elements of a FixedLengthArray
	Fields  []Field // of an Object

	// CountField is only set in schemas of known events: the number of elements
	// of an Array is the value of an earlier field of the same list, at index
	// CountField-1, and not a number before the elements. 0 means the latter.
	CountField int
}

// FixedSize reports whether every value of the type has the same number of
// bytes.
//
// Spec: "TypeCode", rules for RelLoc and DataLoc. The text counts VarInt and
// VarUInt as fixed ("all other types"); this function does not, because a
// locator's size in bytes would not determine the number of elements.
func (t *Type) FixedSize() bool {
	switch t.Code {
	case wire.Array, wire.NullTerminatedUTF16String, wire.VarInt, wire.VarUInt:
		return false
	case wire.FixedLengthArray:
		return t.Element != nil && t.Element.FixedSize()
	case wire.Object:
		for i := range t.Fields {
			if !t.Fields[i].Type.FixedSize() {
				return false
			}
		}
	}
	return true
}

// metadataParser has the state that the rows of one metadata block share.
type metadataParser struct {
	names  *interner
	limits *Limits
	fields int64 // read in this row so far
	types  int64 // likewise, those of fields and of elements
}

// Memory of parts of a row, for Limits.Total. A row that is decoded may for a
// while hold parsing times its own bytes: text of UTF-16 can grow by half, and is
// in a buffer that grows, in the row and in the key of the cache; types in types
// are 16 times as large as their codes.
const (
	parsing     = 18
	fieldCost   = 144
	elementCost = 64
	pairCost    = 64
)

// cost estimates the memory of a row of size bytes.
func (m *metadataParser) cost(size int, d *Metadata) int64 {
	return int64(size)*3/2 + fieldCost*m.fields + elementCost*max(0, m.types-m.fields) + pairCost*int64(len(d.Attributes))
}

// count charges one field against the limit.
func (m *metadataParser) count(c *cursor, pos int) bool {
	m.fields++
	if m.fields > m.limits.Fields {
		c.limit = &LimitError{Name: "Fields", Size: m.fields, Limit: m.limits.Fields}
		c.fail(rule.LIM003, pos)
		return false
	}
	return true
}

// nest checks the depth of a type.
func (m *metadataParser) nest(c *cursor, depth int) bool {
	m.types++
	if int64(depth) > m.limits.Nesting {
		c.limit = &LimitError{Name: "Nesting", Size: int64(depth), Limit: m.limits.Nesting}
		c.fail(rule.LIM004, c.pos)
		return false
	}
	return true
}

// MetadataRow is a metadata row of a Block.
type MetadataRow struct {
	Offset int64    // file offset of the row
	Size   int      // bytes of the row, including its header
	Flags  uint8    // of a compressed row (v4, v5)
	Header EventRow // the event row whose payload is the definition (v4, v5); borrowed from the block
	// Metadata is the decoded row. It stays valid.
	Metadata *Metadata
}

// define puts a metadata row into the table, if there is memory for it.
func (r *stream) define(c *cursor, m *Metadata, row MetadataRow) {
	old := r.metadata.get(uint64(m.ID))
	redefined := old != nil && old != m && !sameMetadata(old, m)
	if !r.mayDefine(c, m) || redefined && !r.beforeReplace(c, c.pos) {
		return
	}
	row.Metadata = m
	r.block.Metadata = append(r.block.Metadata, row)
	if redefined {
		r.defect(rule.MD008, row.Offset)
	}
	if old != nil {
		r.metadataHeld -= old.cost
	}
	if old != nil && old != m {
		r.plans.drop(old)
		r.outdated += metadataSize + old.cost
	}
	r.metadataHeld += m.cost
	r.metadata.set(uint64(m.ID), m)
	r.block.Rows++
	if r.dialect.indexed && !r.opt.NoLeniency && !r.counted8 {
		r.counted8 = m.recordTrace()
	}
}

// recordTrace reports whether the row is one that record-trace (one-collect)
// writes: it declares the counted strings of Universal.System as a single UTF-8
// code unit, and writes the number of a label without zig-zag.
func (m *Metadata) recordTrace() bool {
	if m.Provider != "Universal.System" {
		return false
	}
	for i := range m.Fields {
		if m.Fields[i].Type.Code == wire.UTF8CodeUnit {
			return true
		}
	}
	return false
}

// mayDefine reports whether there is memory for one more metadata row.
func (r *stream) mayDefine(c *cursor, m *Metadata) bool {
	if n := int64(r.metadata.count); n >= r.limits.Metadata {
		c.limit = &LimitError{Name: "Metadata", Size: n + 1, Limit: r.limits.Metadata}
		c.fail(rule.LIM002, c.pos)
	}
	return r.mayHoldAt(c, metadataSize+blockRowSize+m.cost, c.pos)
}

// sameMetadata compares two rows of one id by meaning.
func sameMetadata(a, b *Metadata) bool {
	same := a.Provider == b.Provider && a.ProviderGUID == b.ProviderGUID && a.EventID == b.EventID &&
		a.Name == b.Name && a.Keywords == b.Keywords && a.Version == b.Version && a.Level == b.Level &&
		a.Opcode == b.Opcode && a.OpcodeSet == b.OpcodeSet && a.Message == b.Message &&
		a.Description == b.Description && len(a.Attributes) == len(b.Attributes)
	for i := range a.Attributes {
		same = same && a.Attributes[i] == b.Attributes[i]
	}
	return same && sameFields(a.Fields, b.Fields)
}

func sameFields(a, b []Field) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !sameType(&a[i].Type, &b[i].Type) {
			return false
		}
	}
	return true
}

func sameType(a, b *Type) bool {
	if a.Code != b.Code || a.Count != b.Count || a.CountField != b.CountField || (a.Element == nil) != (b.Element == nil) {
		return false
	}
	if a.Element != nil && !sameType(a.Element, b.Element) {
		return false
	}
	return sameFields(a.Fields, b.Fields)
}

// badRow reports the cursor's fault, if it has one, as that of the current row.
func (r *stream) badRow(b *raw.Block, c *cursor) bool {
	if c.bad == rule.None {
		return false
	}
	if b.Truncated && c.left && r.dialect.indexed {
		r.endMark = string(b.Body[c.badPos:]) == "\x00\x00\x00\x00"
	}
	err := c.limit
	if err == nil {
		err = ErrBadBlock
	}
	r.badBlock(b, c.bad, b.BodyOffset+int64(c.badPos), err, c.past)
	return true
}
