package codec

import (
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// readMetadataObject reads the rows of a v4 or v5 metadata block. They have
// the headers of event rows; the payloads are the definitions.
//
// Spec: "The MetadataBlock Object" of the v4/v5 text.
func readMetadataObject(r *stream, b *raw.Block) {
	s := &r.rows
	if !r.eventHeader(b, s) {
		return
	}
	decode := r.dialect.rows[r.block.Flags&wire.BlockCompressed]
	for s.pos < len(b.Body) {
		s.beginBatch()
		start := s.pos
		n, bad := decode(s, b.Body, r.scratch[:1])
		if n == 0 {
			if bad != rule.None {
				r.badBlock(b, bad, b.BodyOffset+int64(s.badPos), ErrBadBlock, s.past)
			}
			return
		}
		e := &r.scratch[0]
		payload := cursor{b: b.Body[: e.payload+e.size : e.payload+e.size], pos: int(e.payload)}
		row := MetadataRow{Offset: b.BodyOffset + int64(start), Size: s.pos - start, Flags: e.flags}
		r.source.body, r.source.activities = b.Body, s.activities
		e.Row(&row.Header)
		r.definitionV4(&payload, row)
		payload.past = false
		if r.badRow(b, &payload) {
			return
		}
	}
}

// definitionV4 decodes the payload of a metadata row of v3 to v5, or finds it
// in the cache.
func (r *stream) definitionV4(c *cursor, row MetadataRow) {
	key := c.b[c.pos:]
	m := r.metadataCache.get(key)
	if m == nil {
		if !r.mayHoldAt(c, parsing*int64(len(key)), c.pos) {
			return
		}
		p := metadataParser{names: &r.names, limits: &r.limits}
		m = p.rowV4(c)
		if c.bad != rule.None {
			return
		}
		m.cost = p.cost(len(key), m)
		r.metadataCache.put(key, m, m.cost)
	}
	r.define(c, m, row)
}

// rowV4 reads a definition: the fixed part, the fields of the first list, then
// tags. A definition that ends after the level has no fields.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
func (m *metadataParser) rowV4(c *cursor) *Metadata {
	d := &Metadata{ID: c.uint32(rule.MD4003)}
	d.Provider = m.names.utf16(c.utf16z(rule.MD4004))
	d.EventID = c.uint32(rule.MD4003)
	d.Name = m.names.utf16(c.utf16z(rule.MD4004))
	d.Keywords = c.uint64(rule.MD4003)
	d.Version = c.uint32(rule.MD4003)
	d.Level = c.uint32(rule.MD4003)
	if c.done() {
		return d
	}
	d.Fields = m.fieldsV4(c, 1)
	for !c.done() {
		m.tag(c, d)
	}
	return d
}

// fieldsV4 reads a field list in which the type precedes the name.
func (m *metadataParser) fieldsV4(c *cursor, depth int) []Field {
	const minSize = 6 // a type code and an empty name
	at := c.pos
	count := int32(c.uint32(rule.MD4003))
	if count < 0 || int(count) > (len(c.b)-c.pos)/minSize {
		c.fail(rule.MD4005, at)
		return nil
	}
	var fields []Field
	for i := int32(0); i < count && c.bad == rule.None; i++ {
		if !m.count(c, c.pos) {
			return nil
		}
		t := m.typeV4(c, depth, rule.MD4008)
		name := m.names.utf16(c.utf16z(rule.MD4004))
		fields = grow(fields, Field{Name: name, Type: t})
	}
	return fields
}

// typeV4 reads a type code and, for an object, the list of its fields. Codes
// that need more than that have no place in this list.
func (m *metadataParser) typeV4(c *cursor, depth int, unknown rule.ID) Type {
	at := c.pos
	code := c.uint32(rule.MD4003)
	t := Type{Code: wire.TypeCode(code)}
	if c.bad != rule.None || !m.nest(c, depth) {
		return t
	}
	switch {
	case code > 255 || !t.Code.InStream():
		c.fail(unknown, at)
	case t.Code == wire.Array:
		c.fail(rule.TYP017, at)
	case t.Code.HasElement():
		c.fail(rule.TYP016, at)
	case t.Code == wire.Object:
		count := c.pos
		t.Fields = m.fieldsV4(c, depth+1)
		if c.bad == rule.MD4005 && c.badPos == count {
			c.bad, c.badPos = rule.MD4009, at
		}
	}
	return t
}

// tag reads one tag after the field list. Unknown kinds, and bytes of a tag after
// the known ones, are skipped.
//
// Spec: "Metadata event encoding" of the v4/v5 text, the metadata tags.
func (m *metadataParser) tag(c *cursor, d *Metadata) {
	size := c.uint32(rule.TAG001)
	kind := wire.MetadataTag(c.byte(rule.TAG001))
	if int64(size) > int64(len(c.b)-c.pos) {
		c.fail(rule.TAG001, c.pos)
		return
	}
	sub := c.sub(int(size), rule.TAG001)
	switch kind {
	case wire.TagOpcode:
		d.Opcode, d.OpcodeSet = sub.byte(rule.TAG002), true
	case wire.TagV2Params:
		d.Fields, d.V2Params = m.fieldsV2(&sub, 1), true
	}
	c.join(&sub)
}

// fieldsV2 reads the field list of a V2Params tag. Each field begins with its
// size, which includes itself; then come the name and the type.
func (m *metadataParser) fieldsV2(c *cursor, depth int) []Field {
	at := c.pos
	count := int32(c.uint32(rule.TAG004))
	if count < 0 {
		c.fail(rule.TAG004, at)
	}
	var fields []Field
	for i := int32(0); i < count && c.bad == rule.None; i++ {
		if !m.count(c, c.pos) {
			return nil
		}
		at := c.pos
		size := c.uint32(rule.TAG005)
		if size < 4 || int64(size)-4 > int64(len(c.b)-c.pos) {
			c.fail(rule.TAG005, at)
			return nil
		}
		sub := c.sub(int(size)-4, rule.TAG005)
		name := m.names.utf16(sub.utf16z(rule.MD4004))
		field := Field{Name: name, Type: m.typeV2(&sub, depth)}
		if !c.join(&sub) {
			return nil
		}
		fields = grow(fields, field)
	}
	return fields
}

// typeV2 reads a type of a V2Params field: the code, the element type of an
// array, the fields of an object.
func (m *metadataParser) typeV2(c *cursor, depth int) Type {
	at := c.pos
	code := c.uint32(rule.TAG004)
	t := Type{Code: wire.TypeCode(code)}
	if c.bad != rule.None || !m.nest(c, depth) {
		return t
	}
	switch {
	case code > 255 || !t.Code.InStream():
		c.fail(rule.MD4008, at)
	case t.Code == wire.Array:
		element := m.typeV2(c, depth+1)
		t.Element = &element
	case t.Code.HasElement():
		c.fail(rule.TYP016, at)
	case t.Code == wire.Object:
		t.Fields = m.fieldsV2(c, depth+1)
	}
	return t
}
