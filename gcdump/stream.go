package gcdump

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// header begins each stream of FastSerialization.
const header = "\x14\x00\x00\x00!FastSerialization.1"

// The tags of FastSerialization.
const (
	tagNull              = 1
	tagReference         = 2
	tagForward           = 3
	tagBegin             = 4
	tagBeginPrivate      = 5
	tagEnd               = 6
	tagForwardDefinition = 7
	tagByte              = 8
	tagInt16             = 9
	tagInt32             = 10
	tagInt64             = 11
	tagSkipRegion        = 12
	tagString            = 13
	tagBlob              = 14
)

// class is the type of an object.
type class struct {
	version, minReader int32
	name               string
}

// decoder reads the primitives of a stream. After the first error all results are zero.
type decoder struct {
	b       []byte
	pos     int
	err     error
	classes map[int]class // by the position of their tag
	depth   int           // of objects
	skipped int           // tagged fields that nobody knows
}

// fail stores the first error.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("gcdump: "+format, args...)
	}
}

// take returns the next n bytes, nil if there are not so many.
func (d *decoder) take(n int) []byte {
	if d.err != nil {
		return nil
	}
	if n < 0 || n > len(d.b)-d.pos {
		d.fail("truncated: the file has %d bytes, and %d more are needed at %d", len(d.b), n, d.pos)
		return nil
	}
	d.pos += n
	return d.b[d.pos-n : d.pos]
}

func (d *decoder) uint8() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) bool() bool { return d.uint8() != 0 }

func (d *decoder) uint32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) int32() int32 { return int32(d.uint32()) }

func (d *decoder) int64() int64 {
	if b := d.take(8); b != nil {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (d *decoder) float32() float32 { return math.Float32frombits(d.uint32()) }

// list reads the number of elements that have at least size bytes each.
func (d *decoder) list(size int) int {
	n := d.int32()
	if n < 0 || int(n) > (len(d.b)-d.pos)/size {
		d.fail("%d elements of at least %d bytes at %d, and %d bytes are left", n, size, d.pos, len(d.b)-d.pos)
		return 0
	}
	return int(n)
}

// text reads a string: the number of UTF-16 units, -1 for null, then each unit in 1 to 3
// bytes. A pair of surrogates becomes one character.
func (d *decoder) text() *string {
	n := d.int32()
	if d.err != nil || n < 0 {
		return nil
	}
	if int(n) > len(d.b)-d.pos {
		d.fail("truncated: a text of %d units at %d", n, d.pos)
		return nil
	}
	b := make([]byte, 0, n)
	high := rune(0) // a surrogate that waits for its other half
	for ; n > 0 && d.err == nil; n-- {
		unit := d.unit()
		if high != 0 && unit >= 0xdc00 && unit < 0xe000 {
			b = utf8.AppendRune(b[:len(b)-3], 0x10000+(high-0xd800)<<10+(unit-0xdc00))
			high = 0
			continue
		}
		if high = 0; unit >= 0xd800 && unit < 0xdc00 {
			high = unit
		}
		b = appendUnit(b, unit)
	}
	s := string(b)
	return &s
}

// unit reads one UTF-16 unit.
func (d *decoder) unit() rune {
	c := rune(d.uint8())
	switch {
	case c < 0x80:
		return c
	case c < 0xe0:
		return c&0x1f<<6 | rune(d.uint8()&0x3f)
	}
	c = c&0xf<<6 | rune(d.uint8()&0x3f)
	return c<<6 | rune(d.uint8()&0x3f)
}

// appendUnit appends a UTF-16 unit in 1 to 3 bytes.
func appendUnit(b []byte, unit rune) []byte {
	switch {
	case unit < 0x80:
		return append(b, byte(unit))
	case unit < 0x800:
		return append(b, byte(0xc0|unit>>6), byte(0x80|unit&0x3f))
	}
	return append(b, byte(0xe0|unit>>12), byte(0x80|unit>>6&0x3f), byte(0x80|unit&0x3f))
}

// class reads the type of an object, or a reference to one that was read before.
func (d *decoder) class() class {
	at := d.pos
	switch tag := d.uint8(); {
	case d.err != nil:
		return class{}
	case tag == tagReference:
		label := d.uint32()
		c, known := d.classes[int(label)]
		if !known {
			d.fail("the reference at %d is not to a type: %d", at, label)
		}
		return c
	case tag != tagBegin || d.uint8() != tagNull:
		d.fail("no type at %d", at)
		return class{}
	}
	c := class{version: d.int32(), minReader: d.int32()}
	if name := d.text(); name != nil {
		c.name = *name
	}
	if d.uint8() != tagEnd {
		d.fail("the type at %d has no end", at)
	}
	if d.err == nil {
		d.classes[at] = c
	}
	return c
}

// maxDepth bounds objects in objects.
const maxDepth = 16

// begin reads the begin of an object of a class, or null.
func (d *decoder) begin(name string, newest, oldest int32) (class, bool) {
	at := d.pos
	tag := d.uint8()
	if tag == tagForwardDefinition {
		d.uint32()
		tag = d.uint8()
	}
	switch {
	case d.err != nil || tag == tagNull:
		return class{}, false
	case tag != tagBegin && tag != tagBeginPrivate:
		d.fail("no object %s at %d: tag %d", name, at, tag)
		return class{}, false
	}
	if d.depth++; d.depth > maxDepth {
		d.fail("objects in objects at %d", at)
	}
	c := d.class()
	switch {
	case d.err != nil:
	case c.name != name:
		d.fail("an object %q at %d, expected %s", c.name, at, name)
	case c.minReader > newest:
		d.fail("%s has version %d, which needs a reader of version %d; supported is %d", name, c.version, c.minReader, newest)
	case c.version < oldest && c.minReader > 0:
		d.fail("%s has version %d; supported are versions from %d on", name, c.version, oldest)
	}
	return c, d.err == nil
}

// end skips the tagged fields of an object that nobody knows, and reads its end.
func (d *decoder) end() {
	d.depth--
	for depth := 0; d.err == nil; d.skipped++ {
		at := d.pos
		switch tag := d.uint8(); tag {
		case tagNull:
		case tagByte:
			d.take(1)
		case tagInt16:
			d.take(2)
		case tagInt32, tagReference, tagForward, tagForwardDefinition:
			d.take(4)
		case tagInt64:
			d.take(8)
		case tagString:
			d.text()
		case tagBlob:
			d.take(int(d.int32()))
		case tagSkipRegion:
			d.seek(d.int32())
		case tagBegin, tagBeginPrivate:
			depth++
		case tagEnd:
			if depth--; depth < 0 {
				return
			}
		default:
			d.fail("unknown tag %d at %d", tag, at)
		}
	}
}

// seek goes forward to the place of a forward reference, which the table at the end of
// the file has.
func (d *decoder) seek(reference int32) {
	at, ok := d.resolve(reference)
	if d.err != nil {
		return
	}
	if !ok || at < d.pos || at > len(d.b) {
		d.fail("the forward reference %d at %d has no place in the file", reference, d.pos)
		return
	}
	d.pos = at
}

func (d *decoder) resolve(reference int32) (at int, ok bool) {
	word := func(pos int) (int, bool) {
		if pos < 0 || pos > len(d.b)-4 {
			return 0, false
		}
		return int(binary.LittleEndian.Uint32(d.b[pos:])), true
	}
	trailer, ok := word(len(d.b) - 4)
	if !ok {
		return 0, false
	}
	table, ok := word(trailer)
	if !ok {
		return 0, false
	}
	n, ok := word(table)
	if !ok || reference < 0 || int(reference) >= n {
		return 0, false
	}
	return word(table + 4 + 4*int(reference))
}
