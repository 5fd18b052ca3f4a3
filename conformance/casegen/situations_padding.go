package main

import (
	"encoding/binary"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Sizes in uncompressed rows of v4 and v5.
const (
	rowHeader    = 80 // with EventSize
	eventSize    = 4
	payloadField = rowHeader - 4 // position of PayloadSize
)

// padded has uncompressed rows that need padding, which package gen does not write.
func padded(g *stage) {
	rows := codec.BlockRows{Kind: wire.KindEvent, MinTimestamp: start + 1, MaxTimestamp: start + 3}
	for i, payload := range []string{"12345", "odd", "four"} {
		rows.Events = append(rows.Events, codec.EventRow{
			MetadataID: g.counted(uint32(len(payload))), Sequence: uint32(i + 1), CaptureThreadIndex: 1, ThreadIndex: 1,
			Processor: 2, Timestamp: start + uint64(i+1), Sorted: true, Payload: []byte(payload),
		})
	}
	g.Block(&rows)
}

// uncounted makes the EventSize of each row of padded leave out the padding, and removes
// the padding if cut is true.
func uncounted(b []byte, cut bool) []byte {
	var ends []int // of the payloads
	var block codec.Block
	forEachEvent(b, func(in *codec.Block, e *codec.Event) {
		n := len(e.Payload())
		binary.LittleEndian.PutUint32(b[e.Offset():], uint32(rowHeader-eventSize+n))
		ends = append(ends, int(e.Offset())+rowHeader+n)
		block = *in
	})
	if !cut {
		return b
	}
	const head = 3 + 3*4 + len("EventBlock") + 1 // of the object, before BlockSize
	size := binary.LittleEndian.Uint32(b[block.Offset+int64(head):])
	for _, end := range slices.Backward(ends) {
		padding := -end & 3
		b = slices.Delete(b, end, end+padding)
		size -= uint32(padding)
	}
	binary.LittleEndian.PutUint32(b[block.Offset+int64(head):], size)
	return b
}

// firstRow is where the first row of a trace is.
func firstRow(trace []byte) int64 {
	first := int64(-1)
	forEachEvent(trace, func(_ *codec.Block, e *codec.Event) {
		if first < 0 {
			first = e.Offset()
		}
	})
	return first
}

// payloadSize is where the first row of a trace has its PayloadSize.
func payloadSize(trace []byte) int64 { return firstRow(trace) + payloadField }
