package check

import (
	"encoding/binary"
	"fmt"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	sizeBits   = 24       // of a block's size; its kind is above
	mostAhead  = 64 << 20 // bytes searched for a block whose size overflowed
	mostTries  = 8        // blocks that are searched and are only bad
	pieceBytes = 8 << 20  // of a block that is read in pieces
)

// overflowed handles a block of v6 whose first row does not parse as its kind. If
// its size overflowed into its kind, it is reported, and read with the intended
// kind and size.
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
			if kind|wire.Kind(upper) != b.Kind || !inPieces(kind) || !c.firstFits(kind, body) {
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

// replay reports the overflow, and makes the Reader read the block in pieces.
func (c *checker) replay(kind wire.Kind, ahead []byte, size int) {
	b, s := c.b, c.src
	c.place.Kind = kind
	if f := c.found(rule.BLK004, 0, c.here()); f != nil {
		f.want("a size below 16,777,216 bytes",
			fmt.Sprintf("%v of %d bytes, whose header reads as %v of %d", kind, size, b.Kind, b.Size))
	}
	s.unread(ahead[size:])
	s.left = 0
	virtual := s.given
	for _, p := range c.pieces(kind, ahead[:size]) {
		s.shifts = append(s.shifts, shift{virtual, virtual + int64(len(p.head)) - (b.BodyOffset + int64(p.start))})
		virtual += int64(len(p.head) + len(p.body))
		s.pieces = append(s.pieces, p)
	}
	s.shifts = append(s.shifts, shift{virtual, virtual - (b.BodyOffset + int64(size))})
	c.inPieces = true
}

// pieces makes several blocks of a body that is too long for one.
func (c *checker) pieces(kind wire.Kind, body []byte) (list []piece) {
	var first, rows uint32
	start := 0
	if isCounted(kind) {
		first = binary.LittleEndian.Uint32(body)
	}
	add := func(end int) {
		p := piece{start: start, body: body[start:end:end]}
		head := uint32(len(p.body))
		if isCounted(kind) {
			head += 8
		}
		p.head = binary.LittleEndian.AppendUint32(nil, head|uint32(kind)<<sizeBits)
		if isCounted(kind) {
			p.head = binary.LittleEndian.AppendUint32(p.head, first)
			p.head = binary.LittleEndian.AppendUint32(p.head, rows)
		}
		list = append(list, p)
		first, start, rows = first+rows, end, 0
	}
	for pos := range c.walker.Rows(kind, body) {
		switch {
		case rows == 0 && len(list) == 0:
			start = pos
		case pos-start >= pieceBytes:
			add(pos)
		}
		rows++
	}
	if rows > 0 {
		add(len(body))
	}
	return list
}

// isCounted reports whether a block states its number of rows and the id of the
// first one.
func isCounted(kind wire.Kind) bool { return kind == wire.KindStack || kind == wire.KindLabelList }

// inPieces reports whether a block of a kind can be read in pieces.
func inPieces(kind wire.Kind) bool { return isCounted(kind) || kind == wire.KindThread }

// exact reports whether bytes are a complete block of a kind.
func (c *checker) exact(kind wire.Kind, b []byte) bool {
	for range c.walker.Rows(kind, b) {
	}
	return c.walker.Fault().Rule == rule.None && c.walker.Pos() == len(b)
}

// firstFits reports whether the first row of bytes is one of a kind, as far as they
// go.
func (c *checker) firstFits(kind wire.Kind, b []byte) bool {
	rows := 0
	for range c.walker.Rows(kind, b) {
		if rows++; rows > 1 {
			return true
		}
	}
	fault := c.walker.Fault()
	return rows == 1 && (fault.Rule == rule.None || fault.Row != 0)
}

// plausible reports whether a block may begin here, or the stream end.
func plausible(b []byte) bool {
	return len(b) < blockHeader || wire.Kind(b[blockHeader-1]).Known()
}
