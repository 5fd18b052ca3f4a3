package codec_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestLastLabelOfKind: of several labels of one kind the last one counts.
func TestLastLabelOfKind(t *testing.T) {
	one, two := wire.GUID{1}, wire.GUID{2}
	list := bytesOf(
		byte(wire.LabelActivityID), one[:], byte(wire.LabelActivityID), two[:],
		byte(wire.LabelRelatedActivityID), one[:], byte(wire.LabelRelatedActivityID), two[:],
		byte(wire.LabelOpcode), byte(1), byte(wire.LabelOpcode), byte(2),
		byte(wire.LabelKeywords), uint64(1), byte(wire.LabelKeywords), uint64(2),
		byte(wire.LabelLevel), byte(1), byte(wire.LabelLevel), byte(2),
		byte(wire.LabelVersion), byte(1), byte(wire.LabelVersion|wire.LastLabel), byte(2))
	stream := newV6().metadata(1, "E").thread(7, 1, 70).block(wire.KindLabelList, uint32(1), uint32(1), list).
		block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 7, 7, 0, 2000, 1, ""))).end()
	e := only(t, stream, codec.Options{})
	expect.Len(t, "labels", e.Labels(), 12)
	expect.Equal(t, "Activity", e.Activity(), two)
	expect.Equal(t, "RelatedActivity", e.RelatedActivity(), two)
	expect.Equal(t, "Opcode", e.Opcode(), 2)
	expect.Equal(t, "Keywords", e.Keywords(), 2)
	expect.Equal(t, "Level", e.Level(), 2)
	expect.Equal(t, "Version", e.Version(), 2)
}

// TestLabelNumber: the number of a label is in zig-zag form, so it can be negative.
func TestLabelNumber(t *testing.T) {
	for _, c := range []struct {
		encoded uint64
		want    int64
	}{{0, 0}, {1, -1}, {2, 1}, {5, -3}, {1<<64 - 1, -1 << 63}, {1<<64 - 2, 1<<63 - 1}} {
		list := bytesOf(byte(wire.LabelKeyNumber|wire.LastLabel), text("n"), varuint(c.encoded))
		stream := newV6().metadata(1, "E").thread(7, 1, 70).block(wire.KindLabelList, uint32(1), uint32(1), list).
			block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 7, 7, 0, 2000, 1, ""))).end()
		labels := only(t, stream, codec.Options{}).Labels()
		expect.Len(t, "labels", labels, 1)
		expect.Equal(t, "number", int64(labels[0].Number), c.want)
	}
}
