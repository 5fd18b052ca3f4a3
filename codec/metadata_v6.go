package codec

import (
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// readMetadataBlock reads the rows of a v6 metadata block.
//
// Spec: "Metadata block".
func readMetadataBlock(r *stream, b *raw.Block) {
	c := cursor{b: b.Body}
	header := c.uint16(rule.MD001)
	r.block.HeaderSize = int(header)
	c.step(wire.Skip(c.b, c.pos, int(header)), rule.MD001)
	for !c.done() {
		start := c.pos
		size := c.uint16(rule.MD003)
		sub := c.sub(int(size), rule.MD003)
		if c.bad == rule.None {
			r.metadataRow(&c, &sub, MetadataRow{Offset: b.BodyOffset + int64(start), Size: c.pos - start})
		}
		if r.badRow(b, &c) {
			return
		}
	}
	r.badRow(b, &c)
}

// metadataRow decodes one row, or finds it in the cache.
func (r *stream) metadataRow(c, sub *cursor, row MetadataRow) {
	key := sub.b[sub.pos:]
	m := r.metadataCache.get(key)
	if m == nil {
		if !r.mayHoldAt(c, parsing*int64(len(key)), c.pos) {
			return
		}
		p := metadataParser{names: &r.names, limits: &r.limits}
		m = p.rowV6(sub)
		if !c.join(sub) {
			return
		}
		m.cost = p.cost(len(key), m)
		r.metadataCache.put(key, m, m.cost)
	}
	r.define(c, m, row)
}

// rowV6 reads one metadata row; bytes after the known ones are skipped.
func (m *metadataParser) rowV6(c *cursor) *Metadata {
	d := &Metadata{ID: c.varUint32(rule.MD004)}
	d.Provider = m.names.utf8(c.text(rule.MD004))
	d.EventID = c.varUint32(rule.MD004)
	d.Name = m.names.utf8(c.text(rule.MD004))
	d.Fields = m.fieldsV6(c, 1, rule.TYP001)
	size := c.uint16(rule.MD004)
	optional := c.sub(int(size), rule.OPT001)
	for !optional.done() {
		m.optional(&optional, d)
	}
	c.join(&optional)
	return d
}

// optional reads one element of the optional part of a row.
//
// Spec: "OptionalMetadata".
func (m *metadataParser) optional(c *cursor, d *Metadata) {
	at := c.pos
	switch wire.OptionalMetadata(c.byte(rule.OPT001)) {
	case wire.MetadataOpcode:
		d.Opcode, d.OpcodeSet = c.byte(rule.OPT001), true
	case wire.MetadataKeywords:
		d.Keywords = c.uint64(rule.OPT001)
	case wire.MetadataMessageTemplate:
		d.Message = m.names.utf8(c.text(rule.OPT001))
	case wire.MetadataDescription:
		d.Description = m.names.utf8(c.text(rule.OPT001))
	case wire.MetadataKeyValue:
		key, value := c.text(rule.OPT001), c.text(rule.OPT001)
		d.Attributes = grow(d.Attributes, KeyValue{m.names.utf8(key), m.names.utf8(value)})
	case wire.MetadataProviderGUID:
		d.ProviderGUID = c.guid(rule.OPT001)
	case wire.MetadataLevel:
		d.Level = uint32(c.byte(rule.OPT001))
	case wire.MetadataVersion:
		d.Version = uint32(c.byte(rule.OPT001))
	case 2: // V2Params of v5
		c.fail(rule.OPT003, at)
	default:
		c.fail(rule.OPT002, at)
	}
}

// fieldsV6 reads a list of field descriptions; missing is the rule that a missing
// list breaks. Bytes of a description after the known ones are skipped.
//
// Spec: "FieldDescriptions".
func (m *metadataParser) fieldsV6(c *cursor, depth int, missing rule.ID) []Field {
	count := int(c.uint16(missing))
	var fields []Field
	for i := 0; i < count && c.bad == rule.None; i++ {
		if !m.count(c, c.pos) {
			return nil
		}
		size := c.uint16(rule.TYP001)
		sub := c.sub(int(size), rule.TYP001)
		name := m.names.utf8(sub.text(rule.TYP002))
		field := Field{Name: name, Type: m.typeV6(&sub, depth, rule.TYP002)}
		if !c.join(&sub) {
			return nil
		}
		fields = grow(fields, field)
	}
	return fields
}

// typeV6 reads one type; missing is the rule that a missing type breaks.
//
// Spec: "Type format".
func (m *metadataParser) typeV6(c *cursor, depth int, missing rule.ID) Type {
	at := c.pos
	t := Type{Code: wire.TypeCode(c.byte(missing))}
	if c.bad != rule.None || !m.nest(c, depth) {
		return t
	}
	if !t.Code.InStream() {
		id := rule.TYP003
		if t.Code == 0 || t.Code == 2 { // Empty and DBNull of older versions
			id = rule.TYP004
		}
		c.fail(id, at)
		return t
	}
	if t.Code.HasElement() {
		element := m.typeV6(c, depth+1, rule.TYP005)
		t.Element = &element
	}
	if t.Code == wire.FixedLengthArray {
		t.Count = c.uint16(rule.TYP006)
	}
	if t.Code == wire.Object {
		t.Fields = m.fieldsV6(c, depth+1, rule.TYP007)
	}
	if (t.Code == wire.RelLoc || t.Code == wire.DataLoc) && c.bad == rule.None && !t.Element.locatable() {
		c.fail(rule.TYP008, at+1)
	}
	return t
}

// locatable reports whether a locator may refer to values of the type. The text
// counts VarInt and VarUInt among the fixed-size types; they are accepted.
func (t *Type) locatable() bool {
	return t.Code == wire.VarInt || t.Code == wire.VarUInt || t.FixedSize()
}
