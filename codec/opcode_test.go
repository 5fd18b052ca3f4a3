package codec_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestOpcodeZero: a metadata row with opcode 0 is not one without an opcode.
func TestOpcodeZero(t *testing.T) {
	row := func(optional ...any) []byte {
		return bytesOf(varuint(1), text("P"), varuint(1), text("E"), uint16(0), sized(optional...))
	}
	zero := row(byte(wire.MetadataOpcode), byte(0))
	event := eventBlock(0, rowV6(1, 1, 7, 7, 0, 2000, 0, ""))
	e := only(t, newV6().thread(7, 1, 70).metadataRow(zero).block(wire.KindEvent, event).end(), codec.Options{})
	expect.Equal(t, "OpcodeSet", e.Metadata().OpcodeSet, true)
	e = only(t, newV6().thread(7, 1, 70).metadataRow(row()).block(wire.KindEvent, event).end(), codec.Options{})
	expect.Equal(t, "OpcodeSet without one", e.Metadata().OpcodeSet, false)
	got := drain(codec.NewBytesReader(newV6().metadataRow(zero).metadataRow(row()).end(), codec.Options{}))
	expect.Len(t, "defects", got.defects, 1)
}

// TestTagsV4: the tags of a metadata row may be in any order.
func TestTagsV4(t *testing.T) {
	opcode, fields := bytesOf(uint32(1), byte(wire.TagOpcode), byte(9)), bytesOf(uint32(4), byte(wire.TagV2Params), uint32(0))
	for _, tags := range [][]byte{bytesOf(opcode, fields), bytesOf(fields, opcode)} {
		stream := newV4(5, 4).metadata(1, "E", uint32(0), tags).block("EventBlock", eventBlock(0, rowV4(1, 1, 2000, "", 0, 0))).end()
		m := only(t, stream, codec.Options{}).Metadata()
		expect.Equal(t, "opcode", m.Opcode, 9)
		expect.Equal(t, "OpcodeSet", m.OpcodeSet, true)
		expect.Equal(t, "V2Params", m.V2Params, true)
	}
}

// TestRowsWithoutMetadataV4: in v4 a row with metadata id 0 does not count.
func TestRowsWithoutMetadataV4(t *testing.T) {
	rows := bytesOf(
		byte(wire.RowSequence), varuint(4), byte(7), byte(0), byte(1), // number 5
		byte(0), byte(1),
		byte(0), byte(1),
		byte(wire.RowMetadataID), byte(1), byte(1),
		byte(0), byte(1))
	stream := newV4(4, 4).metadata(1, "E", uint32(0)).block("EventBlock", eventBlock(wire.BlockCompressed, rows)).end()
	var got []uint32
	for e, err := range codec.NewBytesReader(stream, codec.Options{}).Events() {
		expect.NoError(t, err)
		got = append(got, e.Sequence)
	}
	expect.Slices(t, "numbers", got, []uint32{5, 5, 5, 6, 7})
}
