package clr

import (
	"encoding/binary"
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// payload reads fields at positions. A field past the end is zero: an older
// version of the event does not have it, or the payload is cut.
type payload struct {
	b       []byte
	pointer int // size of a pointer
}

func payloadOf(ev *codec.Event) payload { return payload{ev.Payload(), ev.PointerSize()} }

// row returns the element of an array at a position.
func (p payload) row(at, i, size int) payload {
	if i < 0 || i >= (len(p.b)-at)/size {
		return payload{pointer: p.pointer}
	}
	at += i * size
	return payload{p.b[at : at+size], p.pointer}
}

func (p payload) u8(at int) uint8 {
	if at >= len(p.b) {
		return 0
	}
	return p.b[at]
}

func (p payload) u16(at int) uint16 {
	if at+2 > len(p.b) {
		return 0
	}
	return binary.LittleEndian.Uint16(p.b[at:])
}

func (p payload) u32(at int) uint32 {
	if at+4 > len(p.b) {
		return 0
	}
	return binary.LittleEndian.Uint32(p.b[at:])
}

func (p payload) u64(at int) uint64 {
	if at+8 > len(p.b) {
		return 0
	}
	return binary.LittleEndian.Uint64(p.b[at:])
}

func (p payload) bool(at int) bool   { return p.u32(at) != 0 }
func (p payload) i32(at int) int32   { return int32(p.u32(at)) }
func (p payload) f64(at int) float64 { return math.Float64frombits(p.u64(at)) }

func (p payload) ptr(at int) uint64 {
	if p.pointer == 4 {
		return uint64(p.u32(at))
	}
	return p.u64(at)
}

func (p payload) guid(at int) wire.GUID {
	g, _ := wire.ReadGUID(p.b, at)
	return g
}

// past is a position after the end, where no field is.
func (p payload) past() int { return len(p.b) + 1 }

// afterStr is the position after a string of UTF-16 units.
func (p payload) afterStr(at int) int {
	if _, next := wire.UTF16Z(p.b, at); next >= 0 {
		return next
	}
	return p.past()
}

// str returns the units of a string without its zero: the rest of the payload if
// that has none.
func (p payload) str(at, after int) []byte {
	switch {
	case after <= len(p.b):
		return p.b[at : after-2 : after-2]
	case at < len(p.b):
		return p.b[at : at+(len(p.b)-at)&^1]
	}
	return nil
}

// afterCounted is the position after text with its length in two bytes before it.
func (p payload) afterCounted(at int) int {
	n, start := wire.Uint16(p.b, at)
	if next := wire.Skip(p.b, start, int(n)); next >= 0 {
		return next
	}
	return p.past()
}

func (p payload) counted(at, after int) []byte {
	if after > len(p.b) {
		return nil
	}
	return p.b[at+2 : after : after]
}

// afterVarUint is the position after a number of variable length.
func (p payload) afterVarUint(at int) int {
	if _, next := wire.VarUint64(p.b, at); next >= 0 {
		return next
	}
	return p.past()
}

func (p payload) varuint(at, _ int) uint64 {
	v, _ := wire.VarUint64(p.b, at)
	return v
}

// encoder appends fields to a payload.
type encoder struct {
	b       []byte
	pointer int
}

func (e *encoder) u8(v uint8)   { e.b = append(e.b, v) }
func (e *encoder) u16(v uint16) { e.b = binary.LittleEndian.AppendUint16(e.b, v) }
func (e *encoder) u32(v uint32) { e.b = binary.LittleEndian.AppendUint32(e.b, v) }
func (e *encoder) u64(v uint64) { e.b = binary.LittleEndian.AppendUint64(e.b, v) }
func (e *encoder) i32(v int32)  { e.u32(uint32(v)) }

func (e *encoder) f64(v float64) { e.u64(math.Float64bits(v)) }

func (e *encoder) bool(v bool) {
	if v {
		e.u32(1)
	} else {
		e.u32(0)
	}
}

func (e *encoder) ptr(v uint64) {
	if e.pointer == 4 {
		e.u32(uint32(v))
	} else {
		e.u64(v)
	}
}

func (e *encoder) guid(v wire.GUID) { e.b = append(e.b, v[:]...) }
func (e *encoder) str(v string)     { e.b = wire.AppendUTF16Z(e.b, v) }
func (e *encoder) varuint(v uint64) { e.b = wire.AppendVarUint(e.b, v) }
func (e *encoder) counted(v string) { e.u16(uint16(len(v))); e.b = append(e.b, v...) }
