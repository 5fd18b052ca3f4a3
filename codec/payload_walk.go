package codec

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// walker moves over the fields of a payload.
type walker struct {
	b       []byte
	pos     int
	far     int // end of the ranges of locators
	bad     rule.ID
	badPos  int
	partial bool // the value that does not fit can be read in part
	hole    bool // the value cannot be read, the next ones can
}

// field moves over a field of the outermost list.
func (w *walker) field(n *node, list []node) fit {
	w.hole = false
	switch ok := w.walk(n, list, 0); {
	case ok && w.hole:
		return hole
	case ok:
		return complete
	case w.partial:
		return partial
	}
	return short
}

func (w *walker) fail(id rule.ID, pos int) bool {
	if w.bad == rule.None {
		w.bad, w.badPos = id, pos
	}
	return false
}

// walk moves over one value. list are the nodes of its list, the first of them at
// listStart.
func (w *walker) walk(n *node, list []node, listStart int) bool {
	if n.size >= 0 {
		if int(n.size) > len(w.b)-w.pos {
			return w.fail(rule.PAY001, w.pos)
		}
		w.pos += int(n.size)
		return true
	}
	switch n.code {
	case wire.NullTerminatedUTF16String:
		return w.utf16z()
	case wire.Array:
		return w.array(n, list, listStart)
	case wire.Object:
		start := w.pos
		fields := *n.fields
		for i := range fields {
			if !w.walk(&fields[i], fields, start) {
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

// step accepts a position after a value.
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

// utf16z moves over zero-terminated UTF-16. Text without an end extends to the
// end of the payload and does not fit.
func (w *walker) utf16z() bool {
	if w.pos >= len(w.b) {
		return w.fail(rule.PAY001, w.pos)
	}
	size := sizeUTF16(w.b[w.pos:])
	if size < 0 {
		start := w.pos
		w.pos = len(w.b)
		w.partial = true
		return w.fail(rule.PAY006, start)
	}
	w.pos += size
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
		return w.elements(n.element, countAt(w.b, list, listStart, from-1, int(n.counter)))
	}
	count, next := wire.Uint16(w.b, w.pos)
	if !w.step(next, rule.PAY001) {
		return false
	}
	return w.elements(n.element, int(count))
}

// elements moves over count values. Each needs a byte, so that a count alone
// costs nothing: objects without fields are not counted out.
func (w *walker) elements(n *node, count int) bool {
	if count < 0 || int64(count)*int64(max(n.size, 1)) > int64(len(w.b)-w.pos) || count > 0 && n.size == 0 {
		return w.fail(rule.PAY008, w.pos)
	}
	if n.size >= 0 {
		w.pos += count * int(n.size)
		return true
	}
	for ; count > 0; count-- {
		if !w.walk(n, nil, w.pos) {
			return false
		}
	}
	return true
}

// locator moves over a locator and checks its range. A bad one does not affect
// the next fields.
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
	case !n.element.divides(end - start):
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

// divides reports whether size bytes can hold an integral number of values.
func (n *node) divides(size int) bool {
	return n.size < 0 || size == 0 || n.size > 0 && size%int(n.size) == 0
}

// located is the range of a locator whose field ends at pos.
func located(code wire.TypeCode, v uint32, pos int) (start, end int) {
	start = int(v & 0xFFFF)
	if code == wire.RelLoc {
		start += pos
	}
	return start, start + int(v>>16)
}

// countAt reads the number in field i of a list that starts at pos, -1 without
// one. offset is that of the field in the list, if it is known.
func countAt(b []byte, list []node, pos, i, offset int) int {
	if i >= len(list) || !list[i].integer || offset > len(b)-pos {
		return -1
	}
	at, n := pos+offset, &list[i]
	if offset < 0 {
		w := walker{b: b, pos: pos}
		for j := range list[:i] {
			if !w.walk(&list[j], list, pos) {
				return -1
			}
		}
		at = w.pos
	}
	if int(n.size) > len(b)-at {
		return -1
	}
	var word uint64
	if all := b[:cap(b)]; at+8 <= len(all) { // a copy of 4 bytes, and then a load of 8, would stall
		word = binary.LittleEndian.Uint64(all[at : at+8])
	} else {
		var last [8]byte
		copy(last[:], b[at:at+int(n.size)])
		word = binary.LittleEndian.Uint64(last[:])
	}
	if count := n.extend(word); count <= uint64(len(b)) {
		return int(count)
	}
	return -1
}
