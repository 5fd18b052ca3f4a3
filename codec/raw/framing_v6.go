package raw

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const blockHeaderSize = 4

// nextBlock reads one block of v6.
//
// Spec: "Block header".
func (r *Reader) nextBlock() error {
	r.block = Block{Offset: r.win.offset, Kind: wire.KindUnknown}
	if !r.win.fill(blockHeaderSize) {
		return r.cut(r.block.Offset)
	}
	head := binary.LittleEndian.Uint32(r.win.take(blockHeaderSize))
	r.block.Kind = wire.Kind(head >> 24)
	if r.first && r.block.Kind != wire.KindTrace {
		return r.fault(rule.BLK005, r.block.Offset, ErrFraming)
	}
	return r.body(int64(head&0xFFFFFF), 0)
}
