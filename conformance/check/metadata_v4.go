package check

import (
	"encoding/binary"
	"strconv"

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
	body := c.b.Body
	payload := pos
	if c.b.Compressed() {
		l := c.layout(body, pos, uint32(prev.size))
		if l.bad != rule.None {
			if !c.cutBlock() {
				c.found(l.bad, 0, c.in(l.badPos, c.rows))
			}
			return pos, false
		}
		if l.metadata >= 0 {
			prev.id = l.metadataID
		}
		prev.size, prev.time = l.payloadSize, prev.time+l.ticks
		payload, next = l.payload, l.payload+l.payloadSize
		if l.overlong >= 0 {
			c.found(rule.CMP004, 0, c.in(l.overlong, c.rows))
		}
		if prev.id != 0 {
			c.foreignRow(max(l.metadata, l.row), prev.id)
		}
	} else {
		b := body[pos:]
		if len(b) < plainHeader4 || int64(binary.LittleEndian.Uint32(b))+4 > int64(len(b)) {
			if !c.cutBlock() {
				c.badPlainRow(pos)
			}
			return pos, false
		}
		prev.size, prev.time = int(binary.LittleEndian.Uint32(b[76:])), binary.LittleEndian.Uint64(b[36:])
		size := int(binary.LittleEndian.Uint32(b))
		if prev.size < 0 || size < 76+prev.size {
			c.badPlainRow(pos)
			return pos, false
		}
		payload, next = pos+plainHeader4, pos+4+size
		if wants := (76 + prev.size + 3) &^ 3; size != wants {
			if f := c.found(rule.UNC001, 0, c.in(pos, c.rows)); f != nil {
				f.want(wants, size)
			}
			next = c.nextDefinition(pos, next)
		}
		if id := binary.LittleEndian.Uint32(b[4:]) &^ wire.NotSortedBit; id != 0 {
			c.foreignRow(pos+4, id)
		}
	}
	c.bounds.min, c.bounds.max = min(c.bounds.min, prev.time), max(c.bounds.max, prev.time)
	w := rowWalk{c: c, cur: cursor{b: body[: payload+prev.size : payload+prev.size], pos: payload}, row: c.rows}
	w.definition()
	if w.cur.bad != rule.None {
		c.spoiled.metadata = true
		if w.cur.bad == rule.TYP011 {
			return next, false // told of where the depth or the number was reached
		}
		if f := c.found(w.cur.bad, 0, c.in(w.cur.at, c.rows)); f != nil {
			f.id("metadata", uint64(w.id))
		}
		return next, false
	}
	for i := range c.b.Metadata {
		if c.b.Metadata[i].Offset == c.b.BodyOffset+int64(pos) {
			c.define(&c.b.Metadata[i], &w)
		}
	}
	return next, true
}

// nextDefinition is where the Reader found the row behind the one at pos; next
// when it found none.
func (c *checker) nextDefinition(pos, next int) int {
	for i := range c.b.Metadata {
		if at := int(c.b.Metadata[i].Offset - c.b.BodyOffset); at == pos {
			return at + c.b.Metadata[i].Size
		}
	}
	return next
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
	case depth > mostNesting:
		cur.fail(rule.TYP011, at)
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

// tag looks at a tag behind the first list, of fields fields at countAt.
func (w *rowWalk) tag(cur *cursor, seen *[256]bool, fields, countAt int) {
	at := cur.pos
	size := cur.uint32(rule.TAG001)
	kindAt := cur.pos
	kind := cur.byte(rule.TAG001)
	if cur.bad != rule.None || int64(size) > int64(len(cur.b)-cur.pos) {
		cur.end = false
		cur.fail(rule.TAG001, cur.pos)
		return
	}
	sub := cur.sub(int(size), rule.TAG001)
	if seen[kind] {
		w.found(rule.TAG007, at)
	}
	seen[kind] = true
	switch wire.MetadataTag(kind) {
	case wire.TagOpcode:
		w.opcode(&sub)
	case wire.TagV2Params:
		if fields > 0 {
			w.found(rule.TAG003, countAt)
		}
		if !w.list5(&sub, 1) && sub.bad == rule.None {
			w.foundAs(rule.TAG007, rule.Information, at)
		}
	default:
		if f := w.found(rule.TAG006, kindAt); f != nil {
			f.Actual = "kind " + strconv.Itoa(int(kind)) + " of " + counted(int64(size), "byte")
		}
	}
	if sub.bad != rule.None {
		cur.fail(sub.bad, sub.at)
	}
}

func (w *rowWalk) opcode(sub *cursor) {
	at := sub.pos
	switch n := len(sub.b) - sub.pos; {
	case n == 0:
		sub.fail(rule.TAG002, at)
	case n > 1:
		w.foundAs(rule.TAG002, rule.Information, at)
	case sub.b[sub.pos] == 0:
		w.found(rule.TAG008, at)
	}
}

// list5 looks at a list of fields of a V2Params tag and says whether it has an
// array.
func (w *rowWalk) list5(cur *cursor, depth int) (arrays bool) {
	at := cur.pos
	count := int32(cur.uint32(rule.TAG004))
	if count < 0 {
		cur.fail(rule.TAG004, at)
	}
	names := map[string]bool(nil)
	for i := int32(0); i < count && cur.bad == rule.None; i++ {
		start := cur.pos
		size := int64(int32(cur.uint32(rule.TAG005)))
		if cur.bad == rule.None && (size < 4 || size-4 > int64(len(cur.b)-cur.pos)) {
			cur.fail(oldLayout(cur.b, at, int(count)), start)
		}
		if cur.bad != rule.None {
			return arrays
		}
		w.countField(cur, start)
		sub := cur.sub(int(size-4), rule.TAG005)
		nameAt := sub.pos
		name := sub.utf16z(rule.MD4004)
		has := w.code5(&sub, depth)
		if sub.bad != rule.None {
			cur.fail(sub.bad, sub.at)
			return arrays
		}
		arrays = arrays || has
		w.text16(name, nameAt)
		w.name(string(name), nameAt, count == 1 && depth == 1)
		w.twice(&names, string(name), nameAt, count > 1)
		if sub.pos < len(sub.b) {
			w.foundAs(rule.TAG005, rule.Information, start)
		}
	}
	return arrays
}

// oldLayout says what is wrong with a field whose size is impossible: the list,
// whose count stands at pos, may have the layout of older copies of the text, in
// which a field is type code, element type and name.
func oldLayout(b []byte, pos, count int) rule.ID {
	c := cursor{b: b, pos: pos + 4}
	for range count {
		code := c.uint32(rule.TAG004)
		if code == uint32(wire.Array) {
			code = c.uint32(rule.TAG004)
		}
		if code > uint32(wire.Boolean8) || !wire.TypeCode(code).InStream() || code == uint32(wire.Object) {
			return rule.TAG005
		}
		c.utf16z(rule.TAG004)
	}
	if c.bad == rule.None && c.pos == len(b) {
		return rule.TAG004
	}
	return rule.TAG005
}

// code5 looks at a type of a V2Params field and says whether it has an array.
func (w *rowWalk) code5(cur *cursor, depth int) (arrays bool) {
	at := cur.pos
	v := cur.uint32(rule.TAG004)
	code := wire.TypeCode(v)
	if depth == textNesting+1 {
		w.found(rule.TYP011, at)
	}
	switch {
	case cur.bad != rule.None:
	case depth > mostNesting:
		cur.fail(rule.TYP011, at)
	case v > 255 || !code.InStream():
		cur.fail(rule.MD4008, at)
	case code == wire.Array:
		w.code5(cur, depth+1)
		arrays = true
	case code.HasElement():
		cur.fail(rule.TYP016, at)
	case code >= wire.VarInt:
		w.found(rule.TYP016, at)
	case code == wire.Object:
		arrays = w.list5(cur, depth+1)
	}
	return arrays
}
