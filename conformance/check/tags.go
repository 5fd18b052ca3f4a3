package check

import (
	"strconv"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

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
	case w.tooDeep(cur, depth):
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
