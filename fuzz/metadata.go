package fuzz

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// This file decodes metadata of v6 once more, for the sake of comparison.

// Limits of a row, the defaults of codec.Limits.
const (
	mostFields = 10000
	mostDepth  = 32
)

// takeMetadata takes in a row, if it is whole.
func (t *tables) takeMetadata(b *tape) bool {
	m := codec.Metadata{ID: b.number32(), Provider: b.string(), EventID: b.number32(), Name: b.string()}
	left := mostFields
	m.Fields = b.fieldList(1, &left)
	optional := b.part(b.fixed(2))
	for optional.pos < len(optional.all) && optional.fault == nil {
		optional.option(&m)
	}
	if b.fault != nil || optional.fault != nil {
		return false
	}
	t.metadata[m.ID] = &m
	return true
}

// option takes one element of the optional part of a row.
func (b *tape) option(m *codec.Metadata) {
	switch b.take(b.pos) {
	case 1:
		m.Opcode, m.OpcodeSet = b.take(b.pos), true
	case 3:
		m.Keywords = b.fixed(8)
	case 4:
		m.Message = b.string()
	case 5:
		m.Description = b.string()
	case 6:
		key := b.string()
		m.Attributes = append(m.Attributes, codec.KeyValue{Key: key, Value: b.string()})
	case 7:
		m.ProviderGUID = b.guid()
	case 8:
		m.Level = uint32(b.take(b.pos))
	case 9:
		m.Version = uint32(b.take(b.pos))
	default:
		b.fail(rule.OPT002)
	}
}

// fieldList takes the fields of a row or of an object. left is how many more the
// row may have.
func (b *tape) fieldList(depth int, left *int) (fields []codec.Field) {
	for range b.fixed(2) {
		if *left--; *left < 0 {
			b.fail(rule.LIM003)
		}
		part := b.part(b.fixed(2))
		f := codec.Field{Name: part.string()}
		f.Type = part.fieldType(depth, left)
		if part.fault != nil {
			b.fail(part.fault.rule)
		}
		if b.fault != nil {
			return nil
		}
		fields = append(fields, f)
	}
	return fields
}

func (b *tape) fieldType(depth int, left *int) (t codec.Type) {
	t.Code = wire.TypeCode(b.take(b.pos))
	if depth > mostDepth {
		b.fail(rule.LIM004)
	}
	switch t.Code {
	case wire.Object:
		t.Fields = b.fieldList(depth+1, left)
	case wire.Array, wire.FixedLengthArray, wire.RelLoc, wire.DataLoc:
		if b.fault != nil {
			return t
		}
		element := b.fieldType(depth+1, left)
		if t.Element = &element; t.Code == wire.FixedLengthArray {
			t.Count = uint16(b.fixed(2))
		}
		if (t.Code == wire.RelLoc || t.Code == wire.DataLoc) && !isNumber(element.Code) && !sameSize(&element) {
			b.fail(rule.TYP008)
		}
	default:
		if _, ok := widths[t.Code]; t.Code > wire.Boolean8 || !ok && t.Code != wire.NullTerminatedUTF16String && !isNumber(t.Code) {
			b.fail(rule.TYP003)
		}
	}
	return t
}

func isNumber(code wire.TypeCode) bool { return code == wire.VarInt || code == wire.VarUInt }

// sameSize says whether all values of a type take as many bytes.
func sameSize(t *codec.Type) bool {
	switch t.Code {
	case wire.Array, wire.NullTerminatedUTF16String, wire.VarInt, wire.VarUInt:
		return false
	case wire.FixedLengthArray:
		return sameSize(t.Element)
	}
	for i := range t.Fields {
		if !sameSize(&t.Fields[i].Type) {
			return false
		}
	}
	return true
}

func (b *tape) fail(id rule.ID) {
	if b.fault == nil {
		b.fault = &fault{id, b.pos}
	}
}
