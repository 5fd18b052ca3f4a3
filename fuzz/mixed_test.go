package fuzz

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// scripts drive a Reader: each in all options.
var scripts = [][]byte{
	{0x00, 0x07, 0x30, 0x08, 0xF0, 0x07, 0xF0},
	{0x53, 0, 1, 2, 6, 10, 14, 18, 22, 26, 0x22, 1, 1, 1},
	{0x10, 0x04, 0x25, 0x00, 0x14, 0x10, 0xF0},
	{0x06, 0x20, 0x16, 0x13, 2, 2, 0x09, 0xF6},
	{0x10, 0x6A, 1, 2, 0xF0, 0x7A, 0, 3, 0xF2, 1, 1, 1, 0x29, 0x15, 0xF0},
	{0xF4, 0x09, 0xF6, 0x19, 0xF2, 0xFA, 2, 1, 0xF0, 0x16},
}

// FuzzMixed gets a script and a complete stream, and drives one Reader over it by
// all its methods in any order: Next, loops over Events with calls inside,
// blocks, rows, fields, Reset and Between, in both orders, strict or not.
func FuzzMixed(f *testing.F) {
	var streams [][]byte
	for _, v := range []version{v3, v4, v6} {
		s := newStream(v).tables()
		s.add(wire.KindEvent, s.events())
		streams = append(streams, s.end(), regions(v))
	}
	for i, stream := range slices.Concat(streams, allStreams(f)) {
		if len(stream) > longestMixed {
			continue
		}
		for j, script := range scripts {
			if i < len(streams) || j == i%len(scripts) {
				f.Add(append([]byte{byte(i*len(scripts) + j)}, script...), stream)
			}
		}
	}
	fuzz(f)
}
