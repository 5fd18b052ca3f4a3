package profile

import (
	"encoding/binary"
	"math"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// payload reads the fields of a runtime's event in order. Their layout is that of
// the manifest in package clr. The positions are constants here, because a lookup
// by name for each of a million events takes longer than everything else. A field
// past the end is zero and sets short.
type payload struct {
	b       []byte
	pointer int
	short   bool
}

// take returns the next n bytes, nil when they are not there.
func (p *payload) take(n int) []byte {
	if n > len(p.b) {
		p.b, p.short = nil, true
		return nil
	}
	head := p.b[:n]
	p.b = p.b[n:]
	return head
}

func (p *payload) u8() uint8 {
	if b := p.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (p *payload) u16() uint16 {
	if b := p.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (p *payload) u32() uint32 {
	if b := p.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (p *payload) u64() uint64 {
	if b := p.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (p *payload) f64() float64 { return math.Float64frombits(p.u64()) }

func (p *payload) ptr() uint64 {
	if p.pointer == 4 {
		return uint64(p.u32())
	}
	return p.u64()
}

// utf16 returns the units of a string that ends with a zero, without it.
func (p *payload) utf16() []byte {
	for i := 0; i+1 < len(p.b); i += 2 {
		if p.b[i] == 0 && p.b[i+1] == 0 {
			units := p.b[:i]
			p.b = p.b[i+2:]
			return units
		}
	}
	units := p.b[:len(p.b)&^1]
	p.b, p.short = nil, true
	return units
}

// varuint reads a number of variable length.
func (p *payload) varuint() uint64 {
	x, next := wire.VarUint64(p.b, 0)
	if next < 0 {
		p.b, p.short = nil, true
		return 0
	}
	p.b = p.b[next:]
	return x
}
