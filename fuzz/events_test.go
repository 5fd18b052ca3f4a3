package fuzz

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
)

func FuzzEventCompressedV4(f *testing.F) {
	seeds(f, wire.KindEvent, v4, compressedSeeds(v4)...)
	fuzz(f)
}

func FuzzEventCompressedV6(f *testing.F) {
	seeds(f, wire.KindEvent, v6, compressedSeeds(v6)...)
	fuzz(f)
}

// compressedSeeds are blocks of more than one batch of rows: with changing
// flags, with rows of two bytes, and with numbers at the end of their range.
func compressedSeeds(v version) [][]byte {
	s := newStream(v)
	all := eventHeader(wire.BlockCompressed)
	for i := range 600 {
		flags := byte(i * 37)
		all = append(all, flags)
		for range 3 + i%3 {
			all = append(all, byte(1+i%3))
		}
		all = append(all, make([]byte, 32)...)
	}
	short := append(eventHeader(wire.BlockCompressed), 1, 1, 0)
	for range 600 {
		short = append(short, 0, 1)
	}
	edges := eventHeader(wire.BlockCompressed)
	for _, v := range []uint64{0, 127, 128, 1<<14 - 1, 1 << 14, 1<<21 - 1, 1 << 21, 1<<28 - 1, 1 << 28, 1<<32 - 1, 1 << 32, 1<<64 - 1} {
		narrow := v & (1<<32 - 1)
		edges = varuint(append(edges, 1|2|4|8), narrow)
		for _, field := range []uint64{narrow, v, narrow, v, narrow, v} {
			edges = varuint(edges, field)
		}
	}
	long := append(slices.Clone(edges), 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0)
	restart := append(eventHeader(wire.BlockCompressed), 1|2, 1)
	restart = append(varuint(restart, 0xF0000000), 1, 0, 0)
	restart = append(varuint(append(restart, 2), 1<<32-0xF0000001), 1, 0, 0)
	blocks := append(strangers(v), longestRows(v)...)
	return append(blocks, s.events(), all, short, edges, long, restart, eventHeader(wire.BlockCompressed))
}

// longestRows are blocks of two rows with the longest possible headers, the
// second truncated at every offset.
func longestRows(v version) (blocks [][]byte) {
	row := []byte{1 | 2 | 4 | 8 | 16 | 32 | 128}
	small, large := varuint(nil, 1<<32-1), varuint(nil, 1<<64-1)
	row = slices.Concat(row, small, small, large, small, large, small, large)
	if v.HasLabelLists() {
		row = append(row, small...)
	} else {
		row = append(row, "activity.activity.related.related"[:32]...)
	}
	row = append(row, 0x80, 0x80, 0x80, 0x80, 0) // no payload, encoded in five bytes
	b := slices.Concat(eventHeader(wire.BlockCompressed), row, row)
	for cut := range len(row) {
		blocks = append(blocks, b[:len(b)-cut])
	}
	return blocks
}

// strangers are blocks in which one row has one missing reference, far from the
// end of the block.
func strangers(v version) (blocks [][]byte) {
	for _, strange := range []byte{wire.RowMetadataID, wire.RowSequence, wire.RowThread, wire.RowStackID, wire.RowLabelList} {
		if !v.HasLabelLists() && strange == wire.RowLabelList {
			continue
		}
		b := append(eventHeader(wire.BlockCompressed), 1|2|4|8, 1, 0, 1, 0, 1, 1, 1)
		switch strange {
		case wire.RowSequence:
			b = append(b, strange, 0, 99, 0, 1)
		default:
			b = append(b, strange, 99, 1)
		}
		if strange == wire.RowLabelList { // after the time
			b[len(b)-2], b[len(b)-1] = 1, 99
		}
		blocks = append(blocks, append(b, make([]byte, 200)...))
	}
	return blocks
}

func FuzzEventPlainV4(f *testing.F) {
	var own [][]byte
	for _, size := range []int{0, 4, 5} {
		for _, pad := range []int{0, 3} {
			for _, counted := range []int{0, 3} {
				b := eventHeader(0)
				for i := range uint32(3) {
					at := len(b)
					b = append(b, rowPlainV4(1+i, 1+i, i, 1, make([]byte, size))...)
					b[at] += byte(min(pad, counted))
					b = append(b, make([]byte, pad)...)
				}
				own = append(own, b)
			}
		}
	}
	seeds(f, wire.KindEvent, v4, own...)
	fuzz(f)
}

func FuzzEventPlainV6(f *testing.F) {
	b := eventHeader(0)
	for i := range uint32(300) {
		b = append(b, rowPlainV6(i%8|i%3<<31, i*(i%11), i%7, i%5, uint64(i%6), make([]byte, i%9))...)
	}
	seeds(f, wire.KindEvent, v6, b, b[:20+52], b[:20+51], b[:20])
	fuzz(f)
}

func FuzzEventV3(f *testing.F) {
	frames := make([]byte, 24)
	b := slices.Concat(rowV3(1, []byte{1, 2, 3}, frames), rowV3(0, definition(9, 2), nil), rowV3(9, nil, frames[:8]), rowV3(77, nil, nil))
	seeds(f, wire.KindEvent, v3, b, b[:len(b)-1], b[1:])
	fuzz(f)
}
