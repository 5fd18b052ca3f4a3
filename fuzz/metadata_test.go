package fuzz

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
)

func FuzzMetadataV4(f *testing.F) {
	s := newStream(v4)
	plain := append(eventHeader(0), rowPlainV4(0, 0, 0, 1, definition(5, 3))...)
	seeds(f, wire.KindMetadata, v4, s.metadata([]uint32{1, 5}), s.metadata([]uint32{7, 7 + 1024, 7 + 2048, 7}), plain)
	fuzz(f)
}

// FuzzMetadataTags fuzzes the bytes after the field list of a row.
func FuzzMetadataTags(f *testing.F) {
	params := []byte{2, 0, 0, 0} // fields
	params = append(append32(params, 4+4+4), append(wide("a"), 9, 0, 0, 0)...)
	params = append(append32(params, 4+4+8), append(wide("b"), 19, 0, 0, 0, 9, 0, 0, 0)...)
	v2 := append(append32(nil, uint32(len(params))), 2)
	v2 = append(v2, params...)
	opcode := []byte{1, 0, 0, 0, 1, 9}
	inner := append(append32(nil, 4+4+4+4), append(wide("o"), 1, 0, 0, 0, 0, 0, 0, 0)...)
	object := append(append32(nil, uint32(4+len(inner))), 2, 1, 0, 0, 0)
	object = append(object, inner...)
	own := [][]byte{
		nil, opcode, v2, object, append(slices.Clone(opcode), v2...), {3, 0, 0, 0, 77, 1, 2, 3}, {0, 0, 0, 0, 1},
		{4, 0, 0, 0, 2, 0xFF, 0xFF, 0xFF, 0x7F}, {0xFF, 0xFF, 0xFF, 0xFF, 1},
	}
	addAll(f, append(own, tagsIn(corporaHarvest().bodies[place{wire.V4, wire.KindMetadata}])...))
	fuzz(f)
}

// tagsIn finds the bytes of possible V2Params tags in metadata blocks.
func tagsIn(blocks [][]byte) (tags [][]byte) {
	for _, b := range blocks {
		for at := 4; at < len(b) && len(tags) < 32; at++ {
			if n := len(b) - at; b[at] == 2 && n > 1 {
				size := int(b[at-4]) | int(b[at-3])<<8
				if b[at-2] == 0 && b[at-1] == 0 && size >= 4 && size < n {
					tags = append(tags, b[at-4:at+1+size])
				}
			}
		}
	}
	return tags
}

func FuzzMetadataV6(f *testing.F) {
	s := newStream(v6)
	seeds(f, wire.KindMetadata, v6, s.metadata([]uint32{1, 5}), s.metadata([]uint32{7, 7 + 1024, 7 + 2048, 7}), []byte{0, 0}, optionalMetadata())
	fuzz(f)
}

// optionalMetadata is a block with one row that has all there can be.
func optionalMetadata() []byte {
	row := append([]byte{5}, text("Provider")...)
	row = append(append(row, 77), text("Event")...)
	var fields []byte
	types := [][]byte{
		{9}, {18}, {19, 23}, {20}, {21}, {22, 19, 9, 3, 0}, {24, 9}, {25, 4}, {26},
		{1, 2, 0, 3, 0, 1, 'x', 9, 3, 0, 1, 'y', 18}, {19, 1, 1, 0, 3, 0, 1, 'z', 7},
	}
	for _, t := range types {
		fields = append(append(fields, byte(2+len(t)), 0, 1, 'f'), t...)
	}
	row = append(append(row, byte(len(types)), 0), fields...)
	optional := append([]byte{1, 9, 3, 1, 2, 3, 4, 5, 6, 7, 8, 4}, text("{a}")...)
	optional = append(append(optional, 5), text("description")...)
	optional = append(append(append(optional, 6), text("k")...), text("v")...)
	optional = append(append(append(optional, 7), "0123456789abcdef"...), 8, 5, 9, 2)
	row = append(append(row, byte(len(optional)), 0), optional...)
	row = append(row, "more"...)
	return append([]byte{3, 0, 1, 2, 3, byte(len(row)), 0}, row...)
}
