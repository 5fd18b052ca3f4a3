package raw

import (
	"bytes"
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// truncatedBodyRule is the rule that is broken by a stream that ends inside a
// body. When the existing bytes end like a stream, the stream is complete and the
// size of the block is wrong.
func (r *Reader) truncatedBodyRule(body []byte) rule.ID {
	switch {
	case r.objects && bytes.HasSuffix(body, []byte{wire.TagEnd, wire.TagNull}):
		return rule.OBJ008
	case !r.objects && endsWithBlocks(body):
		return rule.BLK002
	}
	return rule.EOS006
}

// endsWithBlocks reports whether a body ends with blocks of v6 that should follow
// it: one that is not empty, and the end mark.
func endsWithBlocks(body []byte) bool {
	end := len(body) - blockHeaderSize
	if end < 0 || binary.LittleEndian.Uint32(body[end:]) != 0 {
		return false
	}
	for i := range max(0, end-blockHeaderSize) {
		head := binary.LittleEndian.Uint32(body[i:])
		kind, size := wire.Kind(head>>24), int(head&(1<<24-1))
		if i+blockHeaderSize+size == end && size > 0 && kind != wire.KindEndOfStream && kind.Known() {
			return true
		}
	}
	return false
}
