package check

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// plainSize returns the EventSize that a row has with a payload of so many bytes.
func (c *checker) plainSize(payload int) int {
	size := c.walker.PlainRowSize() - eventSizeBytes + payload
	if c.format.HasPadding() {
		size = (size + 3) &^ 3
	}
	return size
}

const eventSizeBytes = 4 // of EventSize, which does not count itself

// plainRow checks the fields that only an uncompressed row has.
//
// Spec: "Uncompressed events".
func (c *checker) plainRow(e *codec.Event) {
	pos := int(e.Offset() - c.b.BodyOffset)
	b := c.b.Body[pos:]
	payload := len(e.Payload())
	header, wants := c.walker.PlainRowSize(), c.plainSize(payload)
	size := int(binary.LittleEndian.Uint32(b))
	c.prevEnd = pos + eventSizeBytes + size
	c.polarityOf(e)
	switch {
	case size != wants:
		which := rule.UNC002
		if c.format.HasPadding() {
			which = rule.UNC001
		}
		if f := c.found(which, 0, c.in(pos, c.rows-1)); f != nil {
			f.want(wants, size)
		}
		c.misaligned = true
		return
	case !c.format.HasPadding() || c.misaligned:
		return
	case payload%4 != 0:
		for i := header + payload; i < eventSizeBytes+size; i++ {
			if b[i] != 0 {
				c.found(rule.UNC004, 0, c.in(pos+i, c.rows-1))
				break
			}
		}
		if f := c.found(rule.UNC008, uint64(e.MetadataID), c.in(pos+header-4, c.rows-1)); f != nil {
			f.id("metadata", uint64(e.MetadataID)).want("a multiple of 4", payload)
		}
	}
	if offset := c.b.BodyOffset + int64(pos); offset%4 != 0 {
		c.found(rule.UNC007, 0, c.in(pos, c.rows-1))
	}
}

// badPlainRow describes why the uncompressed row at pos cannot be read.
func (c *checker) badPlainRow(pos int) {
	header, id := c.walker.PlainRowSize(), rule.UNC002
	if c.format.HasPadding() {
		id = rule.UNC001
	}
	pos = min(pos, len(c.b.Body))
	b := c.b.Body[pos:]
	if len(b) < header {
		if c.format.HasPadding() && len(b) >= 4 { // the Reader may have read padding of the row before
			b = b[:0]
		}
		if f := c.found(rule.UNC003, 0, c.in(pos, c.rows)); f != nil {
			f.want(counted(int64(header), "byte"), counted(int64(len(b)), "byte")+" left")
		}
		return
	}
	size, payload := int64(binary.LittleEndian.Uint32(b)), int64(binary.LittleEndian.Uint32(b[header-4:]))
	if 4+size > int64(len(b)) && 4+size >= int64(header)+payload {
		id = rule.UNC003
	}
	if f := c.found(id, 0, c.in(pos, c.rows)); f != nil {
		f.want(int64(header-4)+payload, size)
	}
}

// polarity holds the times of sorted uncompressed rows, with both meanings of the high
// bit in their metadata ids.
type polarity struct {
	rows    int64
	usual   promises // the bit means not sorted, as for all writers and readers in use
	inverse promises // the bit means sorted
}

// promises are those of sorted rows: that no row after them is older.
type promises struct {
	time   uint64 // of the latest sorted row
	at     spot   // of that row; if broken, of the one whose promise is broken
	broken bool
}

// polarityOf stores an uncompressed row.
func (c *checker) polarityOf(e *codec.Event) {
	p := &c.polarity
	p.rows++
	promised := &p.inverse
	if e.Sorted() {
		promised = &p.usual
	}
	if e.Timestamp >= promised.time && !promised.broken {
		c.floor = max(c.floor, e.Timestamp)
		promised.time = e.Timestamp
		promised.at.place, promised.at.offset, promised.at.row = c.place, e.Offset(), c.rows-1
	}
}

// later checks a row that is older than one before it.
func (p *polarity) later(e *codec.Event) {
	p.usual.broken = p.usual.broken || e.Timestamp < p.usual.time
	p.inverse.broken = p.inverse.broken || e.Timestamp < p.inverse.time
}
