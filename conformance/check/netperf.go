package check

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// checkNetPerfObject checks the type of an object of v3.
func (c *checker) checkNetPerfObject() {
	b := c.b
	wrong := false
	switch b.Kind {
	case wire.KindTrace:
		wrong = b.Version != 3 || b.MinReader != 0
	case wire.KindEvent:
		wrong = b.Version != 1 || b.MinReader != 0
	default:
		if f := c.foundAs(rule.NP002, rule.Warning, 1, c.here()); f != nil {
			f.Actual = b.TypeName
		}
	}
	if wrong {
		if f := c.found(rule.NP002, 2, c.at(b.Offset+3, -1)); f != nil {
			f.Actual = counted(int64(b.Version), "") + counted(int64(b.MinReader), "")
		}
	}
}

// checkRowsV3 checks the rows of a block of v3. No text describes them; this is
// what the runtimes 2.1 to 10 write.
func (c *checker) checkRowsV3() {
	for e, ok := c.r.NextEvent(); ok; e, ok = c.r.NextEvent() {
		c.rows++
		c.rowV3(e)
	}
	if c.wentBad() {
		c.badRowV3()
	}
}

// rowV3 checks one row.
func (c *checker) rowV3(e *codec.Event) {
	offset, payload := e.Offset(), e.Payload()
	pos := int(offset - c.b.BodyOffset)
	b := c.b.Body[pos:]
	size := binary.LittleEndian.Uint32(b)
	c.prevEnd = pos + 4 + int(size)
	if len(c.refs) > 0 {
		c.references(e)
	}
	if int64(e.Timestamp) < int64(c.time) && c.timed {
		if f := c.found(rule.NP007, 0, c.at(offset+12, c.rows-1)); f != nil {
			f.want(c.time, e.Timestamp)
		}
	}
	c.timed, c.time = true, e.Timestamp
	at := int(e.PayloadOffset()-offset) + len(payload)
	stack := binary.LittleEndian.Uint32(b[at:])
	if int(stack)%c.trace.PointerSize != 0 {
		c.found(rule.NP005, 0, c.at(offset+int64(at), c.rows-1))
	} else if i := impossibleFrame(b[at+4:at+4+int(stack)], c.trace.PointerSize); i >= 0 {
		c.found(rule.STK013, 0, c.at(offset+int64(at+4+i), c.rows-1))
	}
	if size%4 != 0 {
		c.foundAs(rule.NP004, rule.Warning, 0, c.at(offset, c.rows-1))
	}
	c.payload(e, payload)
}

// badRowV3 reports the row at which the Reader gave up.
func (c *checker) badRowV3() {
	n, _ := c.r.BadBlocks()
	e := c.firstBad()
	at, id := c.at(c.b.BodyOffset+int64(c.prevEnd), c.rows), rule.NP004
	if n == 1 || e.BlockOffset == c.b.Offset {
		id, at.offset = c.rule(e.Rule), e.Offset
	}
	c.found(id, 0, at)
}
