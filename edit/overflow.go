package edit

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	blockHeader = 4
	sizeBits    = 24
	pieceSize   = 8 << 20 // of a block that is split
)

// overflows splits the blocks of v6 whose sizes overflowed: a writer that puts
// size | kind<<24 into a header (record-trace) lets the upper bits of a size run
// into the kind. Such a block is known by what it holds: read by its header it
// breaks its own layout, read by one of the sizes and kinds that the header may
// stand for it does not, to the byte.
//
// Spec: "Block header".
type overflows struct {
	*framing
	pieces  pieces
	threads map[uint64]bool // indexes met
}

// advance finds out what may be handed out next: a block as it stands, or a
// piece of one that overflowed.
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

// sound says whether a block may be what its header says. One that the end of
// the stream cuts may.
func (o *overflows) sound(kind wire.Kind, size int) bool {
	if !o.fill(blockHeader + size) {
		return true
	}
	s := scan{b: o.have()[blockHeader : blockHeader+size]}
	switch kind {
	case wire.KindRemoveThread:
		for !s.done() {
			s.bad = !o.threads[s.varUint()] || s.bad
			s.varUint()
		}
	case wire.KindThread:
		s.threads(o.threads)
	case wire.KindEvent, wire.KindMetadata, wire.KindSequencePoint, wire.KindTrace, wire.KindEndOfStream:
		return true
	default:
		return s.block(kind) && o.follows(blockHeader+size)
	}
	return !s.bad
}

// overflowed looks for the kind and the size that the header of a block stands
// for, and makes the pieces.
func (o *overflows) overflowed(kind wire.Kind, size int) bool {
	for upper := 1; upper<<sizeBits+size <= o.most && upper <= int(kind); upper++ {
		for _, k := range []wire.Kind{wire.KindStack, wire.KindLabelList} {
			whole := upper<<sizeBits + size
			if k|wire.Kind(upper) != kind || !o.fill(blockHeader+whole) {
				continue
			}
			s := scan{b: o.have()[blockHeader : blockHeader+whole]}
			if s.block(k) && o.follows(blockHeader+whole) {
				o.skip(blockHeader)
				o.pieces = pieces{kind: k, size: whole}
				return true
			}
		}
	}
	return false
}

// follows says whether a block may begin n bytes further on, or the stream ends
// there.
func (o *overflows) follows(n int) bool {
	return !o.fill(n+blockHeader) || wire.Kind(o.have()[n+blockHeader-1]).Known()
}
