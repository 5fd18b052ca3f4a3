package codec

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// slot is a place for values of one type: a field, or the elements of an array.
type slot struct {
	name  string
	code  wire.TypeCode
	count int    // elements of a FixedLengthArray
	inner []slot // fields of an Object; the one slot of the elements of an array or a locator
}

// slotsOf makes the slots of fields that checkFields has accepted. It borrows nothing.
func slotsOf(fields []Field) []slot {
	list := make([]slot, len(fields))
	for i := range fields {
		list[i] = slotOf(fields[i].Name, &fields[i].Type)
	}
	return list
}

func slotOf(name string, t *Type) slot {
	s := slot{name: name, code: t.Code, count: int(t.Count)}
	if t.Element != nil {
		s.inner = []slot{slotOf("", t.Element)}
	} else {
		s.inner = slotsOf(t.Fields)
	}
	return s
}

// String returns the type as the specification names it: "Array of Int32".
func (s *slot) String() string {
	if s.code.HasElement() {
		return s.code.String() + " of " + s.inner[0].String()
	}
	return s.code.String()
}

func (s *slot) locates() bool { return s.code == wire.RelLoc || s.code == wire.DataLoc }

// frame is a list of values that is being encoded: the fields of the payload or of
// an Object, or the elements of an array or a locator.
type frame struct {
	of    *slot // whose fields or elements these are; nil: the payload
	slots []slot
	next  int // in slots, of the next value
	step  int // from one value to the next: 1 in a list of fields, 0 among elements
	count int // values so far
	start int // of the first value in the bytes that are written
}

// slot returns the place of the next value, or nil when the list is complete.
func (f *frame) slot() *slot {
	if f.next < len(f.slots) {
		return &f.slots[f.next]
	}
	return nil
}

// takes reports whether the next value has a type.
func (f *frame) takes(code wire.TypeCode) bool {
	return f.next < len(f.slots) && f.slots[f.next].code == code
}

func (f *frame) advance() {
	f.next += f.step
	f.count++
}

// payloadEncoder encodes one payload after another in the same memory. After an
// error it takes no values until the next payload.
type payloadEncoder struct {
	slots []slot
	id    uint32 // of the metadata
	begun bool
	err   error // the first one of the payload

	b        []byte // that values are appended to: the payload or, in a locator, the values of all locators
	other    []byte // the one of these two that b is not
	top      frame
	outer    []frame   // the lists around top, outermost first
	locators []locator // of the payload so far
	locating bool      // b has the values of locators
}

// locator is a RelLoc or a DataLoc whose values have been encoded. They come after all fields.
type locator struct {
	field       int // of the payload, that has the locator
	pos         int // of the locator in the payload
	start, size int // of the values among those of all locators
	relative    bool
}

// begin starts a payload.
func (p *payloadEncoder) begin() {
	p.b, p.other, p.outer, p.locators = p.b[:0], p.other[:0], p.outer[:0], p.locators[:0]
	p.begun, p.locating, p.err = true, false, nil
	p.top = frame{slots: p.slots, step: 1}
}

// end makes the encoder refuse values until the next payload.
func (p *payloadEncoder) end() { p.begun, p.err, p.top = false, nil, frame{} }

// take moves to the value after one of a type, and reports whether the type is right.
func (p *payloadEncoder) take(code wire.TypeCode, method string) bool {
	if p.top.takes(code) {
		p.top.advance()
		return true
	}
	p.misfit(method)
	return false
}

// openArray begins the elements of an array or a locator, if those may be of one of
// the types, or of any type if none is given.
func (p *payloadEncoder) openArray(method string, elements ...wire.TypeCode) bool {
	s := p.top.slot()
	switch {
	case s == nil || !s.code.HasElement() || len(elements) > 0 && !slices.Contains(elements, s.inner[0].code):
		p.misfit(method)
	case p.locating && s.locates():
		p.fail("no locator in the values of a locator", method)
	default:
		p.open()
		return true
	}
	return false
}

// field returns the number of the field of the payload that the last value was in.
func (p *payloadEncoder) field() int {
	if len(p.outer) > 0 {
		return p.outer[0].next - 1
	}
	return p.top.next - 1
}

// open begins the fields of an Object, or the elements of an array or a locator.
func (p *payloadEncoder) open() {
	s := p.top.slot()
	p.top.advance()
	inner := frame{of: s, slots: s.inner}
	switch s.code {
	case wire.Object:
		inner.step = 1
	case wire.Array:
		p.b = append(p.b, 0, 0)
	case wire.RelLoc, wire.DataLoc:
		p.locators = append(p.locators, locator{field: p.field(), pos: len(p.b), start: len(p.other), relative: s.code == wire.RelLoc})
		p.b = append(p.b, 0, 0, 0, 0)
		p.b, p.other, p.locating = p.other, p.b, true
	}
	inner.start = len(p.b)
	p.outer = append(p.outer, p.top)
	p.top = inner
}

// close ends what the last open began.
func (p *payloadEncoder) close(method string) {
	f := p.top
	switch {
	case f.of == nil || f.step == 1 && f.next < len(f.slots):
		p.misfit(method)
		return
	case f.of.code == wire.FixedLengthArray && f.count != f.of.count:
		p.failAround(fmt.Sprintf("length %d", f.of.count), fmt.Sprintf("length %d", f.count))
		return
	case f.of.code == wire.Array && f.count > math.MaxUint16:
		p.failAround("length 0 to 65535", fmt.Sprintf("length %d", f.count))
		return
	case f.of.code == wire.Array:
		binary.LittleEndian.PutUint16(p.b[f.start-2:], uint16(f.count))
	case f.of.locates():
		p.locators[len(p.locators)-1].size = len(p.b) - f.start
		p.b, p.other, p.locating = p.other, p.b, false
	}
	last := len(p.outer) - 1
	p.top, p.outer = p.outer[last], p.outer[:last]
}

// finish returns the payload, if it is complete.
func (p *payloadEncoder) finish(method string) ([]byte, error) {
	if p.err == nil && (!p.begun || p.top.of != nil || p.top.slot() != nil) {
		p.misfit(method)
	}
	if p.err != nil {
		return nil, p.err
	}
	base := len(p.b)
	p.b = append(p.b, p.other...)
	for _, l := range p.locators {
		start := base + l.start
		if l.relative {
			start -= l.pos + 4
		}
		if start > math.MaxUint16 || l.size > math.MaxUint16 {
			return nil, &FieldError{
				MetadataID: p.id, Index: l.field, Field: p.slots[l.field].name, Want: "a position and a size up to 65535 bytes",
				Got: fmt.Sprintf("position %d, size %d", start, l.size),
			}
		}
		binary.LittleEndian.PutUint32(p.b[l.pos:], uint32(l.size)<<16|uint32(start))
	}
	return p.b, nil
}
