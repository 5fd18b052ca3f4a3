package check

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// checkEvents checks an event block and its rows.
//
// Spec: "EventBlock".
func (c *checker) checkEvents(bad bool) {
	c.countBlock()
	c.beginRows()
	if !c.format.HasEventBlockHeaders() {
		c.checkRowsV3()
		return
	}
	if bad {
		c.badHeader()
		return
	}
	c.checkEventHeader()
	compressed := c.b.Compressed()
	for e, ok := c.r.NextEvent(); ok; e, ok = c.r.NextEvent() {
		if c.rows == 0 {
			c.firstTime(e)
			if compressed {
				c.firstRow(e)
			}
		}
		c.event(e)
		if compressed {
			c.compressedRow(e)
		} else {
			c.plainRow(e)
		}
	}
	whole := !c.wentBad()
	switch {
	case !whole:
		c.badRow()
	case c.rows == 0 && !c.cutBlock():
		c.found(rule.EVB005, 0, c.here())
	}
	c.endRows(compressed, whole)
	c.blockTimes()
	if c.rows > 0 {
		c.checkBounds(whole && !c.cutBlock())
	}
}

// cutBlock reports whether the stream ends inside the current block.
func (c *checker) cutBlock() bool { return int64(len(c.b.Body)) < c.b.Size }

// badHeader reports a malformed header.
func (c *checker) badHeader() {
	switch {
	case c.b.Size == 0:
	case c.b.Size < layout.EventHeaderSize:
		if f := c.found(rule.EVB001, 0, c.in(0, -1)); f != nil {
			f.want(fmt.Sprintf("at least %d bytes", layout.EventHeaderSize), c.b.Size)
		}
	case len(c.b.Body) >= 2:
		if f := c.found(rule.EVB002, 0, c.in(0, -1)); f != nil {
			f.want(fmt.Sprintf("%d to the size of the block", layout.EventHeaderSize), binary.LittleEndian.Uint16(c.b.Body))
		}
	}
}

// checkEventHeader checks a readable header: that of an event block, or of a
// metadata block of v4 and v5.
func (c *checker) checkEventHeader() {
	b := c.b
	if b.HeaderSize > layout.EventHeaderSize {
		c.found(rule.EVB003, 0, c.in(0, -1))
	}
	if b.Flags&^wire.BlockCompressed != 0 {
		if f := c.foundInHeader(rule.EVB004, uint64(b.Flags), "Flags", -1); f != nil {
			f.want("0 or 1", b.Flags)
		}
	}
}

// bounds are the times of the rows of a block.
type bounds struct {
	min, max       uint64
	minRow, maxRow int
}

// checkBounds holds the times of the header against those of the rows.
//
// Spec: "EventBlock", Min and Max Timestamp.
func (c *checker) checkBounds(whole bool) {
	b, got := c.b, c.bounds
	sentinel := func(v uint64) bool { return v == math.MaxUint64 || v == math.MaxInt64 }
	switch {
	case c.baseless:
	case (sentinel(b.MaxTimestamp) || sentinel(b.MinTimestamp)) && (b.MinTimestamp != got.min || b.MaxTimestamp != got.max):
		at := fieldMaximum
		if sentinel(b.MinTimestamp) {
			at = fieldMinimum
		}
		c.bound(rule.EVB011, at, -1)
	case b.MinTimestamp == 0 && b.MaxTimestamp == 0 && got.max > 0:
		c.bound(rule.EVB010, fieldMinimum, -1)
	case b.MinTimestamp > b.MaxTimestamp && b.MinTimestamp == got.min:
		c.bound(rule.EVB007, fieldMaximum, got.maxRow)
	case b.MinTimestamp > b.MaxTimestamp:
		c.bound(rule.EVB007, fieldMinimum, -1)
	case got.min < b.MinTimestamp:
		c.bound(rule.EVB008, fieldMinimum, got.minRow)
	case got.max > b.MaxTimestamp:
		c.bound(rule.EVB008, fieldMaximum, got.maxRow)
	case whole && got.min > b.MinTimestamp:
		c.bound(rule.EVB009, fieldMinimum, got.minRow)
	case whole && got.max < b.MaxTimestamp:
		c.bound(rule.EVB009, fieldMaximum, got.maxRow)
	}
}

func (c *checker) bound(id rule.ID, field string, row int) {
	if c.metadataRows && id.Rule().Severity == rule.Error {
		id = rule.EVB012
	} else if c.metadataRows {
		return
	}
	if f := c.foundInHeader(id, 0, field, row); f != nil {
		f.want([2]uint64{c.bounds.min, c.bounds.max}, [2]uint64{c.b.MinTimestamp, c.b.MaxTimestamp})
	}
}

// badRow reports the row at which the Reader gave up: the one after the last
// complete row.
func (c *checker) badRow() {
	body, pos := c.b.Body, c.rowEnd()
	at := c.in(pos, c.rows)
	if !c.b.Compressed() {
		if first := c.firstBad(); first.BlockOffset == c.b.Offset { // padding may precede the row
			pos = int(first.Offset - c.b.BodyOffset)
		}
		c.badPlainRow(pos)
		return
	}
	c.eventRow(pos, c.prevSize)
	fault := c.walker.Fault()
	if fault.Rule == rule.None {
		return // the Reader found more than we do; a limit
	}
	at.offset = c.b.BodyOffset + int64(fault.Pos)
	if f := c.found(fault.Rule, 0, at); f != nil {
		f.Actual = counted(int64(len(body)-fault.Pos), "byte") + " left in the block"
	}
}

// rowEnd is the end of the last complete row.
func (c *checker) rowEnd() int {
	if c.rows == 0 {
		return c.b.HeaderSize
	}
	if !c.b.Compressed() {
		return c.prevEnd
	}
	c.eventRow(c.prevRow, c.prevSize)
	return c.walker.Pos()
}
