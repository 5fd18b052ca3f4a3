package check

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// checkMetadataV4 checks the rows of a MetadataBlock, which have the form of
// event rows. Their sequence numbers have no meaning.
//
// Spec: "The MetadataBlock Object" of the v4/v5 text.
func (c *checker) checkMetadataV4(bad bool) {
	c.beginRows()
	c.metadataRows = true
	if c.b.HeaderSize < layout.EventHeaderSize {
		if bad {
			c.badHeader()
		}
		return
	}
	c.checkEventHeader()
	pos, prev, ok := c.b.HeaderSize, rowPrev{}, true
	for ; ok && pos < len(c.b.Body); c.rows++ {
		pos, ok = c.metadataRow(pos, &prev)
	}
	if c.rows == 0 && !c.cutBlock() {
		c.found(rule.EVB005, 0, c.here())
	}
	if c.rows > 0 {
		c.checkBounds(false)
	}
	if ok {
		c.limited(bad, rule.None)
	}
}

// rowPrev has the values that a row takes from the one before.
type rowPrev struct {
	id   uint32
	size int
	time uint64
}

// metadataRow checks the row at pos and returns the position of the next one.
func (c *checker) metadataRow(pos int, prev *rowPrev) (next int, ok bool) {
	var payload int
	if c.b.Compressed() {
		payload, ok = c.compressedDefinition(pos, prev)
		next = payload + prev.size
	} else {
		payload, next, ok = c.plainDefinition(pos, prev)
	}
	if !ok {
		return pos, false
	}
	c.bounds.min, c.bounds.max = min(c.bounds.min, prev.time), max(c.bounds.max, prev.time)
	end := payload + prev.size
	w := c.definition(payload, end)
	if w.definition(); w.fault.Rule != rule.None {
		c.spoiled.metadata = true
		if f := c.found(w.fault.Rule, 0, c.in(w.fault.Pos, c.rows)); f != nil {
			f.id("metadata", uint64(w.id))
		}
		return next, false
	}
	if row := c.definedAt(pos); row != nil {
		c.define(row, &w)
	}
	return next, true
}

// compressedDefinition checks the header of a compressed row and returns the
// position of its payload.
func (c *checker) compressedDefinition(pos int, prev *rowPrev) (payload int, ok bool) {
	payload, idAt, overlongAt := pos, pos, -1
	for _, f := range c.eventRow(pos, prev.size) {
		switch f.Name {
		case fieldMetadata:
			prev.id, idAt = uint32(f.Value), f.Pos
		case fieldTime:
			prev.time += f.Value
		case "Payload":
			payload, prev.size = f.Pos, f.Size
		}
		if overlongAt < 0 && c.overlongField(f) {
			overlongAt = f.Pos
		}
	}
	if fault := c.walker.Fault(); fault.Rule != rule.None {
		if !c.cutBlock() {
			c.found(fault.Rule, 0, c.in(fault.Pos, c.rows))
		}
		return pos, false
	}
	if overlongAt >= 0 {
		c.found(rule.CMP004, 0, c.in(overlongAt, c.rows))
	}
	if prev.id != 0 {
		c.foreignRow(idAt, prev.id)
	}
	return payload, true
}

// plainDefinition checks the header of an uncompressed row and returns the
// positions of its payload and of the next row.
func (c *checker) plainDefinition(pos int, prev *rowPrev) (payload, next int, ok bool) {
	size, id, idAt := 0, uint32(0), pos
	for _, f := range c.eventRow(pos, 0) {
		switch f.Name {
		case "EventSize":
			size, next = int(f.Value), f.To
		case fieldMetadata:
			id, idAt = uint32(f.Value)&^wire.NotSortedBit, f.Pos
		case fieldTime:
			prev.time = f.Value
		case "Payload":
			payload, prev.size = f.Pos, f.Size
		}
	}
	if fault := c.walker.Fault(); fault.Rule != rule.None {
		if fault.Rule != rule.UNC003 || !c.cutBlock() {
			c.badPlainRow(pos)
		}
		return pos, pos, false
	}
	if wants := c.plainSize(prev.size); size != wants {
		if f := c.found(rule.UNC001, 0, c.in(pos, c.rows)); f != nil {
			f.want(wants, size)
		}
		next = c.nextDefinition(pos, next)
	}
	if id != 0 {
		c.foreignRow(idAt, id)
	}
	return payload, next, true
}

// nextDefinition is the position where the Reader found the row after the one at
// pos, or next.
func (c *checker) nextDefinition(pos, next int) int {
	if row := c.definedAt(pos); row != nil {
		return pos + row.Size
	}
	return next
}

// definedAt returns the row that the Reader found at pos, or nil.
func (c *checker) definedAt(pos int) *codec.MetadataRow {
	rows := c.b.Metadata
	i, found := slices.BinarySearchFunc(rows, c.b.BodyOffset+int64(pos), func(row codec.MetadataRow, offset int64) int {
		return cmp.Compare(row.Offset, offset)
	})
	if !found {
		return nil
	}
	return &rows[i]
}

func (c *checker) foreignRow(pos int, id uint32) {
	if f := c.found(rule.MD4001, 0, c.in(pos, c.rows)); f != nil {
		f.want(0, id)
	}
}

// definition returns a walk over the payload of a metadata row.
func (c *checker) definition(start, end int) rowWalk {
	c.fields, c.table.types, c.table.collects = c.fields[:0], 0, true
	c.walker.Definition(c.b.Body[:end:end], start)(c.table.visit)
	return rowWalk{c: c, list: c.fields, end: end, fault: c.walker.Fault(), row: c.rows}
}

// definition checks the payload of a metadata row.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
func (w *rowWalk) definition() {
	for w.next < len(w.list) && w.list[w.next].Name != "FieldCount" {
		f := &w.list[w.next]
		switch w.next++; f.Name {
		case "MetaDataId":
			w.at.id, w.id = f.Pos, uint32(f.Value)
		case "ProviderName":
			w.at.provider = f.Pos
			w.text16(f)
		case "EventId":
			w.at.event = f.Pos
		case "EventName":
			w.at.name = f.Pos
			w.text16(f)
		case "Version":
			w.at.version = f.Pos
		case "Level":
			w.at.level = f.Pos
		}
	}
	countAt := w.pos()
	fields, ok := w.fields4(1)
	if !ok && w.fault.Rule == rule.None {
		w.fail(rule.MD4003, w.end)
	}
	var tags [256]bool
	for ok && w.next < len(w.list) {
		ok = w.tag(&tags, fields, countAt)
	}
}

// text16 checks UTF-16 text.
func (w *rowWalk) text16(f *layout.Field) {
	if unpaired(w.c.text(f)) >= 0 {
		w.foundAs(rule.MD4004, rule.Warning, f.Pos)
	}
}

// fields4 checks a list of fields in which the type is before the name, and
// returns their number. ok reports that the list is complete.
func (w *rowWalk) fields4(depth int) (n int, ok bool) {
	count := w.take("FieldCount")
	if count == nil || w.faulty(count) {
		return 0, false
	}
	var names nameSet
	n = int(count.Value)
	for range n {
		if !w.countField(w.pos()) || !w.code4(depth) {
			return n, false
		}
		name := w.take("FieldName")
		if name == nil {
			return n, false
		}
		w.text16(name)
		w.name(w.c.text(name), name.Pos, n == 1 && depth == 1)
		w.twice(&names, name, n > 1)
	}
	return n, true
}

// twice looks for names that occur twice in a list of several.
func (w *rowWalk) twice(names *nameSet, f *layout.Field, several bool) {
	if text := w.c.text(f); several && len(text) > 0 && names.again(text) {
		if f := w.found(rule.TYP012, f.Pos); f != nil {
			f.Actual = strconv.Quote(string(wire.AppendUTF16(nil, text)))
		}
	}
}

// code4 checks a type of the first list, and reports whether it is complete.
func (w *rowWalk) code4(depth int) (ok bool) {
	f := w.take("TypeCode")
	if f == nil {
		return false
	}
	if depth == textNesting+1 {
		w.found(rule.TYP011, f.Pos)
	}
	if w.badType(f) {
		return false
	}
	switch code := wire.TypeCode(f.Value); {
	case code >= wire.VarInt && code <= wire.Boolean8:
		w.found(rule.TYP016, f.Pos)
	case code == wire.Object:
		_, ok = w.fields4(depth + 1)
		return ok
	}
	return true
}
