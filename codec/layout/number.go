package layout

import (
	"math"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// field reads one field, and walks over the items that its value counts or
// chooses.
func (w *Walker) field(p *part, it *item) {
	d := demand{part: p, item: it, lead: w.lead, before: w.before}
	w.lead = rules{}
	f := Field{Name: it.name, Part: p.name, Pos: w.pos, Encoding: it.enc}
	next := f.read(w.b[:w.end])
	switch {
	case next == wire.TooLarge:
		w.fail(Fault{Rule: d.large(), Name: it.name, Row: w.row, Pos: w.pos})
		return
	case next < 0:
		w.missing(it.name, d.missing())
		return
	}
	f.Size = next - f.Pos
	w.pos = next
	w.apply(&d, &f)
}

// demand is a field that a part has, with the rules of the part around it.
type demand struct {
	part   *part
	item   *item
	lead   rules // in place of those of the item
	before int   // position of the field before
}

// missing returns the rule that is broken when the bytes end inside the field.
func (d *demand) missing() rule.ID {
	switch {
	case d.lead.missing != rule.None:
		return d.lead.missing
	case d.item.rule.missing != rule.None:
		return d.item.rule.missing
	}
	return d.part.missing
}

// large returns the rule that is broken when the number has too many bits.
func (d *demand) large() rule.ID {
	switch {
	case d.item.rule.large != rule.None:
		return d.item.rule.large
	case d.item.enc == VarUint64:
		return rule.CMP003
	}
	return rule.CMP002
}

// wrong returns the rule that is broken when the value is impossible.
func (d *demand) wrong() rule.ID {
	switch {
	case d.lead.wrong != rule.None:
		return d.lead.wrong
	case d.item.rule.wrong != rule.None:
		return d.item.rule.wrong
	}
	return d.missing()
}

// place returns where a value is wrong that cannot be: at the field, or at the one
// that demands it.
func (d *demand) place(f *Field) int {
	if d.lead.wrong != rule.None {
		return d.before
	}
	return f.Pos
}

// read reads the value of a field at its position. It returns the position after
// it, or wire.PastEnd or wire.TooLarge.
func (f *Field) read(b []byte) (next int) {
	switch f.Encoding {
	case Uint8:
		var v byte
		v, next = wire.Byte1(b, f.Pos)
		f.Value = uint64(v)
	case Uint16:
		var v uint16
		v, next = wire.Uint16(b, f.Pos)
		f.Value = uint64(v)
	case Uint32:
		var v uint32
		v, next = wire.Uint32(b, f.Pos)
		f.Value = uint64(v)
	case Int32:
		var v uint32
		v, next = wire.Uint32(b, f.Pos)
		f.Value = uint64(int64(int32(v)))
	case Uint64:
		f.Value, next = wire.Uint64(b, f.Pos)
	case VarUint32:
		var v uint32
		v, next = wire.VarUint32(b, f.Pos)
		f.Value = uint64(v)
	case VarUint64:
		f.Value, next = wire.VarUint64(b, f.Pos)
	case VarInt64:
		var v int64
		v, next = wire.VarInt64(b, f.Pos)
		f.Value = uint64(v)
	case GUID:
		next = wire.Skip(b, f.Pos, 16)
	case String:
		next = f.readString(b)
	case UTF16:
		_, next = wire.UTF16Z(b, f.Pos)
		f.From, f.To = f.Pos, next-2
	}
	return next
}

// readString reads the length of a string and skips its text.
func (f *Field) readString(b []byte) (next int) {
	n, from := wire.VarUint32(b, f.Pos)
	if from < 0 {
		return from
	}
	f.Value, f.From = uint64(n), from
	f.To = f.past(from)
	return wire.Skip(b, from, int(n))
}

// past returns the position after the bytes that f counts, of which the first is at a
// position. It is the highest int where an int cannot hold it.
func (f *Field) past(from int) int {
	n := int64(f.Value)
	if n < 0 && f.Encoding != Int32 || n > int64(math.MaxInt-from) {
		return math.MaxInt
	}
	return from + int(n)
}

// apply yields a field and executes its role.
func (w *Walker) apply(d *demand, f *Field) {
	v, it := f.Value, d.item
	switch it.role {
	case value:
		w.emit(f)
	case flags:
		w.flags = v
		w.emit(f)
	case sizes:
		w.sized(d, f, w.pos)
	case sizesItself:
		w.sized(d, f, f.Pos)
	case sizesChoice:
		f.Counts, f.From, f.To = true, w.pos+1, f.past(w.pos+1) // the choice is one byte
		w.choice = int(v)
		w.emit(f)
	case sizePayload:
		f.Counts, f.From, f.To = true, w.pos, f.past(w.pos)
		w.payloadSize = v
		w.emit(f)
		if f.Encoding == Int32 && int64(v) < 0 {
			w.fail(w.wrong(d, f.Pos))
		}
	case counts, countsRows:
		w.emit(f)
		if f.Encoding == Int32 && int64(v) < 0 || it.min > 0 && v > uint64((w.end-w.pos)/it.min) {
			w.fail(w.wrong(d, d.place(f)))
		}
		w.times(it, v)
	case chooses:
		w.emit(f)
		w.choose(it.by, f)
	}
}

// wrong sets the fault of an impossible size or count.
func (w *Walker) wrong(d *demand, pos int) Fault {
	return Fault{Rule: d.wrong(), Name: d.item.name, Row: w.row, Pos: pos}
}

// sized yields a size, and walks over the bytes that it counts from a position
// on.
func (w *Walker) sized(d *demand, f *Field, from int) {
	size, it := int64(f.Value), d.item
	f.Counts, f.From, f.To = true, from, f.past(from)
	w.emit(f)
	switch {
	case size < int64(it.min):
		w.fail(w.wrong(d, f.Pos))
	case size > int64(w.end-from):
		fault := w.wrong(d, w.pos)
		if it.atSize {
			fault.Pos = f.Pos
		}
		fault.Ended = w.inner == 0
		w.fail(fault)
	case w.skip && !w.stopped:
		w.pos = f.To
	case !w.stopped:
		w.inside(f.To, it.of, it.rest)
	}
}

// times walks over n parts.
func (w *Walker) times(it *item, n uint64) {
	nested := 0
	if it.role == counts {
		nested = 1
	}
	w.depth += nested
	for i := uint64(0); i < n && !w.stopped; i++ {
		if nested == 0 {
			w.row, w.whole = int(i), -1
		}
		w.part(it.of)
	}
	w.depth -= nested
}
