package check

import (
	"strconv"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// tag checks a tag after the first list, of fields fields at countAt, and reports
// whether it is complete.
func (w *rowWalk) tag(seen *[256]bool, fields, countAt int) (ok bool) {
	size := w.take("TagPayloadBytes")
	kind := w.take("TagKind")
	if size == nil || kind == nil || w.fault.Rule == rule.TAG001 && w.faulty(kind) {
		return false
	}
	if seen[kind.Value] {
		w.found(rule.TAG007, size.Pos)
	}
	seen[kind.Value] = true
	switch wire.MetadataTag(kind.Value) {
	case wire.TagOpcode:
		return w.opcode()
	case wire.TagV2Params:
		if fields > 0 {
			w.found(rule.TAG003, countAt)
		}
		arrays, ok := w.fields5(1, size.To)
		if ok && !arrays {
			w.foundAs(rule.TAG007, rule.Information, size.Pos)
		}
		w.take("Undefined")
		return ok
	}
	w.take("Undefined")
	if f := w.found(rule.TAG006, kind.Pos); f != nil {
		f.Actual = "kind " + strconv.Itoa(int(kind.Value)) + " of " + counted(int64(size.Value), "byte")
	}
	return true
}

func (w *rowWalk) opcode() (ok bool) {
	f := w.take("OpCode")
	if f == nil {
		return false
	}
	switch rest := w.take("Undefined"); {
	case rest != nil:
		w.foundAs(rule.TAG002, rule.Information, f.Pos)
	case f.Value == 0:
		w.found(rule.TAG008, f.Pos)
	}
	return true
}

// fields5 checks a list of fields of a V2Params tag and reports whether it has
// an array, and whether it is complete. Its bytes end at end.
func (w *rowWalk) fields5(depth, end int) (arrays, ok bool) {
	count := w.take("V2FieldCount")
	if count == nil || w.faulty(count) {
		return false, false
	}
	var names nameSet
	n := int(count.Value)
	for range n {
		size := w.take("V2FieldSize")
		switch {
		case size == nil:
			return arrays, false
		case w.faulty(size) && w.fault.Pos == size.Pos:
			return arrays, w.fail(w.oldLayout(count, end), size.Pos)
		case !w.countField(size.Pos):
			return arrays, false
		}
		name := w.take("FieldName")
		if name == nil {
			return arrays, false
		}
		has, ok := w.code5(depth, size.To)
		if !ok {
			return arrays, false
		}
		arrays = arrays || has
		w.text16(name)
		w.name(w.c.text(name), name.Pos, n == 1 && depth == 1)
		w.twice(&names, name, n > 1)
		if rest := w.left(size); rest != nil {
			w.foundAs(rule.TAG005, rule.Information, size.Pos)
		}
	}
	return arrays, true
}

// oldLayout returns the rule that a list breaks in which the size of a field is
// impossible. The list may have the layout of older copies of the text, in which a
// field is type code, element type and name.
func (w *rowWalk) oldLayout(count *layout.Field, end int) rule.ID {
	b, pos := w.c.b.Body[:end], count.Pos+count.Size
	for range count.Value {
		code, next := wire.Uint32(b, pos)
		if code == uint32(wire.Array) {
			code, next = wire.Uint32(b, next)
		}
		if code > uint32(wire.Boolean8) || !wire.TypeCode(code).InStream() || code == uint32(wire.Object) {
			return rule.TAG005
		}
		if next >= 0 {
			_, next = wire.UTF16Z(b, next)
		}
		if pos = next; pos < 0 {
			return rule.TAG005
		}
	}
	if pos == end {
		return rule.TAG004
	}
	return rule.TAG005
}

// code5 checks a type of a V2Params field and reports whether it has an array,
// and whether it is complete.
func (w *rowWalk) code5(depth, end int) (arrays, ok bool) {
	f := w.take("V2TypeCode", "ArrayTypeCode")
	if f == nil {
		return false, false
	}
	if depth == textNesting+1 {
		w.found(rule.TYP011, f.Pos)
	}
	if w.badType(f) {
		return false, false
	}
	switch code := wire.TypeCode(f.Value); {
	case code == wire.Array:
		_, ok = w.code5(depth+1, end)
		return true, ok
	case code >= wire.VarInt:
		w.found(rule.TYP016, f.Pos)
	case code == wire.Object:
		return w.fields5(depth+1, end)
	}
	return false, true
}
