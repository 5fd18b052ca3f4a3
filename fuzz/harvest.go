package fuzz

import (
	"bytes"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// largestSeed is the size of the largest seed, in bytes.
const largestSeed = 16 << 10

// place is a kind of block in a version of the format.
type place struct {
	format wire.Format // without the minor number
	kind   wire.Kind
}

// placeOf returns the place of a block.
func placeOf(t *codec.Trace, b *codec.Block) place {
	format := t.Format
	format.Minor = 0
	return place{format, b.Kind}
}

// harvest holds the blocks of real traces and of the small streams.
type harvest struct {
	bodies  map[place][][]byte
	streams [][]byte
}

// take adds the blocks of a stream, and the stream.
func (h *harvest) take(b []byte) {
	if len(b) <= largestSeed {
		h.streams = append(h.streams, b)
	}
	r := codec.NewBytesBlockReader(b, codec.Options{OnError: codec.Skip})
	for block, ok := r.Next(); ok; block, ok = r.Next() {
		t, err := r.Trace()
		if err != nil || len(block.Body) > largestSeed {
			continue
		}
		p := placeOf(t, block)
		h.bodies[p] = append(h.bodies[p], bytes.Clone(block.Body))
	}
}
