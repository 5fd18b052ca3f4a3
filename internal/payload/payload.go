// Package payload reads the fields of the .NET runtime's native events in order.
package payload

import (
	"encoding/binary"
	"math"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Reader reads the fields of an event in order. Their layout is that of the
// manifest in package clr. The callers know the types of the fields, because a
// lookup by name for each of a million events takes longer than everything else.
// A field past the end is zero and sets Short.
type Reader struct {
	b       []byte
	pointer int
	short   bool
}

// New returns a Reader of a payload. pointerSize is that of the trace.
func New(b []byte, pointerSize int) Reader { return Reader{b: b, pointer: pointerSize} }

// Short reports whether a field was past the end of the payload.
func (p *Reader) Short() bool { return p.short }

// Len returns the number of bytes that have not been read.
func (p *Reader) Len() int { return len(p.b) }

// Skip reads n bytes.
func (p *Reader) Skip(n int) { p.take(n) }

// take returns the next n bytes, nil when they are not there.
func (p *Reader) take(n int) []byte {
	if n > len(p.b) {
		p.b, p.short = nil, true
		return nil
	}
	head := p.b[:n]
	p.b = p.b[n:]
	return head
}

// U8 reads a number of one byte.
func (p *Reader) U8() uint8 {
	if b := p.take(1); b != nil {
		return b[0]
	}
	return 0
}

// U16 reads a number of two bytes.
func (p *Reader) U16() uint16 {
	if b := p.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// U32 reads a number of four bytes.
func (p *Reader) U32() uint32 {
	if b := p.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads a number of eight bytes.
func (p *Reader) U64() uint64 {
	if b := p.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// F64 reads a Double.
func (p *Reader) F64() float64 { return math.Float64frombits(p.U64()) }

// Pointer reads a pointer of the trace.
func (p *Reader) Pointer() uint64 {
	if p.pointer == 4 {
		return uint64(p.U32())
	}
	return p.U64()
}

// UTF16 returns the units of a string that ends with a zero, without it.
func (p *Reader) UTF16() []byte {
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

// VarUint reads a number of variable length.
func (p *Reader) VarUint() uint64 {
	x, next := wire.VarUint64(p.b, 0)
	if next < 0 {
		p.b, p.short = nil, true
		return 0
	}
	p.b = p.b[next:]
	return x
}
