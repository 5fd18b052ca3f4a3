package codec

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Known describes an event type that the trace does not describe itself.
type Known struct {
	Name    string
	Fields  []Field
	Version uint32 // that the fields are of; not above the one asked for
}

// fieldsView is where the fields of one payload stand.
type fieldsView struct {
	plan    *plan
	layout  *layout
	payload []byte
	spans   []fieldSpan // one for each field that was reached
	bad     rule.ID     // why the payload does not fit, or None
	at      int         // where in the payload
}

// fieldSpan is where one field stands; start is negative when its value is not
// to be had.
type fieldSpan struct{ start, end int32 }

// Fields iterates over the fields of the payload that fit, in declared order.
// FieldsError tells whether all did. It allocates nothing.
//
// Types that real writers use against the text are read as they are meant (see
// Options.Literal). Fields of events that the trace does not describe come from
// Options.Schemas.
func (e *Event) Fields() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		f := e.fields()
		for i, span := range f.spans {
			if span.start >= 0 && !yield(f.plan.fields[i].Name, f.value(i)) {
				return
			}
		}
	}
}

// Field returns the first field of that name, a Value that is not Valid when
// there is none or it did not fit. Fields of one nameless object, as .NET's
// self-describing events have it, are found by their own names.
func (e *Event) Field(name string) Value {
	f := e.fields()
	for i, span := range f.spans {
		if f.plan.fields[i].Name == name && span.start >= 0 {
			return f.value(i)
		}
	}
	if len(f.spans) == 1 && f.plan.fields[0].Name == "" && f.spans[0].start >= 0 {
		for inner, v := range f.value(0).Fields() {
			if inner == name {
				return v
			}
		}
	}
	return Value{}
}

// FieldsError is the rule that the payload breaks when it does not fit its
// fields, or None. It is counted as a defect when first asked for.
func (e *Event) FieldsError() rule.ID {
	bad := e.fields().bad
	if bad != rule.None && e.src != nil {
		e.src.r.misfit(e, bad)
	}
	return bad
}

// fields finds the fields of the payload.
func (e *Event) fields() *fieldsView {
	if e.src == nil {
		f := &fieldsView{plan: e.held.plan}
		f.find(e.held.payload)
		return f
	}
	return e.src.r.fieldsOf(e)
}

// fieldsOf finds the fields of an event once.
func (r *Reader) fieldsOf(e *Event) *fieldsView {
	f := &r.view
	if offset := e.Offset(); offset != r.viewed {
		r.viewed = offset
		f.plan = r.planOf(e)
		f.find(e.Payload())
	}
	return f
}

// planOf returns the plan of the event's metadata, nil when there is none.
func (r *Reader) planOf(e *Event) *plan {
	m := e.Metadata()
	if m == nil {
		return nil
	}
	p := m.plan
	if p == nil || p.pointer != r.trace.PointerSize || r.dialect.indexed && len(m.Fields) == 0 && p.version != e.Version() {
		p = r.makePlan(m, e.Version())
		m.plan = p
	}
	return p
}

func (r *Reader) makePlan(m *Metadata, version uint32) *plan {
	if len(m.Fields) == 0 && r.opt.Schemas != nil && !r.opt.Literal {
		if known, ok := r.opt.Schemas(m, version); ok {
			return compile(known.Fields, true, version, r.trace.PointerSize, manner{})
		}
	}
	by := manner{literal: r.opt.Literal, dateTime16: r.dialect.indexed, counted8: r.counted8}
	return compile(m.Fields, false, version, r.trace.PointerSize, by)
}

// misfit counts a payload that does not fit as a defect, once.
func (r *Reader) misfit(e *Event, bad rule.ID) {
	if r.misfitted == e.Offset() {
		return
	}
	r.misfitted = e.Offset()
	r.count(Error{
		Offset: e.src.offset + int64(e.payload) + int64(r.view.at), Block: wire.Event, BlockOffset: e.src.block,
		Row: -1, Rule: bad, Err: ErrDefect,
	})
	if r.fatal != nil && r.opt.Strict {
		r.next, r.ready, r.decoded, r.inRows = 0, 0, 0, false
		r.region.drop()
	}
}

// value returns field i.
func (f *fieldsView) value(i int) Value {
	return Value{f, &f.layout.nodes[i], f.spans[i].start, f.spans[i].end}
}

// find tries the readings of the plan until one consumes the payload exactly.
// When none does the first one counts.
func (f *fieldsView) find(payload []byte) {
	f.payload, f.spans, f.bad, f.at, f.layout = payload, f.spans[:0], rule.None, 0, nil
	if f.plan == nil || len(f.plan.fields) == 0 {
		return
	}
	for i := range f.plan.readings {
		if f.try(i); f.bad == rule.None {
			return
		}
	}
	if len(f.plan.readings) > 1 {
		f.try(0)
	}
}

// try reads the payload by one reading. Values of fixed size and
// zero-terminated UTF-16 are most of what there is, and taken here; the walker
// takes the others.
func (f *fieldsView) try(i int) {
	f.layout, f.bad = f.plan.layout(i), rule.None
	nodes := f.layout.nodes
	f.spans = slices.Grow(f.spans[:0], len(nodes))[:len(nodes)]
	b, pos, far, n := f.payload, 0, 0, 0
	for ; n < len(nodes); n++ {
		node := &nodes[n]
		next := pos + node.size
		if node.size < 0 && node.code == wire.NullTerminatedUTF16String {
			if next = len(b) + 1; pos < len(b) {
				if end := indexZeroUnit(b[pos:]); end >= 0 {
					next = pos + end + 2
				}
			}
		}
		if next > len(b) || node.size < 0 && node.code != wire.NullTerminatedUTF16String {
			w := walker{b: b, pos: pos, far: far, bad: f.bad, badPos: f.at}
			ok := w.walk(node, nodes, 0)
			f.bad, f.at, far = w.bad, w.badPos, w.far
			if !ok && !w.partial {
				break
			}
			next = w.pos
			f.spans[n] = fieldSpan{int32(pos), int32(next)}
			if w.hole {
				f.spans[n].start = -1
			}
			pos = next
			if !ok {
				n++
				break
			}
			continue
		}
		f.spans[n] = fieldSpan{int32(pos), int32(next)}
		pos = next
	}
	f.spans = f.spans[:n]
	if end := max(pos, far); f.bad == rule.None && end < len(b) && !f.plan.known {
		f.bad, f.at = rule.PAY003, end
	}
}

// walker moves over the fields of a payload.
type walker struct {
	b       []byte
	pos     int
	far     int // end of what locators point at
	bad     rule.ID
	badPos  int
	partial bool // the value that does not fit can be given as far as it goes
	hole    bool // the value cannot be given, what follows can
}

func (w *walker) fail(id rule.ID, pos int) bool {
	if w.bad == rule.None {
		w.bad, w.badPos = id, pos
	}
	return false
}

// walk moves over one value. list are the nodes it stands among, the first of
// them at listStart.
func (w *walker) walk(n *node, list []node, listStart int) bool {
	if n.size >= 0 {
		if n.size > len(w.b)-w.pos {
			return w.fail(rule.PAY001, w.pos)
		}
		w.pos += n.size
		return true
	}
	switch n.code {
	case wire.NullTerminatedUTF16String:
		return w.utf16z()
	case wire.Array:
		return w.array(n, list, listStart)
	case wire.Object:
		start := w.pos
		for i := range n.fields {
			if !w.walk(&n.fields[i], n.fields, start) {
				return false
			}
		}
		return true
	case wire.VarInt, wire.VarUInt:
		_, next := wire.VarUint64(w.b, w.pos)
		return w.step(next, rule.PAY010)
	case wire.FixedLengthArray:
		return w.elements(n.element, int(n.declared.Count))
	case wire.RelLoc, wire.DataLoc:
		return w.locator(n)
	case wire.CountedUTF8String:
		count, next := wire.Uint16(w.b, w.pos)
		if !w.step(next, rule.PAY001) {
			return false
		}
		return w.step(wire.Skip(w.b, w.pos, int(count)), rule.PAY008)
	case wire.NullTerminatedUTF8String:
		return w.utf8z()
	}
	return w.fail(rule.PAY001, w.pos)
}

// step accepts a position behind a value.
func (w *walker) step(next int, id rule.ID) bool {
	if next >= 0 {
		w.pos = next
		return true
	}
	if next == wire.PastEnd && id == rule.PAY010 {
		id = rule.PAY001
	}
	return w.fail(id, w.pos)
}

// utf16z moves over zero-terminated UTF-16. Text without an end goes to the end
// of the payload and does not fit.
func (w *walker) utf16z() bool {
	if w.pos >= len(w.b) {
		return w.fail(rule.PAY001, w.pos)
	}
	end := indexZeroUnit(w.b[w.pos:])
	if end < 0 {
		start := w.pos
		w.pos = len(w.b)
		w.partial = true
		return w.fail(rule.PAY006, start)
	}
	w.pos += end + 2
	return true
}

func (w *walker) utf8z() bool {
	for i := w.pos; i < len(w.b); i++ {
		if w.b[i] == 0 {
			w.pos = i + 1
			return true
		}
	}
	start := w.pos
	if start < len(w.b) {
		w.pos, w.partial = len(w.b), true
		return w.fail(rule.PAY006, start)
	}
	return w.fail(rule.PAY001, start)
}

// array moves over an array with a count of 2 bytes, or one that an earlier
// field of its list counts.
func (w *walker) array(n *node, list []node, listStart int) bool {
	if from := n.declared.CountField; from > 0 {
		count := countAt(w.b, list, listStart, from-1)
		return w.elements(n.element, count)
	}
	count, next := wire.Uint16(w.b, w.pos)
	if !w.step(next, rule.PAY001) {
		return false
	}
	return w.elements(n.element, int(count))
}

// elements moves over count values. Each is taken to need a byte, so that a
// count alone costs nothing.
func (w *walker) elements(n *node, count int) bool {
	if count < 0 || int64(count)*int64(max(n.size, 1)) > int64(len(w.b)-w.pos) {
		return w.fail(rule.PAY008, w.pos)
	}
	if n.size >= 0 {
		w.pos += count * n.size
		return true
	}
	for ; count > 0; count-- {
		if !w.walk(n, nil, w.pos) {
			return false
		}
	}
	return true
}

// locator moves over a locator and checks what it points at. A bad one does
// not hinder the fields behind it.
//
// Spec: "TypeCode", RelLoc and DataLoc.
func (w *walker) locator(n *node) bool {
	at := w.pos
	v, next := wire.Uint32(w.b, w.pos)
	if !w.step(next, rule.PAY001) {
		return false
	}
	start, end := located(n.code, v, w.pos)
	id := rule.None
	switch {
	case end > len(w.b) && n.code == wire.RelLoc:
		id = rule.PAY011
	case end > len(w.b):
		id = rule.PAY012
	case n.element.size > 0 && (end-start)%n.element.size != 0:
		id = rule.PAY013
	}
	if id != rule.None {
		w.hole = true
		w.fail(id, at)
		return true
	}
	w.far = max(w.far, end)
	return true
}

// located is the range that a locator whose field ends at pos points at.
func located(code wire.TypeCode, v uint32, pos int) (start, end int) {
	start = int(v & 0xFFFF)
	if code == wire.RelLoc {
		start += pos
	}
	return start, start + int(v>>16)
}

// countAt reads the number in field i of a list that starts at pos.
func countAt(b []byte, list []node, pos, i int) int {
	w := walker{b: b, pos: pos}
	for j := range list[:min(i, len(list))] {
		if !w.walk(&list[j], list, pos) {
			return -1
		}
	}
	if i >= len(list) {
		return -1
	}
	v := Value{&fieldsView{payload: b}, &list[i], int32(w.pos), int32(min(len(b), w.pos+max(list[i].size, 0)))}
	count := v.Uint64()
	if !v.whole() || count > uint64(len(b)) {
		return -1
	}
	return int(count)
}

// indexZeroUnit returns the position of the first zero UTF-16 code unit in b,
// or -1. It looks at four units at a time.
func indexZeroUnit(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if (x-0x0001000100010001)&^x&0x8000800080008000 != 0 {
			break
		}
	}
	for ; i+2 <= len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return i
		}
	}
	return -1
}
