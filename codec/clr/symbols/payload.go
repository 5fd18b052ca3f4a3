package symbols

import (
	"strings"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// payload reads the fields of a payload in order. After the end all numbers are 0
// and texts empty.
type payload struct {
	b   []byte
	pos int // negative once something did not fit
}

// bad reports that a field did not fit.
func (p *payload) bad() bool { return p.pos < 0 }

func (p *payload) skip(n int) { p.pos = wire.Skip(p.b, p.pos, n) }

func (p *payload) uint64() (v uint64) {
	v, p.pos = wire.Uint64(p.b, p.pos)
	return v
}

func (p *payload) uint16() (v uint16) {
	v, p.pos = wire.Uint16(p.b, p.pos)
	return v
}

func (p *payload) uint32() (v uint32) {
	v, p.pos = wire.Uint32(p.b, p.pos)
	return v
}

func (p *payload) guid() (g wire.GUID) {
	g, p.pos = wire.ReadGUID(p.b, p.pos)
	return g
}

func (p *payload) varuint() (v uint64) {
	if !p.bad() {
		v, p.pos = wire.VarUint64(p.b, p.pos)
	}
	return v
}

// counted reads UTF-8 text after its length in two bytes.
func (p *payload) counted() []byte {
	n, start := wire.Uint16(p.b, p.pos)
	if p.pos = wire.Skip(p.b, start, int(n)); p.bad() {
		return nil
	}
	return p.b[start:p.pos]
}

// appendText reads UTF-16 text up to its zero, and appends it as UTF-8.
func (p *payload) appendText(dst []byte) []byte {
	units, next := wire.UTF16Z(p.b, p.pos)
	p.pos = next
	return wire.AppendUTF16(dst, units)
}

// valid makes text that can be printed of text that may not be UTF-8.
func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
