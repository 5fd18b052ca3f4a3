package check

import (
	"encoding/binary"
	"fmt"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	sizeBits   = 24       // of a block's size; its kind stands above
	mostAhead  = 64 << 20 // bytes looked at for a block whose size overflowed
	mostTries  = 8        // blocks that are looked at so and turn out to be just bad
	pieceBytes = 8 << 20  // of a block that is read in pieces
)

// overflowed deals with a block of v6 that does not parse as its kind from its
// first row. When its size ran over into its kind, it is told of, and read with
// the kind and the size that were meant.
//
// Spec: "Blocks", BlockSize of 24 bits.
func (c *checker) overflowed() bool {
	b := c.b
	body := b.Body
	if c.cutBlock() || len(body) == 0 {
		return false
	}
	for upper := int64(1); upper<<sizeBits+b.Size <= mostAhead; upper++ {
		for kind := wire.KindTrace; kind <= wire.KindLabelList; kind++ {
			if kind|wire.Kind(upper) != b.Kind || rowsOf(kind) == nil || !firstFits(kind, body) {
				continue
			}
			size := upper<<sizeBits + b.Size
			if c.tries++; c.tries > mostTries {
				return false
			}
			ahead := c.src.ahead(body, int(size)-len(body)+blockHeader)
			if int64(len(ahead)) >= size && c.exact(kind, ahead[:size]) && plausible(ahead[size:]) {
				c.tries = 0
				c.replay(kind, ahead, int(size))
				return true
			}
			c.src.unread(ahead[len(body):])
		}
	}
	return false
}

// replay tells of the overflow, and has the block read in pieces.
func (c *checker) replay(kind wire.Kind, ahead []byte, size int) {
	b, s := c.b, c.src
	c.place.Kind = kind
	if f := c.found(rule.BLK004, 0, c.here()); f != nil {
		f.want("a size below 16,777,216 bytes",
			fmt.Sprintf("%v of %d bytes, whose header reads as %v of %d", kind, size, b.Kind, b.Size))
	}
	s.unread(ahead[size:])
	s.left = 0
	body := ahead[:size]
	cur := cursor{b: body, pos: 8}
	first, count := binary.LittleEndian.Uint32(body), binary.LittleEndian.Uint32(body[4:])
	counted := kind == wire.KindStack || kind == wire.KindLabelList
	if !counted {
		cur.pos, count = 0, ^uint32(0)
	}
	skip, virtual := rowsOf(kind), s.given
	for count > 0 && !cur.done() {
		start, rows := cur.pos, uint32(0)
		for rows < count && !cur.done() && cur.pos-start < pieceBytes {
			skip(&cur)
			rows++
		}
		p := piece{body: body[start:cur.pos:cur.pos]}
		head := uint32(len(p.body))
		if counted {
			head += 8
		}
		p.head = binary.LittleEndian.AppendUint32(nil, head|uint32(kind)<<sizeBits)
		if counted {
			p.head = binary.LittleEndian.AppendUint32(p.head, first)
			p.head = binary.LittleEndian.AppendUint32(p.head, rows)
		}
		s.shifts = append(s.shifts, shift{virtual, virtual + int64(len(p.head)) - (b.BodyOffset + int64(start))})
		virtual += int64(len(p.head) + len(p.body))
		s.pieces = append(s.pieces, p)
		first, count = first+rows, count-rows
	}
	s.shifts = append(s.shifts, shift{virtual, virtual - (b.BodyOffset + int64(size))})
	c.inPieces = true
}

// exact says whether bytes are a whole block of a kind.
func (c *checker) exact(kind wire.Kind, b []byte) bool {
	cur := cursor{b: b}
	count := ^uint32(0)
	if kind == wire.KindStack || kind == wire.KindLabelList {
		cur.uint32(rule.BLK004)
		count = cur.uint32(rule.BLK004)
	}
	skip := rowsOf(kind)
	for ; count > 0 && !cur.done(); count-- {
		skip(&cur)
	}
	counted := kind == wire.KindStack || kind == wire.KindLabelList
	return cur.bad == rule.None && cur.pos == len(b) && (!counted || count == 0)
}

// firstFits says whether the first row of bytes is one of a kind, as far as they
// go.
func firstFits(kind wire.Kind, b []byte) bool {
	cur := cursor{b: b}
	if kind == wire.KindStack || kind == wire.KindLabelList {
		cur.uint32(rule.BLK004)
		cur.uint32(rule.BLK004)
	}
	rowsOf(kind)(&cur)
	return cur.bad == rule.None
}

// plausible says whether a block may begin here, or the stream end.
func plausible(b []byte) bool {
	return len(b) < blockHeader || wire.Kind(b[blockHeader-1]).Known()
}

// rowsOf is what passes over a row of a kind of block that can be read in
// pieces; nil for the others.
func rowsOf(kind wire.Kind) func(*cursor) {
	switch kind {
	case wire.KindStack:
		return func(c *cursor) { c.sub(int(int32(c.uint32(rule.BLK004))), rule.BLK004) }
	case wire.KindThread:
		return func(c *cursor) { c.sub(int(c.uint16(rule.BLK004)), rule.BLK004) }
	case wire.KindLabelList:
		return skipList
	}
	return nil
}

// skipList passes over a label list.
//
// Spec: "LabelListBlock".
func skipList(c *cursor) {
	const id = rule.BLK004
	for kind := byte(0); kind&wire.LastLabel == 0 && c.bad == rule.None; {
		kind = c.byte(id)
		switch wire.LabelKind(kind &^ wire.LastLabel) {
		case wire.LabelActivityID, wire.LabelRelatedActivityID, wire.LabelTraceID:
			c.sub(16, id)
		case wire.LabelSpanID, wire.LabelKeywords:
			c.sub(8, id)
		case wire.LabelKeyString:
			c.text(id)
			c.text(id)
		case wire.LabelKeyNumber:
			c.text(id)
			c.varUint64(id)
		case wire.LabelOpcode, wire.LabelLevel, wire.LabelVersion:
			c.byte(id)
		default:
			c.fail(id, c.pos)
		}
	}
}
