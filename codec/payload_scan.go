package codec

import (
	"encoding/binary"
	"math/bits"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// fit is how a value fits the payload.
type fit uint8

const (
	complete fit = iota
	hole         // the value cannot be read, the next ones can
	partial      // the value is truncated, nothing follows
	short        // no value, and nothing follows
)

// pass moves over a field of the outermost list at pos, and returns its end. It
// handles zero-terminated UTF-16, which is most of the fields without a fixed
// size; the walker handles the others.
//
// Spec: "Event block", payload; "FieldDescriptions".
func (f *fieldsView) pass(n *node, pos int) (int, fit) {
	if n.code == wire.NullTerminatedUTF16String && pos < len(f.payload) {
		if size := sizeUTF16(f.payload[pos:]); size >= 0 {
			return pos + size, complete
		}
	}
	if n.code == wire.Array && n.element.size > 0 {
		if end := f.passArray(n, pos); end >= 0 {
			return end, complete
		}
	}
	w := walker{b: f.payload, pos: pos}
	fits := w.field(n, f.nodes)
	return w.pos, fits
}

// passArray moves over an array whose elements have one size. It returns -1 when
// the array is truncated.
func (f *fieldsView) passArray(n *node, pos int) int {
	count, start := -1, pos
	if from := n.declared.CountField; from > 0 {
		count = countAt(f.payload, f.nodes, 0, from-1, int(n.counter))
	} else if pos+2 <= len(f.payload) {
		count, start = int(binary.LittleEndian.Uint16(f.payload[pos:])), pos+2
	}
	if count < 0 || count > (len(f.payload)-start)/int(n.element.size) {
		return -1
	}
	return start + count*int(n.element.size)
}

// try reads the payload to its end to find out whether it fits.
func (f *fieldsView) try() {
	w, fits := walker{b: f.payload}, complete
	for i := 0; i < len(f.nodes) && fits <= hole; i++ {
		fits = w.field(&f.nodes[i], f.nodes)
	}
	if end := max(w.pos, w.far); w.bad == rule.None && len(f.nodes) > 0 && end < len(f.payload) && !f.plan.known {
		w.fail(rule.PAY003, end)
	}
	f.bad, f.at, f.tried = w.bad, w.badPos, true
}

// sizeUTF16 returns the size of the zero-terminated UTF-16 at the start of b, or -1
// without a zero unit. It tests sixteen units at a time, with one branch for all of them,
// and bytes after b up to its capacity.
func sizeUTF16(b []byte) int {
	i, all := 0, b[:cap(b)]
	for ; i+32 <= len(all); i += 32 {
		word := all[i : i+32]
		x, y := zeroUnits(binary.LittleEndian.Uint64(word)), zeroUnits(binary.LittleEndian.Uint64(word[8:]))
		z, w := zeroUnits(binary.LittleEndian.Uint64(word[16:])), zeroUnits(binary.LittleEndian.Uint64(word[24:]))
		if x|y|z|w != 0 {
			end := i + 2*bits.TrailingZeros64((x>>15|y>>11|z>>7|w>>3)*gatherUnits>>48) + 2
			if end > len(b) {
				return -1
			}
			return end
		}
		if i+32 >= len(b) {
			return -1
		}
	}
	for ; i+2 <= len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return i + 2
		}
	}
	return -1
}

// zeroUnits has the highest bit of each of four units that is zero, and maybe of those
// above the first.
func zeroUnits(x uint64) uint64 { return (x - 0x0001000100010001) &^ x & 0x8000800080008000 }

// gatherUnits moves bit 16 u + 4 w of a product, which is of unit u of word w, to bit
// 48 + 4 w + u. No two bits meet below.
const gatherUnits = 1<<48 | 1<<33 | 1<<18 | 1<<3
