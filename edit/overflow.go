package edit

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	blockHeader = 4
	sizeBits    = 24
	pieceSize   = 8 << 20 // maximum size of the parts of a split block
)

// overflows splits the blocks of v6 whose sizes overflowed: a writer that puts
// size
//
// kind<<24 into a header (record-trace) lets the upper bits of a size change the
// kind. The content identifies such a block: with the kind and size of its header
// its rows are malformed, with another kind and size that give the same header
// they are valid to the last byte.
//
// Spec: "Block header".
type overflows struct {
	*framing
	walker  *layout.Walker
	pieces  pieces
	threads map[uint64]bool // indexes met
}

// advance returns the next bytes: an unchanged block, or a part of an overflowed
// one.
func (o *overflows) advance() bool {
	if o.pieces.size > 0 {
		if out := o.pieces.next(o.have()); out != nil {
			o.replaceNext(out, 0)
			return true
		}
		o.skip(o.pieces.size)
		o.pieces.size = 0
	}
	if !o.fill(blockHeader) {
		return o.rest()
	}
	head := binary.LittleEndian.Uint32(o.have())
	kind, size := wire.Kind(head>>sizeBits), int(head&(1<<sizeBits-1))
	if !o.sound(kind, size) && o.overflowed(kind, size) {
		o.changes.add("blocks whose size overflowed split", 1)
		return o.advance()
	}
	o.pass(blockHeader + size)
	return true
}

// sound reports whether a block is valid with its header. A block that is
// truncated by the end of the stream may be.
func (o *overflows) sound(kind wire.Kind, size int) bool {
	if !o.fill(blockHeader + size) {
		return true
	}
	body := o.have()[blockHeader : blockHeader+size]
	switch kind {
	case wire.KindRemoveThread:
		for f := range o.walker.Block(kind, body) {
			if f.Name == "Index" && !o.threads[f.Value] {
				return false
			}
		}
	case wire.KindThread:
		for f := range o.walker.Block(kind, body) {
			if f.Name == "Index" {
				o.threads[f.Value] = true
			}
		}
	case wire.KindStack, wire.KindLabelList:
		return complete(o.walker, kind, body) && o.follows(blockHeader+size)
	default:
		return kind.Known()
	}
	return o.walker.Fault().Rule == rule.None
}

// overflowed looks for the kind and the size that give the header of a block, and
// makes the parts.
func (o *overflows) overflowed(kind wire.Kind, size int) bool {
	for upper := 1; upper<<sizeBits+size <= o.most && upper <= int(kind); upper++ {
		for _, k := range []wire.Kind{wire.KindStack, wire.KindLabelList} {
			whole := upper<<sizeBits + size
			if k|wire.Kind(upper) != kind || !o.fill(blockHeader+whole) {
				continue
			}
			body := o.have()[blockHeader : blockHeader+whole]
			if complete(o.walker, k, body) && o.follows(blockHeader+whole) {
				o.pieces = piecesOf(o.walker, k, o.have()[blockHeader:blockHeader+whole])
				o.skip(blockHeader)
				return true
			}
		}
	}
	return false
}

// follows reports whether a block can start n bytes further on, or the stream
// ends there.
func (o *overflows) follows(n int) bool {
	return !o.fill(n+blockHeader) || wire.Kind(o.have()[n+blockHeader-1]).Known()
}
