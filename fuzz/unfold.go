package fuzz

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// This file decodes payloads a second time, for comparison: into a tree of
// values, all at once, and by the text of the format only.

// taken determines how types are read that real writers use in several ways.
type taken struct {
	boolean1   bool
	byte4      int // position plus one of a field of the outermost list
	decimal16  bool
	dateTime16 bool
	counted8   bool
	located    bool // inside the range of a locator
}

// manners lists the possible readings of a field list, in the order of their
// likelihood.
func manners(fields []codec.Field, v version, literal, counted8 bool) []taken {
	if literal {
		return []taken{{decimal16: true, dateTime16: !v.HasObjects()}}
	}
	plain := taken{counted8: counted8}
	list := []taken{plain}
	nameless := len(fields) == 1 && fields[0].Name == "" && fields[0].Type.Code == wire.Object
	if occurs(fields, wire.Boolean) {
		small := plain
		small.boolean1 = true
		if list = append(list, small); nameless {
			list = []taken{small, plain}
		}
	}
	for i := range fields {
		if fields[i].Type.Code == wire.Byte && len(list) < 16 {
			large := plain
			large.byte4 = i + 1
			list = append(list, large)
		}
	}
	first := list[0]
	if occurs(fields, wire.Decimal) {
		first.decimal16 = true
		list = append(list, first)
		first.decimal16 = false
	}
	if occurs(fields, wire.DateTime) {
		first.dateTime16 = true
		list = append(list, first)
	}
	return list
}

// occurs reports whether a code occurs in a field list.
func occurs(fields []codec.Field, code wire.TypeCode) bool {
	for i := range fields {
		for t := &fields[i].Type; t != nil; t = t.Element {
			if t.Code == code || occurs(t.Fields, code) {
				return true
			}
		}
	}
	return false
}

// as is the code that a type is read as.
func (k taken) as(t *codec.Type) wire.TypeCode {
	switch t.Code {
	case wire.Boolean:
		if k.boolean1 {
			return wire.Boolean8
		}
	case wire.Decimal:
		if !k.decimal16 {
			return wire.Double
		}
	case wire.DateTime:
		if k.dateTime16 {
			return wire.SystemTimeCode
		}
	case wire.UTF8CodeUnit:
		if k.counted8 {
			return wire.CountedUTF8String
		}
	case wire.RelLoc, wire.DataLoc:
		if k.located {
			return wire.UInt32
		}
	}
	return t.Code
}

// widths are the sizes of the types that always take the same.
var widths = map[wire.TypeCode]int{
	wire.Boolean: 4, wire.UTF16CodeUnit: 2, wire.SByte: 1, wire.Byte: 1, wire.Int16: 2, wire.UInt16: 2, wire.Int32: 4,
	wire.UInt32: 4, wire.Int64: 8, wire.UInt64: 8, wire.Single: 4, wire.Double: 8, wire.Decimal: 16, wire.DateTime: 8,
	wire.GUIDCode: 16, wire.UTF8CodeUnit: 1, wire.Boolean8: 1, wire.SystemTimeCode: 16,
}

// decoded is one value of the tree.
type decoded struct {
	declared   *codec.Type
	code       wire.TypeCode
	element    wire.TypeCode // of arrays and locators
	name       string
	start, end int
	parts      []decoded // elements or fields
	units      []byte    // of text
}

// unfolding is the decoding of one payload.
type unfolding struct {
	b       []byte
	far     int  // end of the ranges of locators
	partial bool // the value that does not fit is text without an end
	hole    bool // a locator points nowhere
	wrong   bool // the payload does not fit
	steps   int
}

// tooMany is the number of values in a payload that is not compared.
const tooMany = 1 << 16

// unfold decodes the fields of a payload. It returns those that fit.
func unfold(b []byte, fields []codec.Field, k taken) (values []decoded, fits bool, u *unfolding) {
	u = &unfolding{b: b}
	pos := 0
	for i := range fields {
		how := k
		how.byte4 = 0
		if k.byte4 == i+1 {
			how.byte4 = 1
		}
		d, ok := u.value(&fields[i].Type, pos, how)
		d.name = fields[i].Name
		u.wrong = u.wrong || !ok
		if (ok || u.partial) && !u.hole {
			values = append(values, d)
		}
		u.hole = false
		if !ok {
			return values, false, u
		}
		pos = d.end
	}
	return values, !u.wrong && (len(fields) == 0 || max(pos, u.far) == len(b)), u
}

// value decodes the value at pos, a position in the payload. It is not ok when
// the payload does not hold it all.
func (u *unfolding) value(t *codec.Type, pos int, k taken) (d decoded, ok bool) {
	u.steps++
	d = decoded{declared: t, code: k.as(t), start: pos, end: pos}
	if k.byte4 != 0 {
		d.code, k.byte4 = wire.UInt32, 0
	}
	if width, fixed := widths[d.code]; fixed {
		d.end += width
		return d, d.end <= len(u.b)
	}
	switch d.code {
	case wire.NullTerminatedUTF16String:
		return u.text(d)
	case wire.VarInt, wire.VarUInt:
		_, next := wire.VarUint64(u.b, pos)
		d.end = max(next, pos)
		return d, next >= 0
	case wire.CountedUTF8String:
		n, ok := u.count(&d)
		d.end += n
		if ok = ok && d.end <= len(u.b); ok {
			d.units = u.b[pos+2 : d.end]
		}
		return d, ok
	case wire.Object:
		return u.object(d, k)
	case wire.FixedLengthArray:
		return u.elements(d, int(t.Count), k)
	case wire.Array:
		n, ok := u.count(&d)
		if !ok {
			return d, false
		}
		return u.elements(d, n, k)
	}
	return u.locator(d, k)
}

// count reads the 2 bytes that count the next items.
func (u *unfolding) count(d *decoded) (n int, ok bool) {
	if d.end+2 > len(u.b) {
		return 0, false
	}
	d.end += 2
	return int(u.b[d.end-2]) + int(u.b[d.end-1])<<8, true
}

func (u *unfolding) text(d decoded) (decoded, bool) {
	for at := d.start; at+2 <= len(u.b); at += 2 {
		if u.b[at] == 0 && u.b[at+1] == 0 {
			d.units, d.end = u.b[d.start:at], at+2
			return d, true
		}
	}
	if u.partial = d.start < len(u.b); u.partial {
		d.units, d.end = u.b[d.start:d.start+(len(u.b)-d.start)&^1], len(u.b)
	}
	return d, false
}

func (u *unfolding) object(d decoded, k taken) (decoded, bool) {
	for i := range d.declared.Fields {
		part, ok := u.value(&d.declared.Fields[i].Type, d.end, k)
		part.name = d.declared.Fields[i].Name
		if ok || u.partial {
			d.parts, d.end = append(d.parts, part), part.end
		}
		if !ok {
			return d, false
		}
	}
	return d, true
}

// elements decodes as many elements; each takes at least a byte.
func (u *unfolding) elements(d decoded, count int, k taken) (decoded, bool) {
	start, t := d.end, d.declared.Element
	k.counted8 = k.counted8 && t.Code != wire.UTF8CodeUnit
	d.element = k.as(t)
	if width := widths[d.element]; count > len(u.b)-d.end || count*width > len(u.b)-d.end {
		return d, false
	}
	for range count {
		part, ok := u.value(t, d.end, k)
		if ok && part.end == d.end || u.steps > tooMany {
			return d, false
		}
		if ok || u.partial {
			d.parts, d.end = append(d.parts, part), part.end
		}
		if !ok {
			return d, false
		}
	}
	if isUnit(d.element) {
		d.units = u.b[start:d.end]
	}
	return d, true
}

func isUnit(code wire.TypeCode) bool { return code == wire.UTF8CodeUnit || code == wire.UTF16CodeUnit }

// locator decodes a locator and its range. An invalid one leaves a hole.
func (u *unfolding) locator(d decoded, k taken) (decoded, bool) {
	if d.end += 4; d.end > len(u.b) {
		return d, false
	}
	at, size := int(u.b[d.start])+int(u.b[d.start+1])<<8, int(u.b[d.start+2])+int(u.b[d.start+3])<<8
	if d.code == wire.RelLoc {
		at += d.end
	}
	t := d.declared.Element
	k.counted8, k.located = k.counted8 && t.Code != wire.UTF8CodeUnit, true
	d.element = k.as(t)
	width := width(t, k)
	if at+size > len(u.b) || size > 0 && (width == 0 || width > 0 && size%width != 0) {
		u.hole, u.wrong = true, true
		return d, true
	}
	u.far = max(u.far, at+size)
	inner := unfolding{b: u.b[:at+size], steps: u.steps}
	for pos := at; pos < at+size && inner.steps <= tooMany; {
		part, ok := inner.value(t, pos, k)
		if !ok {
			break
		}
		d.parts, pos = append(d.parts, part), part.end
	}
	u.steps = inner.steps
	if isUnit(d.element) {
		d.units = u.b[at : at+size]
	}
	return d, true
}

// width is the size of all values of a type, -1 when they differ.
func width(t *codec.Type, k taken) int {
	switch code := k.as(t); code {
	case wire.Object:
		sum := 0
		for i := range t.Fields {
			n := width(&t.Fields[i].Type, k)
			if n < 0 {
				return -1
			}
			sum += n
		}
		return sum
	case wire.FixedLengthArray:
		if k.counted8 = k.counted8 && t.Element.Code != wire.UTF8CodeUnit; t.Count == 0 {
			return 0
		}
		n := width(t.Element, k)
		if n <= 0 { // values without bytes do not fit, however many there are
			return -1
		}
		return n * int(t.Count)
	default:
		if n, fixed := widths[code]; fixed {
			return n
		}
		return -1
	}
}
