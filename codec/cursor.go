package codec

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// cursor reads the rows of a block that defines something. The first failing read
// sets bad and badPos and every later one returns zero, so that a row is read
// without a check after each field; the caller checks once at its end.
type cursor struct {
	b      []byte
	pos    int
	bad    rule.ID
	badPos int
	past   bool  // bad because b ended, or because bytes are left
	left   bool  // bad because bytes are left
	limit  error // bad because of a limit
}

// fail records the first fault.
func (c *cursor) fail(id rule.ID, pos int) {
	if c.bad == rule.None {
		c.bad, c.badPos = id, pos
	}
	c.pos = len(c.b)
}

// step accepts the result of a wire read that began at c.pos.
func (c *cursor) step(next int, id rule.ID) bool {
	if c.bad == rule.None && next >= 0 {
		c.pos = next
		return true
	}
	if c.bad == rule.None {
		c.past = next == wire.PastEnd
		if next == wire.TooLarge {
			id = rule.CMP002
		}
	}
	c.fail(id, c.pos)
	return false
}

// large is step for a 64-bit number, which breaks tooLarge when it does not fit.
func (c *cursor) large(next int, id, tooLarge rule.ID) bool {
	if next != wire.TooLarge || c.bad != rule.None {
		return c.step(next, id)
	}
	c.fail(tooLarge, c.pos)
	return false
}

func (c *cursor) byte(id rule.ID) byte {
	v, next := wire.Byte1(c.b, c.pos)
	if !c.step(next, id) {
		return 0
	}
	return v
}

func (c *cursor) uint16(id rule.ID) uint16 {
	v, next := wire.Uint16(c.b, c.pos)
	if !c.step(next, id) {
		return 0
	}
	return v
}

func (c *cursor) uint32(id rule.ID) uint32 {
	v, next := wire.Uint32(c.b, c.pos)
	if !c.step(next, id) {
		return 0
	}
	return v
}

func (c *cursor) uint64(id rule.ID) uint64 {
	v, next := wire.Uint64(c.b, c.pos)
	if !c.step(next, id) {
		return 0
	}
	return v
}

func (c *cursor) varUint32(id rule.ID) uint32 {
	v, next := wire.VarUint32(c.b, c.pos)
	if !c.step(next, id) {
		return 0
	}
	return v
}

func (c *cursor) varUint64(id rule.ID) uint64 {
	v, next := wire.VarUint64(c.b, c.pos)
	if !c.large(next, id, rule.CMP003) {
		return 0
	}
	return v
}

func (c *cursor) guid(id rule.ID) wire.GUID {
	v, next := wire.ReadGUID(c.b, c.pos)
	if !c.step(next, id) {
		return wire.GUID{}
	}
	return v
}

// text reads a v6 string; the bytes are a view.
func (c *cursor) text(id rule.ID) []byte {
	v, next := wire.String(c.b, c.pos)
	if !c.step(next, id) {
		return nil
	}
	return v
}

// utf16z reads a zero-terminated UTF-16 string; the code units are a view.
func (c *cursor) utf16z(id rule.ID) []byte {
	v, next := wire.UTF16Z(c.b, c.pos)
	if !c.step(next, id) {
		return nil
	}
	return v
}

// sub returns a cursor over the next n bytes, and consumes them.
func (c *cursor) sub(n int, id rule.ID) cursor {
	start := c.pos
	if !c.step(wire.Skip(c.b, c.pos, n), id) {
		return cursor{bad: c.bad, badPos: c.badPos, past: c.past}
	}
	return cursor{b: c.b[:c.pos:c.pos], pos: start}
}

// join copies the fault of a sub-cursor. Its end is not the end of the block, so
// the fault is not a truncation.
func (c *cursor) join(sub *cursor) bool {
	if sub.bad == rule.None {
		return true
	}
	if c.bad == rule.None {
		c.limit = sub.limit
	}
	c.past = false
	c.fail(sub.bad, sub.badPos)
	return false
}

// slack fails if bytes are left after the last row of a block. In a truncated block
// they may belong to the blocks after it.
func (c *cursor) slack(id rule.ID) {
	if c.bad == rule.None && c.pos < len(c.b) {
		c.fail(id, c.pos)
		c.past, c.left = true, true
	}
}

// done reports whether all bytes are consumed or a read failed.
func (c *cursor) done() bool { return c.pos >= len(c.b) || c.bad != rule.None }
