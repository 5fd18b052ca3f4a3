package check

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// leastField is the size of a field of v4: a type code and an empty name.
const leastField = 6

// checkMetadataV4 looks at the rows of a MetadataBlock, which have the form of
// event rows. Their sequence numbers mean nothing.
//
// Spec: "The MetadataBlock Object" of the v4/v5 text.
func (c *checker) checkMetadataV4(bad bool) {
	c.beginRows()
	c.metadataRows = true
	if c.b.HeaderSize < eventHeader {
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

// rowPrev is what a row takes from the one before.
type rowPrev struct {
	id   uint32
	size int
	time uint64
}

// metadataRow looks at the row at pos and returns where the next one stands.
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
	w := rowWalk{c: c, cur: cursor{b: c.b.Body[:end:end], pos: payload}, row: c.rows}
	if w.definition(); w.cur.bad != rule.None {
		c.spoiled.metadata = true
		if f := c.found(w.cur.bad, 0, c.in(w.cur.at, c.rows)); f != nil {
			f.id("metadata", uint64(w.id))
		}
		return next, false
	}
	if row := c.definedAt(pos); row != nil {
		c.define(row, &w)
	}
	return next, true
}

// compressedDefinition looks at the header of a compressed row and returns where
// its payload stands.
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

// plainDefinition looks at the header of an uncompressed row and returns where
// its payload and the next row stand.
func (c *checker) plainDefinition(pos int, prev *rowPrev) (payload, next int, ok bool) {
	b, le := c.b.Body[pos:], binary.LittleEndian
	if len(b) < plainHeader4 || int64(le.Uint32(b))+4 > int64(len(b)) {
		if !c.cutBlock() {
			c.badPlainRow(pos)
		}
		return pos, pos, false
	}
	size := int(le.Uint32(b))
	prev.size, prev.time = int(le.Uint32(b[76:])), le.Uint64(b[36:])
	if size < 76+prev.size {
		c.badPlainRow(pos)
		return pos, pos, false
	}
	next = pos + 4 + size
	if wants := (76 + prev.size + 3) &^ 3; size != wants {
		if f := c.found(rule.UNC001, 0, c.in(pos, c.rows)); f != nil {
			f.want(wants, size)
		}
		next = c.nextDefinition(pos, next)
	}
	if id := le.Uint32(b[4:]) &^ wire.NotSortedBit; id != 0 {
		c.foreignRow(pos+4, id)
	}
	return pos + plainHeader4, next, true
}

// nextDefinition is where the Reader found the row behind the one at pos; next
// when it found none.
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

// definition looks at the payload of a metadata row.
//
// Spec: "Metadata event encoding" of the v4/v5 text.
func (w *rowWalk) definition() {
	cur := &w.cur
	w.at.id = cur.pos
	w.id = cur.uint32(rule.MD4003)
	w.at.provider = cur.pos
	w.text16(cur.utf16z(rule.MD4004), cur.was)
	w.at.event = cur.pos
	cur.uint32(rule.MD4003)
	w.at.name = cur.pos
	w.text16(cur.utf16z(rule.MD4004), cur.was)
	cur.uint64(rule.MD4003)
	w.at.version = cur.pos
	cur.uint32(rule.MD4003)
	w.at.level = cur.pos
	cur.uint32(rule.MD4003)
	countAt := cur.pos
	fields := w.list4(cur, 1)
	var tags [256]bool
	for !cur.done() {
		w.tag(cur, &tags, fields, countAt)
	}
}

// text16 looks at UTF-16 text.
func (w *rowWalk) text16(units []byte, at int) {
	if w.cur.bad == rule.None && unpaired(units) >= 0 {
		w.foundAs(rule.MD4004, rule.Warning, at)
	}
}

// list4 looks at a list of fields in which the type stands before the name, and
// returns their number.
func (w *rowWalk) list4(cur *cursor, depth int) int {
	at := cur.pos
	count := int32(cur.uint32(rule.MD4003))
	if cur.bad == rule.None && (count < 0 || int(count) > (len(cur.b)-cur.pos)/leastField) {
		cur.fail(rule.MD4005, at)
		return 0
	}
	names := map[string]bool(nil)
	for i := int32(0); i < count && cur.bad == rule.None; i++ {
		w.countField(cur, cur.pos)
		w.code4(cur, depth)
		name := cur.utf16z(rule.MD4004)
		if cur.bad != rule.None {
			return int(count)
		}
		w.text16(name, cur.was)
		w.name(string(name), cur.was, count == 1 && depth == 1)
		w.twice(&names, string(name), cur.was, count > 1)
	}
	return int(count)
}

// twice looks for names that occur twice in a list.
func (w *rowWalk) twice(names *map[string]bool, name string, at int, several bool) {
	if !several || name == "" {
		return
	}
	if *names == nil {
		*names = map[string]bool{}
	}
	if (*names)[name] {
		if f := w.found(rule.TYP012, at); f != nil {
			f.Actual = strconv.Quote(string(wire.AppendUTF16(nil, []byte(name))))
		}
	}
	(*names)[name] = true
}

// code4 looks at a type of the first list.
func (w *rowWalk) code4(cur *cursor, depth int) {
	at := cur.pos
	code := cur.uint32(rule.MD4003)
	if depth == textNesting+1 {
		w.found(rule.TYP011, at)
	}
	switch {
	case cur.bad != rule.None:
	case w.tooDeep(cur, depth):
	case code == uint32(wire.Array):
		cur.fail(rule.TYP017, at)
	case code >= uint32(wire.VarInt) && code <= uint32(wire.Boolean8):
		if wire.TypeCode(code).HasElement() {
			cur.fail(rule.TYP016, at)
		} else {
			w.found(rule.TYP016, at)
		}
	case code > 255 || !wire.TypeCode(code).InStream():
		cur.fail(rule.MD4008, at)
	case code == uint32(wire.Object):
		inner := cur.pos
		w.list4(cur, depth+1)
		if cur.bad == rule.MD4005 && cur.at == inner {
			cur.bad, cur.at = rule.MD4009, at
		}
	}
}
