package check

import (
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// cursor walks over the rows of a block field by field. The first read that
// fails sets bad and at; those behind it give zero.
type cursor struct {
	b   []byte
	pos int
	bad rule.ID
	at  int  // where the field that is wrong begins
	was int  // where the field read last begins
	end bool // it is wrong because b ends
}

func (c *cursor) done() bool { return c.bad != rule.None || c.pos >= len(c.b) }

func (c *cursor) fail(id rule.ID, at int) {
	if c.bad == rule.None {
		c.bad, c.at = id, at
	}
}

// slack fails because bytes are left. In a block that the stream cuts they may
// be those of the blocks behind it.
func (c *cursor) slack(id rule.ID) {
	c.end = true
	c.fail(id, c.pos)
}

// step accepts the end of a field.
func (c *cursor) step(next int, id rule.ID) bool {
	c.was = c.pos
	switch {
	case c.bad != rule.None:
	case next >= 0:
		c.pos = next
		return true
	case next == wire.TooLarge:
		c.fail(rule.CMP002, c.pos)
	default:
		c.end = true
		c.fail(id, c.pos)
	}
	return false
}

// large is step for a 64-bit number, which breaks tooLarge when it does not fit.
func (c *cursor) large(next int, id, tooLarge rule.ID) bool {
	if next != wire.TooLarge {
		return c.step(next, id)
	}
	c.was = c.pos
	c.fail(tooLarge, c.pos)
	return false
}

// read takes the value that decode finds, or the zero value when there is none.
func read[T any](c *cursor, id rule.ID, decode func(b []byte, pos int) (T, int)) (none T) {
	v, next := decode(c.b, c.pos)
	if c.step(next, id) {
		return v
	}
	return none
}

func (c *cursor) byte(id rule.ID) byte        { return read(c, id, wire.Byte1) }
func (c *cursor) uint16(id rule.ID) uint16    { return read(c, id, wire.Uint16) }
func (c *cursor) uint32(id rule.ID) uint32    { return read(c, id, wire.Uint32) }
func (c *cursor) uint64(id rule.ID) uint64    { return read(c, id, wire.Uint64) }
func (c *cursor) varUint32(id rule.ID) uint32 { return read(c, id, wire.VarUint32) }
func (c *cursor) guid(id rule.ID) wire.GUID   { return read(c, id, wire.ReadGUID) }

func (c *cursor) varUint64(id rule.ID) uint64 {
	v, next := wire.VarUint64(c.b, c.pos)
	if c.large(next, id, rule.CMP003) {
		return v
	}
	return 0
}

// text reads a string of v6.
func (c *cursor) text(id rule.ID) []byte {
	v, next := wire.String(c.b, c.pos)
	if c.step(next, id) {
		return v
	}
	return nil
}

// utf16z reads a zero-terminated string.
func (c *cursor) utf16z(id rule.ID) []byte {
	v, next := wire.UTF16Z(c.b, c.pos)
	if c.step(next, id) {
		return v
	}
	return nil
}

// sub returns a cursor over the next n bytes and passes over them.
func (c *cursor) sub(n int, id rule.ID) cursor {
	start := c.pos
	if !c.step(wire.Skip(c.b, c.pos, n), id) {
		return cursor{bad: c.bad, at: c.at}
	}
	return cursor{b: c.b[:c.pos:c.pos], pos: start}
}

// overlong says whether the variable-length number that ends before next has
// superfluous zeros at its end.
func overlong(b []byte, start, next int) bool {
	return next-start > 1 && b[next-1] == 0
}

// flaws of a text.
type flaws uint8

const (
	notUTF8 flaws = 1 << iota
	control
)

// look finds the flaws of UTF-8 text: control characters are those besides tab
// and line ends.
func look(text []byte) (f flaws) {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && n == 1 {
				return f | notUTF8
			}
			i += n - 1
		case b < ' ' && b != '\t' && b != '\n' && b != '\r':
			f |= control
		}
	}
	return f
}
