package codec_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestPointEndsThreads: in v4 a thread that a sequence point does not list has
// ended, and its numbers are counted from 0 again. A listed thread continues.
func TestPointEndsThreads(t *testing.T) {
	row := func(sequence uint32, thread byte) []byte {
		return bytesOf(byte(wire.RowMetadataID|wire.RowSequence|wire.RowThread), byte(1), varuint(uint64(sequence-1)), thread, byte(0), thread, byte(1))
	}
	listed := bytesOf(uint64(2000), uint32(1), uint64(7), uint32(1))
	stream := newV4(4, 4).metadata(1, "E", uint32(0)).
		block("EventBlock", eventBlock(wire.BlockCompressed, row(1, 7))).
		block("EventBlock", eventBlock(wire.BlockCompressed, row(5, 8))).
		block("SPBlock", listed).
		block("EventBlock", eventBlock(wire.BlockCompressed, row(2, 7))).
		block("EventBlock", eventBlock(wire.BlockCompressed, row(4, 8))).end()
	var lost []codec.Lost
	r := codec.NewBytesReader(stream, codec.Options{OnLost: func(l codec.Lost) { lost = append(lost, codec.Lost{CaptureThread: l.CaptureThread, Count: l.Count}) }})
	got := drain(r)
	expect.NoError(t, got.err)
	expect.Len(t, "losses", lost, 2)
	expect.Equal(t, "loss at the start of thread 8", lost[0], codec.Lost{CaptureThread: 8, Count: 4})
	expect.Equal(t, "loss of the new thread 8", lost[1], codec.Lost{CaptureThread: 8, Count: 3})
}

// TestPointClearsTables: stacks and label lists end with their region.
func TestPointClearsTables(t *testing.T) {
	stream := newV6().metadata(1, "E").thread(7, 1, 70).
		block(wire.KindStack, uint32(5), uint32(1), uint32(8), uint64(0x10)).
		block(wire.KindLabelList, uint32(3), uint32(1), byte(wire.LabelOpcode|wire.LastLabel), byte(7)).
		block(wire.KindSequencePoint, uint64(0), uint32(0), uint32(0)).
		block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 7, 7, 5, 2000, 3, ""))).end()
	r := codec.NewBytesReader(stream, codec.Options{})
	e, ok := r.Next()
	if !ok {
		t.Fatal(r.Err())
	}
	expect.Len(t, "labels", e.Labels(), 0)
	expect.Len(t, "stack", e.Stack(), 0)
	rules := map[rule.ID]bool{}
	for _, d := range r.Defects() {
		rules[d.Rule] = true
	}
	expect.Equal(t, "unknown stack reported", rules[rule.STK007], true)
	expect.Equal(t, "unknown labels reported", rules[rule.LBL006], true)
}

// TestIdsZero: list 0 stays empty, and an event without a stack gets none from a
// stack 0 that is defined later.
func TestIdsZero(t *testing.T) {
	t.Run("labels", func(t *testing.T) {
		stream := newV6().block(wire.KindLabelList, uint32(0), uint32(2), byte(wire.LabelOpcode|wire.LastLabel), byte(7), byte(wire.LabelOpcode|wire.LastLabel), byte(8)).end()
		r := codec.NewBytesBlockReader(stream, codec.Options{})
		for b, ok := r.Next(); ok; b, ok = r.Next() {
			if b.Kind == wire.KindLabelList {
				expect.Len(t, "list 0", r.LabelList(0), 0)
				expect.Len(t, "list 1", r.LabelList(1), 1)
			}
		}
		expect.NoError(t, r.Err())
	})
	t.Run("stack", func(t *testing.T) {
		stream := newV6().metadata(1, "E").thread(7, 1, 70).
			block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 7, 7, 0, 2000, 0, ""))).
			block(wire.KindStack, uint32(0), uint32(1), uint32(8), uint64(0x10)).end()
		expect.Len(t, "stack", only(t, stream, codec.Options{Order: codec.ByTime}).Stack(), 0)
	})
}
