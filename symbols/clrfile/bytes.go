package clrfile

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// cursor reads little-endian numbers in order. After the end, all are 0 and bad
// reports true.
type cursor struct {
	b   []byte
	pos int
	end bool
}

// at returns a cursor at a position, which may be outside.
func at(b []byte, pos uint64) cursor {
	if pos > uint64(len(b)) {
		return cursor{end: true}
	}
	return cursor{b: b, pos: int(pos)}
}

func (c *cursor) bad() bool { return c.end }

// take returns the next n bytes, nil if they are not there.
func (c *cursor) take(n uint64) []byte {
	if c.end || n > uint64(len(c.b)-c.pos) {
		c.end = true
		return nil
	}
	c.pos += int(n)
	return c.b[c.pos-int(n) : c.pos]
}

func (c *cursor) skip(n uint64) { c.take(n) }

func (c *cursor) left() int {
	if c.end {
		return 0
	}
	return len(c.b) - c.pos
}

func (c *cursor) uint8() uint8 {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) uint16() uint16 {
	if b := c.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) uint32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) uint64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// compressed reads an unsigned number of ECMA-335 II.23.2.
func (c *cursor) compressed() uint32 {
	v, _ := c.compressedBits()
	return v
}

// compressedBits reads a number and how many bits a signed one of its size has.
func (c *cursor) compressedBits() (v uint32, bits int) {
	first := c.uint8()
	switch {
	case first < 0x80:
		return uint32(first), 6
	case first < 0xC0:
		return uint32(first&0x3F)<<8 | uint32(c.uint8()), 13
	}
	v = uint32(first & 0x1F)
	for range 3 {
		v = v<<8 | uint32(c.uint8())
	}
	return v, 28
}

// signed reads a signed compressed number: the sign is the lowest bit.
func (c *cursor) signed() int32 {
	v, bits := c.compressedBits()
	n := int32(v >> 1)
	if v&1 != 0 {
		n -= 1 << bits
	}
	return n
}

// native reads an unsigned number of the ready-to-run format: the low bits of the
// first byte are the number of further bytes.
func (c *cursor) native() uint32 {
	first := c.uint8()
	switch {
	case first&1 == 0:
		return uint32(first) >> 1
	case first&2 == 0:
		return (uint32(first) | uint32(c.uint8())<<8) >> 2
	case first&4 == 0:
		return (uint32(first) | uint32(c.uint16())<<8) >> 3
	case first&8 == 0:
		return (uint32(first) | uint32(c.uint8())<<8 | uint32(c.uint16())<<16) >> 4
	}
	return c.uint32()
}

// nativeSigned is native for a signed number.
func (c *cursor) nativeSigned() int32 {
	first := c.uint8()
	switch {
	case first&1 == 0:
		return int32(int8(first)) >> 1
	case first&2 == 0:
		return int32(int16(uint16(first)|uint16(c.uint8())<<8)) >> 2
	case first&4 == 0:
		return int32(uint32(first)<<8|uint32(c.uint16())<<16) >> 11
	case first&8 == 0:
		return int32(uint32(first)|uint32(c.uint8())<<8|uint32(c.uint16())<<16) >> 4
	}
	return int32(c.uint32())
}

// longestText is the length of the longest name or path that is read; a longer
// one is cut.
const longestText = 16 << 10

// zeroEnded is the text at a position up to its zero.
func zeroEnded(b []byte, pos uint64) string {
	c := at(b, pos)
	rest := c.take(uint64(c.left()))
	rest = rest[:min(len(rest), longestText)]
	if n := bytes.IndexByte(rest, 0); n >= 0 {
		rest = rest[:n]
	}
	return text(rest)
}

// text is UTF-8 text that can be printed.
func text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
}
