package codec

import (
	"encoding/binary"
	"math/bits"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// fit says how a value stands in the payload.
type fit uint8

const (
	whole   fit = iota
	hole        // the value cannot be given, what follows can
	partial     // the value is given as far as it goes, nothing follows
	short       // there is no value, and nothing follows
)

// pass moves over a field of the outermost list that stands at pos, and returns
// where it ends. Zero-terminated UTF-16 is most of what has no fixed size, and
// taken here; the walker takes the others.
//
// Spec: "Event block", payload; "FieldDescriptions".
func (f *fieldsView) pass(n *node, pos int) (int, fit) {
	if n.code == wire.NullTerminatedUTF16String && pos < len(f.payload) {
		b, start := f.payload[pos:], pos
		for len(b) >= 16 && !holdsZeroUnit(b) {
			b, start = b[16:], start+16
		}
		if length := indexZeroUnit(b); length >= 0 {
			return start + length + 2, whole
		}
	}
	if n.code == wire.Array && n.element.size > 0 {
		if end := f.passArray(n, pos); end >= 0 {
			return end, whole
		}
	}
	w := walker{b: f.payload, pos: pos}
	fits := w.field(n, f.nodes)
	return w.pos, fits
}

// passArray moves over an array whose elements all take the same, -1 when it is
// not whole.
func (f *fieldsView) passArray(n *node, pos int) int {
	count, start := -1, pos
	if from := n.declared.CountField; from > 0 {
		count = countAt(f.payload, f.nodes, 0, from-1, n.counter)
	} else if pos+2 <= len(f.payload) {
		count, start = int(binary.LittleEndian.Uint16(f.payload[pos:])), pos+2
	}
	if count < 0 || count > (len(f.payload)-start)/n.element.size {
		return -1
	}
	return start + count*n.element.size
}

// try reads the payload to its end to find out whether it fits.
func (f *fieldsView) try() {
	w, fits := walker{b: f.payload}, whole
	for i := 0; i < len(f.nodes) && fits <= hole; i++ {
		fits = w.field(&f.nodes[i], f.nodes)
	}
	if end := max(w.pos, w.far); w.bad == rule.None && len(f.nodes) > 0 && end < len(f.payload) && !f.plan.known {
		w.fail(rule.PAY003, end)
	}
	f.bad, f.at, f.tried = w.bad, w.badPos, true
}

// holdsZeroUnit says whether one of the first eight UTF-16 code units of b is
// zero.
func holdsZeroUnit(b []byte) bool {
	x, y := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return ((x-0x0001000100010001)&^x|(y-0x0001000100010001)&^y)&0x8000800080008000 != 0
}

// indexZeroUnit returns the position of the first zero UTF-16 code unit in b,
// or -1. It looks at four units at a time.
func indexZeroUnit(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		// The lowest bit that is left stands in the first unit that is zero.
		if zero := (x - 0x0001000100010001) &^ x & 0x8000800080008000; zero != 0 {
			return i + bits.TrailingZeros64(zero)/16*2
		}
	}
	for ; i+2 <= len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return i
		}
	}
	return -1
}
