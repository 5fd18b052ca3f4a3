package fuzz

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// FuzzPayload gets a field list, encoded as in metadata, and a payload.
func FuzzPayload(f *testing.F) {
	for _, s := range payloadSeeds() {
		for how := range byte(8) {
			f.Add(s[0], s[1], how)
		}
	}
	f.Add(oldFields(), append(wide("text"), 1, 0, 0, 0, 2, 0, 0, 0), byte(objectForm))
	fuzz(f)
}

// payloadSeeds are pairs of a field list of v6 and a payload.
func payloadSeeds() [][2][]byte {
	text := append(wide("héllo 😀"), wide("")...)
	integers := []byte{byte(wire.Boolean), byte(wire.UTF16CodeUnit), byte(wire.SByte), byte(wire.Byte), byte(wire.Int16), byte(wire.UInt16),
		byte(wire.Int32), byte(wire.UInt32), byte(wire.Int64), byte(wire.UInt64), byte(wire.Single), byte(wire.Double), byte(wire.GUIDCode)}
	var scalars [][]byte
	for _, code := range integers {
		scalars = append(scalars, []byte{code})
	}
	empty := []byte{byte(wire.Object), 0, 0}
	return [][2][]byte{
		{fieldList(), nil},
		{fieldList(scalars...), bytes.Repeat([]byte{0x81}, 69)},
		{fieldList([]byte{15}, []byte{16}, []byte{3}), make([]byte, 8+8+4)},
		{fieldList([]byte{15}, []byte{16}, []byte{3}), make([]byte, 8+8+1)},
		{fieldList([]byte{6}, []byte{6}), make([]byte, 5)},
		{fieldList([]byte{18}, []byte{18}), text},
		{fieldList([]byte{18}, []byte{9}), []byte{'a', 0, 'b'}},
		{fieldList([]byte{20}, []byte{21}), append(varuint(nil, 1<<64-1), varuint(nil, 300)...)},
		{fieldList([]byte{19, 9}, []byte{19, 18}, []byte{19, 23}), []byte{1, 0, 1, 2, 3, 4, 2, 0, 'a', 0, 0, 0, 0, 0, 3, 0, 'a', 'b', 'c'}},
		{fieldList([]byte{22, 9, 2, 0}, []byte{22, 18, 2, 0}, []byte{22, 4, 2, 0}), make([]byte, 8+4+4)},
		{fieldList([]byte{25, 8}, []byte{24, 23}), []byte{8, 0, 4, 0, 0, 0, 2, 0, 1, 2, 3, 4}},
		{fieldList([]byte{19, 25, 9}, []byte{6}), []byte{1, 0, 2, 0, 4, 0, 9}},
		{fieldList([]byte{25, 25, 25, 9}), []byte{0, 0, 4, 0, 0, 0, 4, 0}},
		{fieldList(append([]byte{25}, empty...), append([]byte{19}, empty...)), []byte{0, 0, 4, 0, 2, 0, 1, 1}},
		{fieldList(append(append([]byte{22}, empty...), 9, 0)), []byte{1, 2, 3}},
		{fieldList([]byte{22, 22, 22, 8, 0, 16, 0, 16, 0, 16}, []byte{6}), make([]byte, 9)},
		{fieldList(append([]byte{1, 2, 0}, 3, 0, 0, 3, 0, 3, 0, 0, 9, 0)), []byte{1, 2, 3, 4, 5}},
		{fieldList([]byte{23}, []byte{19, 23}), []byte{2, 0, 'h', 'i', 1, 0, 'x'}},
	}
}

// fieldList is a field list of v6 with fields of the given types.
func fieldList(types ...[]byte) []byte {
	b := []byte{byte(len(types)), 0}
	for i, t := range types {
		b = append(append(b, byte(2+len(t)), 0, 1, byte('a'+i)), t...)
	}
	return b
}

// oldFields is a field list of v4.
func oldFields() []byte {
	b := append32(nil, 3, uint32(wire.NullTerminatedUTF16String))
	b = append32(append(b, wide("s")...), uint32(wire.Boolean))
	b = append32(append(b, wide("b")...), uint32(wire.Object), 1, uint32(wire.Int32))
	return append(append(b, wide("i")...), wide("o")...)
}
