package check

import (
	"math"
	"strconv"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// checkMetadataV6 checks the rows of a metadata block of v6.
//
// Spec: "MetadataBlock".
func (c *checker) checkMetadataV6(bad bool) {
	c.fields = c.fields[:0]
	fault := c.walkTable()
	if fault.Rule == rule.None || fault.Row > c.table.rows {
		c.endMetadataRow(layout.Fault{})
	} else if len(c.fields) > 0 && c.table.fault.Rule == rule.None {
		c.endMetadataRow(fault)
	}
	if c.table.fault.Rule != rule.None {
		fault = c.table.fault
	}
	if fault.Rule != rule.None && c.b.Size > 0 {
		c.layoutFault(fault)
		c.spoiled.metadata = true
	}
	c.limited(bad, fault.Rule)
}

// metadataField collects the fields of a row.
func (c *checker) metadataField(f *layout.Field) {
	if f.Row == layout.Header {
		if f.Name == "HeaderSize" && f.Value > 0 && f.To <= len(c.b.Body) {
			c.found(rule.MD002, 0, c.in(0, -1))
		}
		return
	}
	if f.Row > c.table.rows {
		c.endMetadataRow(layout.Fault{})
		c.fields = c.fields[:0]
	}
	c.fields = append(c.fields, *f)
}

// endMetadataRow checks the row whose fields were collected, up to a fault.
func (c *checker) endMetadataRow(fault layout.Fault) {
	if len(c.fields) == 0 {
		return
	}
	size, row := &c.fields[0], c.table.rows
	w := rowWalk{c: c, list: c.fields, next: 1, end: size.To, fault: fault, row: row}
	w.walk()
	if w.fault.Rule != rule.None {
		c.table.fault = w.fault
		return
	}
	if row < len(c.b.Metadata) {
		if c.defined == 0 {
			c.firstRow6 = c.in(size.Pos, row)
		}
		c.define(&c.b.Metadata[row], &w)
		c.checkGUID(c.b.Metadata[row].Metadata, c.in(w.at.guid, row))
	}
	if size.Value >= nearRowLimit {
		if f := w.found(rule.MD018, size.Pos); f != nil {
			f.Actual = counted(int64(size.Value), "byte")
		}
	}
	c.table.rows++
}

// walk checks the fields of a row after its size.
func (w *rowWalk) walk() {
	if f := w.take("MetaDataId"); f != nil {
		w.at.id, w.id = f.Pos, uint32(f.Value)
	}
	if f := w.take("ProviderName"); f != nil {
		w.at.provider = f.Pos
		w.text(f, rule.MD014)
	}
	if f := w.take("EventId"); f != nil {
		w.at.event = f.Pos
	}
	if f := w.take("EventName"); f != nil {
		w.at.name = f.Pos
		w.text(f, rule.MD014)
	}
	if _, _, ok := w.descriptions(1); !ok {
		return
	}
	size := w.take("Size")
	if size == nil {
		return
	}
	w.optional(size)
	if w.fault.Rule != rule.None {
		return
	}
	if rest := w.take("Undefined"); rest != nil {
		if f := w.found(rule.MD005, rest.Pos); f != nil {
			f.Actual = counted(int64(rest.Size), "byte")
		}
	}
}

// text checks a string of the row.
func (w *rowWalk) text(f *layout.Field, id rule.ID) {
	switch flaws := look(w.c.text(f)); {
	case flaws&notUTF8 != 0:
		w.found(id, f.Pos)
	case flaws&control != 0 && id == rule.MD014:
		w.foundAs(id, rule.Warning, f.Pos)
	}
}

// descriptions checks a list of field descriptions, and returns their size in a
// payload. ok reports that the list is complete.
//
// Spec: "MetadataBlock", FieldDescriptions.
func (w *rowWalk) descriptions(depth int) (least int64, fixed, ok bool) {
	count := w.take("Count")
	if count == nil {
		return 0, false, false
	}
	n := int(count.Value)
	var names nameSet
	fixed = true
	for range n {
		start := w.pos()
		if !w.countField(start) {
			return 0, false, false
		}
		size := w.take("FieldSize")
		name := w.take("FieldName")
		if size == nil || name == nil {
			return 0, false, false
		}
		w.text(name, rule.MD014)
		codeAt := name.Pos + name.Size
		if depth == 1 {
			w.top = codeAt
		}
		s, ok := w.code(depth, place{})
		if !ok {
			return 0, false, false
		}
		least, fixed = min(least+s.least, math.MaxInt32), fixed && s.fixed
		if rest := w.left(size); rest != nil {
			w.foundAs(rule.TYP002, rule.Information, rest.Pos)
		}
		text := w.c.text(name)
		w.name(text, name.Pos, n == 1 && depth == 1)
		w.hints(s.code, text, name.Pos, codeAt)
		if n > 1 && len(text) > 0 && names.again(text) {
			if f := w.found(rule.TYP012, name.Pos); f != nil {
				f.Actual = strconv.Quote(string(text))
			}
		}
	}
	return least, fixed, true
}

// hints checks types that contradict a name, or that a writer uses differently.
func (w *rowWalk) hints(code wire.TypeCode, name []byte, at, codeAt int) {
	switch code {
	case wire.UInt32, wire.Int32:
		if speaksOfLocator(string(name)) {
			w.found(rule.TYP015, at)
			w.renamed = true
		}
	case wire.UTF8CodeUnit, wire.UTF16CodeUnit:
		if w.at.unit == 0 {
			w.at.unit = codeAt
		}
	}
}

// name checks the name of a field; only marks the only field of an event, which
// has no name if an event source of .NET wrote one value.
func (w *rowWalk) name(name []byte, at int, only bool) {
	switch {
	case len(name) > 0:
	case only:
		w.foundAs(rule.TYP013, rule.Information, at)
	default:
		w.found(rule.TYP013, at)
	}
}

// place is the position of a type.
type place struct {
	inside  bool // in a locator, an array or an object
	locator bool // right in a locator
}

// shape is the size of a type in a payload.
type shape struct {
	code  wire.TypeCode
	least int64 // bytes
	fixed bool  // always as many
}

// locatable reports whether a locator may refer to values of the shape. The text
// counts VarInt and VarUInt among the types of fixed size.
func (s shape) locatable() bool { return s.fixed || s.code == wire.VarInt || s.code == wire.VarUInt }

// code checks a type. ok reports that it is complete.
//
// Spec: "MetadataBlock", Type and TypeCode.
func (w *rowWalk) code(depth int, p place) (s shape, ok bool) {
	f := w.take("TypeCode")
	if f == nil {
		return s, false
	}
	s.code = wire.TypeCode(f.Value)
	if depth == textNesting+1 {
		w.found(rule.TYP011, w.top)
	}
	if w.badType(f) {
		return s, false
	}
	switch code := s.code; {
	case code == wire.Decimal:
		w.foundAs(rule.TYP004, rule.Warning, f.Pos)
	case (code == wire.VarInt || code == wire.VarUInt) && p.locator:
		w.found(rule.TYP009, f.Pos)
	case (code == wire.RelLoc || code == wire.DataLoc) && p.inside:
		w.found(rule.TYP010, f.Pos)
	}
	s.least, s.fixed = int64(max(s.code.Size(), 1)), s.code.Size() > 0
	switch {
	case s.code.HasElement():
		return s, w.element(depth, f.Pos, &s)
	case s.code == wire.Object:
		if w.next < len(w.list) && w.list[w.next].Name == "Count" && w.list[w.next].Value == 0 {
			w.foundAs(rule.TYP007, rule.Information, f.Pos)
		}
		s.least, s.fixed, ok = w.descriptions(depth + 1)
		return s, ok
	case s.code == wire.NullTerminatedUTF16String:
		s.least = 2
	}
	return s, true
}

// element checks the element type of an array or a locator at at, and reports
// whether it is complete.
func (w *rowWalk) element(depth, at int, s *shape) bool {
	locator := s.code == wire.RelLoc || s.code == wire.DataLoc
	e, ok := w.code(depth+1, place{inside: true, locator: locator})
	if !ok {
		return false
	}
	switch {
	case s.code == wire.FixedLengthArray:
		count := w.take("ElementCount")
		if count == nil {
			return false
		}
		if count.Value == 0 {
			w.foundAs(rule.TYP006, rule.Warning, count.Pos)
		}
		s.least, s.fixed = min(e.least*int64(count.Value), math.MaxInt32), e.fixed
		if s.least > largestFixedArray {
			w.found(rule.TYP018, count.Pos)
		}
	case locator:
		s.least, s.fixed = 4, true
		if !e.locatable() {
			return w.fail(rule.TYP008, at+1)
		}
	default:
		s.least, s.fixed = 2, false
	}
	return true
}
