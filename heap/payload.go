package heap

import "github.com/nettrace-go/nettrace/codec/wire"

// payload reads the fields of a payload in order. After the end all numbers are 0.
type payload struct {
	b       []byte
	pos     int // negative once a field did not fit
	pointer int // size of a pointer
}

// bad reports that a field did not fit.
func (p *payload) bad() bool { return p.pos < 0 }

// left returns the number of bytes that were not read.
func (p *payload) left() int {
	if p.bad() {
		return 0
	}
	return len(p.b) - p.pos
}

func (p *payload) skip(n int) { p.pos = wire.Skip(p.b, p.pos, n) }

func (p *payload) uint8() (v uint8) {
	v, p.pos = wire.Byte1(p.b, p.pos)
	return v
}

func (p *payload) uint32() (v uint32) {
	v, p.pos = wire.Uint32(p.b, p.pos)
	return v
}

func (p *payload) uint64() (v uint64) {
	v, p.pos = wire.Uint64(p.b, p.pos)
	return v
}

// address reads a pointer of the trace.
func (p *payload) address() uint64 {
	if p.pointer == 4 {
		return uint64(p.uint32())
	}
	return p.uint64()
}

// text reads UTF-16 text up to its zero.
func (p *payload) text() string {
	units, next := wire.UTF16Z(p.b, p.pos)
	if p.pos = next; p.bad() {
		return ""
	}
	return string(wire.AppendUTF16(nil, units))
}
