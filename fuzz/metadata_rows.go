package fuzz

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// This file accumulates metadata of v6, for comparison.

// Limits of a row, the defaults of codec.Limits.
const (
	mostFields = 10000
	mostDepth  = 32
)

// takeMetadata stores a row, if it is within the limits.
func (t *tables) takeMetadata(l *rowFields) bool {
	l.next() // the size
	m := codec.Metadata{ID: uint32(l.number()), Provider: l.text(), EventID: uint32(l.number()), Name: l.text()}
	p := fieldParser{rowFields: l}
	m.Fields = p.fields(1)
	l.next() // the size
	for l.more() {
		l.option(&m)
	}
	if p.bad {
		return false
	}
	t.metadata[m.ID] = &m
	return true
}

// option reads one element of the optional part of a row.
func (l *rowFields) option(m *codec.Metadata) {
	switch l.number() {
	case 1:
		m.Opcode, m.OpcodeSet = uint8(l.number()), true
	case 3:
		m.Keywords = l.number()
	case 4:
		m.Message = l.text()
	case 5:
		m.Description = l.text()
	case 6:
		key := l.text()
		m.Attributes = append(m.Attributes, codec.KeyValue{Key: key, Value: l.text()})
	case 7:
		m.ProviderGUID = l.guid()
	case 8:
		m.Level = uint32(l.number())
	case 9:
		m.Version = uint32(l.number())
	}
}

// fieldParser parses the fields of one metadata row.
type fieldParser struct {
	*rowFields
	count int
	bad   bool // the row exceeds a limit, or a locator is of no use
}

// fields reads the fields of a row or of an object.
func (p *fieldParser) fields(depth int) (fields []codec.Field) {
	for range p.number() {
		if p.count++; p.count > mostFields || depth > mostDepth {
			p.bad = true
		}
		if p.bad {
			return nil
		}
		p.next() // the size
		name := p.text()
		fields = append(fields, codec.Field{Name: name, Type: p.fieldType(depth)})
	}
	return fields
}

func (p *fieldParser) fieldType(depth int) (t codec.Type) {
	t.Code = wire.TypeCode(p.number())
	if depth > mostDepth {
		p.bad = true
	}
	switch {
	case p.bad:
	case t.Code == wire.Object:
		t.Fields = p.fields(depth + 1)
	case t.Code.HasElement():
		element := p.fieldType(depth + 1)
		if t.Element = &element; t.Code == wire.FixedLengthArray {
			t.Count = uint16(p.number())
		}
		if (t.Code == wire.RelLoc || t.Code == wire.DataLoc) && !isNumber(element.Code) && !sameSize(&element) {
			p.bad = true
		}
	}
	return t
}

func isNumber(code wire.TypeCode) bool { return code == wire.VarInt || code == wire.VarUInt }

// sameSize reports whether all values of a type have the same size.
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
