package check

import (
	"math"
	"strconv"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// rowWalk walks over one metadata row.
type rowWalk struct {
	c       *checker
	cur     cursor
	row     int
	id      uint32
	fields  int64
	at      rowPlaces
	top     int  // where the type of the field of the outermost list stands
	renamed bool // a field has the name of a locator
}

// countField counts a field, and gives up on a row with too many.
func (w *rowWalk) countField(cur *cursor, at int) {
	if w.fields++; w.fields == textFields+1 {
		w.found(rule.TYP011, at)
	}
	if limit := w.c.limits.Fields; limit > 0 && w.fields > limit {
		cur.fail(rule.LIM003, at)
	}
}

// tooDeep gives up, as the Reader does, on a row whose types nest deeper than the
// limit.
func (w *rowWalk) tooDeep(cur *cursor, depth int) bool {
	if limit := w.c.limits.Nesting; limit > 0 && int64(depth) > limit {
		cur.fail(rule.LIM004, cur.pos)
	}
	return cur.bad != rule.None
}

// rowPlaces are where the parts of a row stand in the body, 0 for nowhere.
type rowPlaces struct {
	id, provider, event, name, version, level, message, guid, unit int
}

// found counts a finding about the row.
func (w *rowWalk) found(id rule.ID, at int) *Finding { return w.foundAs(id, id.Rule().Severity, at) }

func (w *rowWalk) foundAs(id rule.ID, as rule.Severity, at int) *Finding {
	f := w.c.foundAs(id, as, 0, w.c.in(at, w.row))
	if f != nil {
		f.id("metadata", uint64(w.id))
	}
	return f
}

// checkMetadataV6 looks at the rows of a metadata block of v6.
//
// Spec: "MetadataBlock".
func (c *checker) checkMetadataV6(bad bool) {
	cur := cursor{b: c.b.Body}
	header := cur.uint16(rule.MD001)
	cur.step(wire.Skip(cur.b, cur.pos, int(header)), rule.MD001)
	if header > 0 && cur.bad == rule.None {
		c.found(rule.MD002, 0, c.in(0, -1))
	}
	row := 0
	for ; !cur.done(); row++ {
		start := cur.pos
		size := cur.uint16(rule.MD003)
		sub := cur.sub(int(size), rule.MD003)
		if cur.bad != rule.None {
			break
		}
		w := rowWalk{c: c, cur: sub, row: row}
		w.walk()
		if w.cur.bad != rule.None {
			cur.end = false
			cur.fail(w.cur.bad, w.cur.at)
			break
		}
		if row < len(c.b.Metadata) {
			if c.defined == 0 {
				c.firstRow6 = c.in(start, row)
			}
			c.define(&c.b.Metadata[row], &w)
			c.checkGUID(c.b.Metadata[row].Metadata, c.in(w.at.guid, row))
		}
		if size >= nearRowLimit {
			if f := w.found(rule.MD018, start); f != nil {
				f.Actual = counted(int64(size), "byte")
			}
		}
	}
	if cur.bad != rule.None && c.b.Size > 0 {
		c.layoutFault(&cur, row)
		c.spoiled.metadata = true
	}
	c.limited(bad, cur.bad)
}

// walk looks at the fields of a row.
func (w *rowWalk) walk() {
	cur := &w.cur
	w.at.id = cur.pos
	w.id = cur.varUint32(rule.MD004)
	w.at.provider = cur.pos
	w.text(cur.text(rule.MD004), cur.was, rule.MD014)
	w.at.event = cur.pos
	cur.varUint32(rule.MD004)
	w.at.name = cur.pos
	w.text(cur.text(rule.MD004), cur.was, rule.MD014)
	w.list(cur, 1, rule.TYP001)
	size := cur.uint16(rule.MD004)
	optional := cur.sub(int(size), rule.OPT001)
	w.optional(&optional)
	if optional.bad != rule.None {
		cur.fail(optional.bad, optional.at)
	}
	if cur.bad == rule.None && cur.pos < len(cur.b) {
		if f := w.found(rule.MD005, cur.pos); f != nil {
			f.Actual = counted(int64(len(cur.b)-cur.pos), "byte")
		}
	}
}

// text looks at a string of the row.
func (w *rowWalk) text(b []byte, at int, id rule.ID) {
	switch flaws := look(b); {
	case w.cur.bad != rule.None:
	case flaws&notUTF8 != 0:
		w.found(id, at)
	case flaws&control != 0 && id == rule.MD014:
		w.foundAs(id, rule.Warning, at)
	}
}

// list looks at a list of field descriptions, and returns what they take of a
// payload.
//
// Spec: "MetadataBlock", FieldDescriptions.
func (w *rowWalk) list(cur *cursor, depth int, missing rule.ID) (least int64, fixed bool) {
	count := int(cur.uint16(missing))
	names := map[string]bool(nil)
	fixed = true
	for i := 0; i < count && cur.bad == rule.None; i++ {
		start := cur.pos
		w.countField(cur, start)
		size := cur.uint16(rule.TYP001)
		sub := cur.sub(int(size), rule.TYP001)
		if cur.bad != rule.None {
			return 0, false
		}
		at := sub.pos
		name := sub.text(rule.TYP002)
		w.text(name, at, rule.MD014)
		codeAt := sub.pos
		if depth == 1 {
			w.top = codeAt
		}
		s := w.code(&sub, depth, place{missing: rule.TYP002})
		least, fixed = min(least+s.least, math.MaxInt32), fixed && s.fixed
		if sub.bad != rule.None {
			cur.fail(sub.bad, sub.at)
			return 0, false
		}
		if sub.pos < len(sub.b) {
			w.foundAs(rule.TYP002, rule.Information, sub.pos)
		}
		w.name(string(name), at, count == 1 && depth == 1)
		w.hints(s.code, string(name), at, codeAt)
		if names == nil && count > 1 {
			names = make(map[string]bool, min(count, 64))
		}
		if count > 1 {
			if names[string(name)] && len(name) > 0 {
				if f := w.found(rule.TYP012, at); f != nil {
					f.Actual = strconv.Quote(string(name))
				}
			}
			names[string(name)] = true
		}
	}
	return least, fixed
}

// hints looks at types that are not what a name or a writer makes of them.
func (w *rowWalk) hints(code wire.TypeCode, name string, at, codeAt int) {
	switch code {
	case wire.UInt32, wire.Int32:
		if speaksOfLocator(name) {
			w.found(rule.TYP015, at)
			w.renamed = true
		}
	case wire.UTF8CodeUnit, wire.UTF16CodeUnit:
		if w.at.unit == 0 {
			w.at.unit = codeAt
		}
	}
}

// name looks at the name of a field; only is for the only field of an event,
// which has none where an event source of .NET wrote one value.
func (w *rowWalk) name(name string, at int, only bool) {
	switch {
	case name != "":
	case only:
		w.foundAs(rule.TYP013, rule.Information, at)
	default:
		w.found(rule.TYP013, at)
	}
}

// place is where a type stands.
type place struct {
	missing rule.ID // what is broken when there is none
	inside  bool    // in a locator, an array or an object
	locator bool    // right in a locator
}

// shape is what a type takes of a payload.
type shape struct {
	code  wire.TypeCode
	least int64 // bytes
	fixed bool  // always as many
}

// locatable says whether a locator may point at values of the shape. The text
// counts VarInt and VarUInt among the types of fixed size.
func (s shape) locatable() bool { return s.fixed || s.code == wire.VarInt || s.code == wire.VarUInt }

// code looks at a type.
//
// Spec: "MetadataBlock", Type and TypeCode.
func (w *rowWalk) code(cur *cursor, depth int, p place) (s shape) {
	at := cur.pos
	s.code = wire.TypeCode(cur.byte(p.missing))
	if cur.bad != rule.None {
		return s
	}
	if depth == textNesting+1 {
		w.found(rule.TYP011, w.top)
	}
	switch code := s.code; {
	case w.tooDeep(cur, depth):
	case code == 0 || code == 2:
		cur.fail(rule.TYP004, at)
	case !code.InStream():
		cur.fail(rule.TYP003, at)
	case code == wire.Decimal:
		w.foundAs(rule.TYP004, rule.Warning, at)
	case (code == wire.VarInt || code == wire.VarUInt) && p.locator:
		w.found(rule.TYP009, at)
	case (code == wire.RelLoc || code == wire.DataLoc) && p.inside:
		w.found(rule.TYP010, at)
	}
	if cur.bad != rule.None {
		return s
	}
	s.least, s.fixed = int64(max(s.code.Size(), 1)), s.code.Size() > 0
	switch {
	case s.code.HasElement():
		w.element(cur, depth, at, &s)
	case s.code == wire.Object:
		if cur.pos+2 <= len(cur.b) && cur.b[cur.pos] == 0 && cur.b[cur.pos+1] == 0 {
			w.foundAs(rule.TYP007, rule.Information, at)
		}
		s.least, s.fixed = w.list(cur, depth+1, rule.TYP007)
	case s.code == wire.NullTerminatedUTF16String:
		s.least = 2
	}
	return s
}

// element looks at the element type of an array or a locator at at.
func (w *rowWalk) element(cur *cursor, depth, at int, s *shape) {
	locator := s.code == wire.RelLoc || s.code == wire.DataLoc
	e := w.code(cur, depth+1, place{missing: rule.TYP005, inside: true, locator: locator})
	switch {
	case s.code == wire.FixedLengthArray:
		countAt := cur.pos
		count := cur.uint16(rule.TYP006)
		if cur.bad == rule.None && count == 0 {
			w.foundAs(rule.TYP006, rule.Warning, countAt)
		}
		s.least, s.fixed = min(e.least*int64(count), math.MaxInt32), e.fixed
		if s.least > largestFixedArray && cur.bad == rule.None {
			w.found(rule.TYP018, countAt)
		}
	case locator:
		s.least, s.fixed = 4, true
		if cur.bad == rule.None && !e.locatable() {
			cur.fail(rule.TYP008, at+1)
		}
	default:
		s.least, s.fixed = 2, false
	}
}
