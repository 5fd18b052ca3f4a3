package check

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// oddity is something about a value of a payload that fits.
type oddity uint8

const (
	oddBoolean oddity = iota
	oddText
	oddUTF8
	oddDate
	oddGUID
	oddFloat
	oddLocator
	oddities
)

// oddityRules are the rules that the oddities break.
var oddityRules = [oddities]rule.ID{
	oddBoolean: rule.PAY005, oddText: rule.PAY007, oddUTF8: rule.PAY009, oddDate: rule.PAY015, oddGUID: rule.PAY016,
	oddFloat: rule.PAY018, oddLocator: rule.PAY014,
}

const mostLocators = 8

// walk walks over one payload.
type walk struct {
	b      []byte
	pos    int
	far    int // end of the ranges of locators
	bad    rule.ID
	at     int
	odd    bool
	counts [oddities]int32
	first  [oddities]int32

	locators [mostLocators][3]int // start and end of their ranges, and their own positions
	located  int
	locator  rule.ID // the fault of a locator, whose bytes have no other meaning
	where    int
}

func (w *walk) reset(b []byte) {
	w.b, w.pos, w.far, w.bad, w.located, w.locator = b, 0, 0, rule.None, 0, rule.None
	if w.odd {
		w.odd, w.counts = false, [oddities]int32{}
	}
}

func (w *walk) note(o oddity, at int) {
	if w.odd = true; w.counts[o] == 0 {
		w.first[o] = int32(at)
	}
	w.counts[o]++
}

func (w *walk) fail(id rule.ID, at int) bool {
	if w.bad == rule.None {
		w.bad, w.at = id, at
	}
	return false
}

// fits reports whether the moves consume the payload exactly.
func (w *walk) fits(moves []move) bool {
	if !w.run(moves) {
		return false
	}
	if end := max(w.pos, w.far); end < len(w.b) && len(moves) > 0 {
		return w.fail(rule.PAY003, end)
	}
	if w.located > 0 {
		w.overlaps()
	}
	return true
}

// run runs the moves.
func (w *walk) run(moves []move) bool {
	for i := range moves {
		m := &moves[i]
		if w.pos >= len(w.b) && (m.size > 0 || m.action == text16) {
			return w.fail(rule.PAY001, w.pos)
		}
		if !w.one(m) {
			return false
		}
	}
	return true
}

func (w *walk) one(m *move) bool {
	if m.size > len(w.b)-w.pos && m.action != array && m.action != fixed {
		return w.short(m)
	}
	at := w.pos
	switch m.action {
	case pass:
		w.pos += m.size
	case text16:
		return w.text()
	case boolean:
		if w.pos += m.size; w.b[at] > 1 || m.size == 4 && binary.LittleEndian.Uint32(w.b[at:]) > 1 {
			w.note(oddBoolean, at)
		}
	case date:
		w.pos += m.size
		w.date(m, at)
	case guid:
		w.pos += m.size
		if wire.GUID(w.b[at : at+16]).IsZero() {
			w.note(oddGUID, at)
		}
	case float:
		w.pos += m.size
		w.float(m, at)
	case number:
		return w.number()
	case array:
		return w.array(m)
	case fixed:
		return w.elements(m, m.count, at)
	case locator:
		w.follow(m)
	case units8, units16:
		n, next := wire.Uint16(w.b, w.pos)
		if next < 0 {
			return w.fail(rule.PAY008, at)
		}
		w.pos = next
		return w.units(int(n), m.action == units16, next)
	case fixedUnits8, fixedUnits16:
		return w.units(m.count, m.action == fixedUnits16, at)
	case object:
		return w.run(m.list)
	}
	return true
}

// short describes the field before or inside of which the payload ends.
func (w *walk) short(m *move) bool {
	at := w.pos
	for _, part := range m.parts {
		if at+part > len(w.b) {
			break
		}
		at += part
	}
	return w.fail(rule.PAY001, at)
}

// text reads UTF-16 to its terminator. It reads four printable ASCII units at a
// time.
func (w *walk) text() bool {
	const (
		notASCII = 0xFF80FF80FF80FF80
		controls = 0x0020002000200020
		borrow   = 0x8000800080008000
	)
	b, i, start := w.b, w.pos, w.pos
	for i+2 <= len(b) {
		if i+8 <= len(b) {
			if x := binary.LittleEndian.Uint64(b[i:]); x&notASCII == 0 && (x-controls)&borrow == 0 {
				i += 8
				continue
			}
		}
		u := binary.LittleEndian.Uint16(b[i:])
		switch {
		case u == 0:
			w.pos = i + 2
			return true
		case u >= 0xD800 && u < 0xE000:
			if next := i + 2; u < 0xDC00 && next+2 <= len(b) && b[next+1]&0xFC == 0xDC {
				i = next
			} else {
				w.note(oddText, i)
			}
		case u < ' ' && u != '\t' && u != '\n' && u != '\r':
			w.note(oddText, i)
		}
		i += 2
	}
	return w.fail(rule.PAY006, start)
}

func (w *walk) date(m *move, at int) {
	if m.size == wire.SystemTimeSize {
		if _, ok := wire.SystemTime(w.b[at:]); !ok {
			w.note(oddDate, at)
		}
	} else if _, ok := wire.FileTime(binary.LittleEndian.Uint64(w.b[at:])); !ok {
		w.note(oddDate, at)
	}
}

func (w *walk) float(m *move, at int) {
	const exponent4, exponent8 = 0x7F800000, 0x7FF0000000000000
	if m.size == 4 && binary.LittleEndian.Uint32(w.b[at:])&exponent4 == exponent4 ||
		m.size == 8 && binary.LittleEndian.Uint64(w.b[at:])&exponent8 == exponent8 {
		w.note(oddFloat, at)
	}
}

func (w *walk) number() bool {
	_, next := wire.VarUint64(w.b, w.pos)
	switch next {
	case wire.PastEnd:
		return w.fail(rule.PAY001, w.pos)
	case wire.TooLarge:
		return w.fail(rule.PAY010, w.pos)
	}
	w.pos = next
	return true
}

func (w *walk) array(m *move) bool {
	at := w.pos
	n, next := wire.Uint16(w.b, w.pos)
	if next < 0 {
		if at >= len(w.b) {
			return w.fail(rule.PAY001, at)
		}
		return w.fail(rule.PAY008, at)
	}
	w.pos = next
	return w.elements(m, int(n), next)
}

// elements reads count values of an array that starts at at. Each must have a
// byte, so that a count alone costs nothing: empty objects are not counted out.
func (w *walk) elements(m *move, count, at int) bool {
	if int64(count)*int64(m.least) > int64(len(w.b)-w.pos) || count > 0 && m.least == 0 {
		return w.fail(rule.PAY008, at)
	}
	if m.size > 0 {
		w.pos += count * m.size
		return true
	}
	for range count {
		if !w.run(m.list) {
			if w.bad == rule.PAY001 {
				w.bad, w.at = rule.PAY008, at
			}
			return false
		}
	}
	return true
}

// units reads count code units of an array that starts at at.
func (w *walk) units(count int, wide bool, at int) bool {
	size := count
	if wide {
		size *= 2
	}
	if size > len(w.b)-w.pos {
		return w.fail(rule.PAY008, at)
	}
	text := w.b[w.pos : w.pos+size]
	w.pos += size
	switch {
	case !wide && !utf8.Valid(text):
		w.note(oddUTF8, at)
	case wide && unpaired(text) >= 0:
		w.note(oddText, at)
	}
	return true
}

// follow checks the range of a locator. A bad one does not affect the next
// fields.
//
// Spec: "MetadataBlock", RelLoc and DataLoc.
func (w *walk) follow(m *move) {
	at := w.pos
	v := binary.LittleEndian.Uint32(w.b[at:])
	w.pos += 4
	start, size, past := int(v&0xFFFF), int(v>>16), rule.PAY012
	if m.rel {
		start, past = start+w.pos, rule.PAY011
	}
	id := rule.None
	switch {
	case start+size > len(w.b):
		id = past
	case m.least > 0 && size%m.least != 0:
		id = rule.PAY013
	default:
		w.far = max(w.far, start+size)
		if size > 0 && w.located < mostLocators {
			w.locators[w.located] = [3]int{start, start + size, at}
			w.located++
		}
	}
	if id != rule.None {
		w.far = len(w.b) // the locator may mean the remaining bytes
		if w.locator == rule.None {
			w.locator, w.where = id, at
		}
	}
}

// overlaps looks for locators whose ranges overlap the fields or each other.
func (w *walk) overlaps() {
	for i, a := range w.locators[:w.located] {
		if a[0] < w.pos {
			w.note(oddLocator, a[2])
			return
		}
		for _, b := range w.locators[:i] {
			if a[0] < b[1] && b[0] < a[1] {
				w.note(oddLocator, b[2])
				return
			}
		}
	}
}

// unpaired is the position of an unpaired surrogate in UTF-16 text, or -1.
func unpaired(units []byte) int {
	const notASCII = 0xFF80FF80FF80FF80
	i := 0
	for i+8 <= len(units) && binary.LittleEndian.Uint64(units[i:])&notASCII == 0 {
		i += 8
	}
	for ; i+2 <= len(units); i += 2 {
		switch high := units[i+1] & 0xFC; {
		case high == 0xD8 && i+4 <= len(units) && units[i+3]&0xFC == 0xDC:
			i += 2
		case high == 0xD8 || high == 0xDC:
			return i
		}
	}
	return -1
}
