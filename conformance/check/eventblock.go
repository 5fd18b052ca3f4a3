package check

import (
	"encoding/binary"
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Where the fields of the header of an event block stand in the body.
const (
	flagsAt, minimumAt, maximumAt = 2, 4, 12
	eventHeader                   = 20
)

// checkEvents looks at an event block and its rows.
//
// Spec: "EventBlock".
func (c *checker) checkEvents(bad bool) {
	c.countBlock()
	c.beginRows()
	if c.v3 {
		c.checkRowsV3()
		return
	}
	if bad {
		c.badHeader()
		return
	}
	c.checkEventHeader()
	compressed := c.b.Compressed()
	for e, ok := c.r.NextInBlock(); ok; e, ok = c.r.NextInBlock() {
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

// cutBlock says whether the stream ends inside the current block.
func (c *checker) cutBlock() bool { return int64(len(c.b.Body)) < c.b.Size }

// badHeader tells of a header that cannot be right.
func (c *checker) badHeader() {
	switch {
	case c.b.Size == 0:
	case c.b.Size < eventHeader:
		if f := c.found(rule.EVB001, 0, c.in(0, -1)); f != nil {
			f.want("at least 20 bytes", c.b.Size)
		}
	case len(c.b.Body) >= 2:
		if f := c.found(rule.EVB002, 0, c.in(0, -1)); f != nil {
			f.want("20 to the size of the block", binary.LittleEndian.Uint16(c.b.Body))
		}
	}
}

// checkEventHeader looks at a header that can be read: that of an event block,
// or of a metadata block of v4 and v5.
func (c *checker) checkEventHeader() {
	b := c.b
	if b.HeaderSize > eventHeader {
		c.found(rule.EVB003, 0, c.in(0, -1))
	}
	if b.Flags&^wire.BlockCompressed != 0 {
		if f := c.found(rule.EVB004, uint64(b.Flags), c.in(flagsAt, -1)); f != nil {
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
		at := maximumAt
		if sentinel(b.MinTimestamp) {
			at = minimumAt
		}
		c.bound(rule.EVB011, at, -1)
	case b.MinTimestamp == 0 && b.MaxTimestamp == 0 && got.max > 0:
		c.bound(rule.EVB010, minimumAt, -1)
	case b.MinTimestamp > b.MaxTimestamp && b.MinTimestamp == got.min:
		c.bound(rule.EVB007, maximumAt, got.maxRow)
	case b.MinTimestamp > b.MaxTimestamp:
		c.bound(rule.EVB007, minimumAt, -1)
	case got.min < b.MinTimestamp:
		c.bound(rule.EVB008, minimumAt, got.minRow)
	case got.max > b.MaxTimestamp:
		c.bound(rule.EVB008, maximumAt, got.maxRow)
	case whole && got.min > b.MinTimestamp:
		c.bound(rule.EVB009, minimumAt, got.minRow)
	case whole && got.max < b.MaxTimestamp:
		c.bound(rule.EVB009, maximumAt, got.maxRow)
	}
}

func (c *checker) bound(id rule.ID, at, row int) {
	if c.metadataRows && id.Rule().Severity == rule.Error {
		id = rule.EVB012
	} else if c.metadataRows {
		return
	}
	if f := c.found(id, 0, c.in(at, row)); f != nil {
		f.want([2]uint64{c.bounds.min, c.bounds.max}, [2]uint64{c.b.MinTimestamp, c.b.MaxTimestamp})
	}
}

// badRow tells of the row at which the Reader gave up: it stands behind the last
// one that was whole.
func (c *checker) badRow() {
	body, pos := c.b.Body, c.rowEnd()
	at := c.in(pos, c.rows)
	if !c.b.Compressed() {
		c.badPlainRow(pos)
		return
	}
	l := c.layout(body, pos, uint32(c.prevSize))
	if l.bad == rule.None {
		return // the Reader found more than we do; a limit
	}
	at.offset = c.b.BodyOffset + int64(l.badPos)
	if f := c.found(l.bad, 0, at); f != nil {
		f.Actual = counted(int64(len(body)-l.badPos), "byte") + " left in the block"
	}
}

// rowEnd is where the last whole row ends.
func (c *checker) rowEnd() int {
	if c.rows == 0 {
		return c.b.HeaderSize
	}
	if !c.b.Compressed() {
		return c.plainEnd
	}
	l := c.layout(c.b.Body, c.prevRow, uint32(c.prevSize))
	return l.payload + c.prevSize
}

// layout is where the fields of a compressed row stand; those that it does not
// write stand nowhere, which is -1.
type layout struct {
	flags                                                 byte
	row, metadata, sequence, capture, processor, thread   int
	stack, time, activity, related, labels, size, payload int
	metadataID                                            uint32
	ticks                                                 uint64 // since the row before
	payloadSize                                           int
	overlong                                              int // a number with superfluous zeros, -1
	bad                                                   rule.ID
	badPos                                                int
}

// layout reads the header of a compressed row with care. The payload is of
// prevSize bytes when the row does not say.
//
// Spec: "Header compression".
func (c *checker) layout(b []byte, pos int, prevSize uint32) layout {
	l := layout{row: pos, metadata: -1, sequence: -1, capture: -1, processor: -1, thread: -1, stack: -1, activity: -1,
		related: -1, labels: -1, size: -1, overlong: -1, badPos: pos}
	if pos >= len(b) {
		l.bad = rule.EVB006
		return l
	}
	l.flags = b[pos]
	w := varWalk{b: b, pos: pos + 1, l: &l}
	if l.flags&wire.RowMetadataID != 0 {
		l.metadata = w.pos
		l.metadataID = uint32(w.number(32))
	}
	if l.flags&wire.RowSequence != 0 {
		l.sequence = w.pos
		w.number(32)
		l.capture = w.pos
		w.number(64)
		l.processor = w.pos
		w.number(32)
	}
	if l.flags&wire.RowThread != 0 {
		l.thread = w.pos
		w.number(64)
	}
	if l.flags&wire.RowStackID != 0 {
		l.stack = w.pos
		w.number(32)
	}
	l.time = w.pos
	l.ticks = w.number(64)
	switch {
	case c.v6:
		if l.flags&wire.RowLabelList != 0 {
			l.labels = w.pos
			w.number(32)
		}
	default:
		if l.flags&wire.RowActivity != 0 {
			l.activity = w.pos
			w.skip(16)
		}
		if l.flags&wire.RowRelated != 0 {
			l.related = w.pos
			w.skip(16)
		}
	}
	size := prevSize
	if l.flags&wire.RowPayloadSize != 0 {
		l.size = w.pos
		size = uint32(w.number(32))
	}
	l.payload, l.payloadSize = w.pos, int(size)
	if l.bad == rule.None && uint64(size) > uint64(len(b)-w.pos) {
		l.bad, l.badPos = rule.CMP006, w.pos
	}
	return l
}

// varWalk reads the numbers of a row.
type varWalk struct {
	b   []byte
	pos int
	l   *layout
}

func (w *varWalk) number(bits int) uint64 {
	v, next, tooLarge := uint64(0), 0, rule.CMP003
	if bits == 32 {
		var x uint32
		x, next = wire.VarUint32(w.b, w.pos)
		v, tooLarge = uint64(x), rule.CMP002
	} else {
		v, next = wire.VarUint64(w.b, w.pos)
	}
	if next == wire.TooLarge {
		w.fail(tooLarge)
	}
	if w.l.overlong < 0 && w.l.bad == rule.None && overlong(w.b, w.pos, next) {
		w.l.overlong = w.pos
	}
	w.step(next)
	return v
}

func (w *varWalk) skip(n int) { w.step(wire.Skip(w.b, w.pos, n)) }

func (w *varWalk) fail(id rule.ID) {
	if w.l.bad == rule.None {
		w.l.bad, w.l.badPos = id, w.pos
	}
}

func (w *varWalk) step(next int) {
	if next < 0 {
		w.fail(rule.CMP001)
		w.pos = len(w.b)
		return
	}
	if w.l.bad == rule.None {
		w.pos = next
	}
}

// field is where a field of an event's row stands: pos when the row writes it,
// else the row itself.
func (c *checker) field(e *codec.Event, of func(*layout) int) spot {
	at := c.at(e.Offset(), c.rows-1)
	row := int(e.Offset() - c.b.BodyOffset)
	if c.v3 {
		return at
	}
	if !c.b.Compressed() {
		at.offset += int64(plainField(of, c.v6))
		return at
	}
	l := c.layout(c.b.Body, row, uint32(len(e.Payload())))
	if pos := of(&l); pos >= 0 {
		at.offset = c.b.BodyOffset + int64(pos)
	}
	return at
}
