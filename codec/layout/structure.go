package layout

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// structure walks over an item that is no field.
func (w *Walker) structure(p *part, it *item) {
	switch it.role {
	case one:
		w.lead = it.rule
		w.part(it.of)
	case recursive:
		w.lead = it.rule
		w.part(it.self.part())
	case repeats:
		for !w.stopped && w.pos < w.end {
			w.part(it.of)
		}
	case rows:
		w.rows(it.of)
	case eventRows:
		if w.flags&wire.BlockCompressed != 0 {
			w.rows(w.version.compressed)
		} else {
			w.rows(w.version.plain)
		}
	case untilLast:
		for w.last = false; !w.stopped && !w.last; {
			w.part(it.of)
		}
	case aligns:
		w.align(p, it)
	case pointers:
		w.addresses(p, it)
	}
}

// rows walks over the rows up to the end of the body.
func (w *Walker) rows(p *part) {
	w.whole = -1
	for w.row = 0; !w.stopped && w.pos < w.end; w.row++ {
		w.part(p)
	}
}

// addresses walks over as many addresses as there are.
func (w *Walker) addresses(p *part, it *item) {
	f := Field{Name: it.name, Part: p.name, Encoding: Uint64, Size: w.pointer}
	if w.pointer == 4 {
		f.Encoding = Uint32
	}
	for !w.stopped && w.end-w.pos >= w.pointer {
		f.Pos = w.pos
		w.pos = f.read(w.b[:w.end])
		w.emit(&f)
	}
}

// group walks over a known number of bytes, and the items in them.
func (w *Walker) group(p *part, it *item) {
	size, inner := uint64(it.size), it.of
	switch it.role {
	case everything:
		size = uint64(w.end - w.pos)
	case payload:
		size = w.payloadSize
		if inner == nil {
			inner = w.payload
		}
	}
	if size > uint64(w.end-w.pos) {
		w.missing(it.name, w.missingRule(p, it))
		return
	}
	if inner == nil {
		w.bytes(it.name, p.name, it.enc, int(size))
		return
	}
	whole := w.whole
	w.whole = -1
	w.emit(&Field{Name: it.name, Part: p.name, Pos: w.pos, Size: int(size), Encoding: Group})
	switch {
	case w.stopped:
	case w.skip:
		w.pos += int(size)
	default:
		w.inside(w.pos+int(size), inner, "")
	}
	w.whole = whole
}

func (w *Walker) missingRule(p *part, it *item) rule.ID {
	if it.rule.missing != rule.None {
		return it.rule.missing
	}
	return p.missing
}

// choose walks over the items that the value of a field chooses.
func (w *Walker) choose(c *choice, f *Field) {
	size := w.choice
	w.choice, w.last = -1, f.Value&c.last != 0
	switch {
	case w.stopped:
	case c.nests && w.nesting >= w.levels:
		w.fail(Fault{Rule: rule.LIM004, Name: f.Name, Row: w.row, Pos: w.pos})
	case size > w.end-w.pos:
		w.fail(Fault{Rule: c.in.missing, Name: f.Name, Row: w.row, Pos: w.pos, Ended: w.inner == 0})
	case size >= 0:
		outer := w.end
		w.end = w.pos + size
		w.inner++
		w.chosen(c, f)
		w.remaining("")
		w.inner--
		w.end = outer
	default:
		w.chosen(c, f)
	}
}

// chosen walks over the items of an option.
func (w *Walker) chosen(c *choice, f *Field) {
	o := c.option(f.Value &^ c.last)
	switch {
	case o == nil && c.unknown != rule.None && (c.known == nil || !c.known(f.Value)):
		w.fail(Fault{Rule: c.unknown, Name: f.Name, Row: w.row, Pos: f.Pos})
	case o == nil:
	case o.bad != rule.None:
		w.fail(Fault{Rule: o.bad, Name: f.Name, Row: w.row, Pos: f.Pos})
	default:
		if c.nests {
			w.nesting++
		}
		w.depth++
		for i := range o.items {
			w.item(&c.in, &o.items[i])
		}
		w.depth--
		if c.nests {
			w.nesting--
		}
	}
}

// option returns the option of a value, or nil.
func (c *choice) option(v uint64) *option {
	for i := range c.options {
		if c.options[i].value == v {
			return &c.options[i]
		}
	}
	return nil
}

// align walks over the zeros that pad a row of v4 to a multiple of 4 bytes. Some
// writers do not pad, and some count the padding in EventSize: the bytes that
// follow decide.
func (w *Walker) align(p *part, it *item) {
	n := (w.pos+3)&^3 - w.pos
	if n = min(n, w.end-w.pos); n == 0 || w.rowFollows() {
		return
	}
	for _, b := range w.b[w.pos : w.pos+n] {
		if b != 0 {
			return
		}
	}
	w.bytes(it.name, p.name, Bytes, n)
}

// rowFollows reports whether an uncompressed row of v4 may begin here: its sizes
// agree, and it fits.
func (w *Walker) rowFollows() bool {
	b := w.b[w.pos:w.end]
	if len(b) < plainHeaderV4 {
		return false
	}
	size := int64(binary.LittleEndian.Uint32(b)) + 4
	needed := int64(binary.LittleEndian.Uint32(b[plainHeaderV4-4:])) + plainHeaderV4
	return size >= needed && size <= (needed+3)&^3 && size <= int64(len(b))
}
