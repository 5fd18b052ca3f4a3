package check

import (
	"encoding/binary"
	"math/bits"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	largestPayload = 65_536
	highBits       = 0x8080808080808080
	lowBits        = 0x0101010101010101
)

// rowState is the state in the rows of the current event block.
type rowState struct {
	rows         int // so far
	bounds       bounds
	baseless     bool // the block builds on the one before
	metadataRows bool // they are those of a metadata block
	rowFlags     byte // flags that a compressed row may have
	prevRow      int  // position of the last row
	prevSize     int  // of its payload
	size         int  // of the payload of the current row
	prevEnd      int  // of the last uncompressed row
	nameless     bool // the first row has no metadata id
	misaligned   bool // a row has wrong padding, so the rows after it are misplaced

	processors uint64 // hardware threads, 0 when unknown
	polarity   polarity

	prev      rowValues // of the last row, for information
	lastBlock uint64    // the last time of the event block before
}

// rowValues are the fields that a row may leave out.
type rowValues struct {
	metadata, sequence, processor, stack, labels uint32
	capture, thread                              uint64
	activity, related                            wire.GUID
}

func (c *checker) beginRows() {
	s := &c.rowState
	if s.rows > 0 && !s.metadataRows {
		s.lastBlock = c.time
	}
	s.rows, s.baseless, s.nameless, s.metadataRows, s.misaligned = 0, false, false, false, false
	s.bounds = bounds{min: ^uint64(0)}
	s.prev = rowValues{}
	s.prevSize, s.prevRow, s.prevEnd = 0, 0, c.b.HeaderSize
}

// event checks the fields of rows of every form.
func (c *checker) event(e *codec.Event) {
	ts, row := e.Timestamp, c.rows
	c.rows++
	if ts < c.bounds.min {
		c.bounds.min, c.bounds.minRow = ts, row
	}
	if ts > c.bounds.max {
		c.bounds.max, c.bounds.maxRow = ts, row
	}
	if len(c.refs) > 0 {
		c.references(e)
	}
	if c.orderState.usual(ts) && !e.Sorted() && !c.lint {
		c.orderState.time = ts
	} else {
		c.order(e)
	}
	c.sequence(e)
	if uint64(e.Processor) >= c.processors && e.Processor != wire.UnknownProcessor && c.processors > 0 {
		if f := c.foundIn(e, rule.CMP015, 0, fieldProcessor); f != nil {
			f.want("below "+counted(int64(c.processors), "hardware thread"), e.Processor)
		}
	}
	b := e.Payload()
	c.payload(e, b)
	if c.lint {
		c.uses(e)
	}
	c.size = len(b)
}

// compressedRow checks the encoding of a compressed row. The end of a row's
// header is known when the next one has come.
func (c *checker) compressedRow(e *codec.Event) {
	pos := int(e.Offset() - c.b.BodyOffset)
	if end := pos - c.prevSize; c.rows > 1 && mayBeOverlong(c.b.Body, c.prevRow+1, end) {
		c.overlongHeader(c.prevRow, end)
	}
	flags := e.RowFlags()
	if flags&^c.rowFlags != 0 {
		c.found(rule.CMP005, 0, c.in(pos, c.rows-1))
	}
	if c.lint {
		c.waste(e, flags)
	}
	c.prevRow, c.prevSize = pos, c.size
}

// mayBeOverlong reports whether a zero byte follows one with its high bit set, as
// at the end of a number with superfluous zeros. Activity ids may hold both.
func mayBeOverlong(b []byte, start, end int) bool {
	at, found := start, uint64(0)
	for ; end-at > 8; at += 7 {
		x := binary.LittleEndian.Uint64(b[at:])
		found |= (x - lowBits) &^ x & highBits & ((x & highBits) << 8)
	}
	if at+8 > len(b) {
		return true
	}
	x := binary.LittleEndian.Uint64(b[at:]) | ^uint64(0)>>8<<(uint(end-at)*8-8)<<8
	found |= (x - lowBits) &^ x & highBits & ((x & highBits) << 8)
	return found != 0
}

// overlongHeader looks for the number with superfluous zeros that the header of a
// row may have.
func (c *checker) overlongHeader(start, end int) {
	if c.onlyIDs(start, end) {
		return
	}
	if at := c.overlongIn(start, 0); at >= 0 {
		c.found(rule.CMP004, 0, c.in(at, c.rows-2))
	}
}

// onlyIDs reports that the numbers before and after the activity ids of a row of
// v4 or v5 have no superfluous zeros. Only the size of the payload is after them.
func (c *checker) onlyIDs(start, end int) bool {
	b := c.b.Body
	ids := bits.OnesCount8(b[start] & (wire.RowActivity | wire.RowRelated))
	if ids == 0 || c.format.HasLabelLists() {
		return false
	}
	if b[start]&wire.RowPayloadSize != 0 {
		if b[end-1] == 0 && (c.prevSize > 0 || b[end-2] == 0x80) {
			return false // the size may have superfluous zeros
		}
		end -= max(1, (bits.Len(uint(c.prevSize))+6)/7)
	}
	return !mayBeOverlong(b, start+1, end-ids*len(wire.GUID{}))
}

// firstRow checks the start of a block.
func (c *checker) firstRow(e *codec.Event) {
	pos := int(e.Offset() - c.b.BodyOffset)
	if e.RowFlags()&wire.RowMetadataID == 0 {
		c.nameless = true
		c.found(rule.CMP007, 0, c.in(pos, 0))
	}
	least, sum := c.b.MinTimestamp, e.Timestamp+c.lastBlock
	if e.Timestamp < least && c.lastBlock > 0 && sum >= least && sum <= c.b.MaxTimestamp && e.Timestamp < c.lastBlock/2 {
		c.baseless = true
		c.foundIn(e, rule.CMP012, 0, fieldTime)
	}
}

// endRows checks the last row of a block.
func (c *checker) endRows(compressed, whole bool) {
	end := len(c.b.Body) - c.prevSize
	if compressed && c.rows > 0 && whole && !c.cutBlock() && mayBeOverlong(c.b.Body, c.prevRow+1, end) {
		c.rows++
		c.overlongHeader(c.prevRow, end)
		c.rows--
	}
}

// waste counts fields that a row writes although they could be left out.
func (c *checker) waste(e *codec.Event, flags byte) {
	var row codec.EventRow
	e.Row(&row)
	now := rowValues{row.MetadataID, row.Sequence, row.Processor, row.StackID, row.LabelListID,
		row.CaptureThreadIndex, row.ThreadIndex, row.Activity, row.Related}
	p := &c.prev
	same := flags & (bit(wire.RowMetadataID, now.metadata == p.metadata) | bit(wire.RowThread, now.thread == p.thread) |
		bit(wire.RowStackID, now.stack == p.stack) | bit(wire.RowPayloadSize, len(row.Payload) == c.prevSize))
	if c.format.HasLabelLists() {
		same |= flags & bit(wire.RowLabelList, now.labels == p.labels)
	} else {
		activities := flags & (bit(wire.RowActivity, now.activity == p.activity) | bit(wire.RowRelated, now.related == p.related))
		if same |= activities; activities != 0 && row.Activity.IsZero() && row.Related.IsZero() {
			c.found(rule.CMP013, 0, c.at(e.Offset(), c.rows-1))
		}
	}
	if same != 0 {
		c.found(rule.CMP008, 0, c.at(e.Offset(), c.rows-1))
	}
	if flags&wire.RowSequence != 0 && now.sequence == p.sequence+1 && now.capture == p.capture && now.processor == p.processor {
		c.found(rule.CMP009, 0, c.at(e.Offset(), c.rows-1))
	}
	*p = now
}

// bit is flag if it is set.
func bit(flag byte, set bool) byte {
	if set {
		return flag
	}
	return 0
}
