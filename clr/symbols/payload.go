package symbols

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// payload reads the fields of a payload one after another. Behind the end all
// numbers are 0 and texts empty, and short is set.
type payload struct {
	rest  []byte
	short bool
}

// skip passes over n bytes.
func (p *payload) skip(n int) {
	if len(p.rest) < n {
		p.rest, p.short = nil, true
		return
	}
	p.rest = p.rest[n:]
}

func (p *payload) uint64() uint64 {
	b := p.rest
	if p.skip(8); p.short {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (p *payload) uint32() uint32 {
	b := p.rest
	if p.skip(4); p.short {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// varuint reads a number of at most ten bytes with seven bits each.
func (p *payload) varuint() uint64 {
	v, n := binary.Uvarint(p.rest)
	if p.skip(max(n, 0)); n <= 0 {
		p.rest, p.short = nil, true
	}
	return v
}

// counted reads UTF-8 text behind its length in two bytes.
func (p *payload) counted() []byte {
	b := p.rest
	if p.skip(2); p.short {
		return nil
	}
	n := int(binary.LittleEndian.Uint16(b))
	if p.skip(n); p.short {
		return nil
	}
	return b[2 : 2+n]
}

// Masks of four UTF-16 units in a word.
const (
	aboveASCII = 0xFF80FF80FF80FF80
	lowBits    = 0x0001000100010001
	highBits   = 0x8000800080008000
)

// appendText reads UTF-16 text that a zero unit ends, and appends it as UTF-8.
func (p *payload) appendText(dst []byte) []byte {
	b := p.rest
	for len(b) >= 8 {
		w := binary.LittleEndian.Uint64(b)
		if w&aboveASCII != 0 || (w-lowBits)&^w&highBits != 0 {
			break
		}
		dst = append(dst, byte(w), byte(w>>16), byte(w>>32), byte(w>>48))
		b = b[8:]
	}
	for len(b) >= 2 {
		unit := binary.LittleEndian.Uint16(b)
		b = b[2:]
		switch {
		case unit == 0:
			p.rest = b
			return dst
		case unit < utf8.RuneSelf:
			dst = append(dst, byte(unit))
		case utf16.IsSurrogate(rune(unit)) && len(b) >= 2:
			r := utf16.DecodeRune(rune(unit), rune(binary.LittleEndian.Uint16(b)))
			if r != utf8.RuneError {
				b = b[2:]
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = utf8.AppendRune(dst, rune(unit))
		}
	}
	p.rest, p.short = nil, true
	return dst
}

// skipText passes over such text.
func (p *payload) skipText() {
	b := p.rest
	at := 0
	for ; len(b)-at >= 8; at += 8 {
		w := binary.LittleEndian.Uint64(b[at:])
		if zero := (w - lowBits) &^ w & highBits; zero != 0 {
			p.rest = b[at+2*(bits.TrailingZeros64(zero)/16)+2:]
			return
		}
	}
	for ; len(b)-at >= 2; at += 2 {
		if b[at] == 0 && b[at+1] == 0 {
			p.rest = b[at+2:]
			return
		}
	}
	p.rest, p.short = nil, true
}
