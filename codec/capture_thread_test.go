package codec_test

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestCaptureThreadAlone: a row that writes its capture thread (flag 2) and not
// its thread (flag 4) has the thread of the row before. The first rows of a block
// are decoded by the fast loop, the last ones with more checks.
func TestCaptureThreadAlone(t *testing.T) {
	const written = wire.RowMetadataID | wire.RowSequence | wire.RowThread | wire.RowPayloadSize
	about7 := bytesOf(byte(written), byte(1), byte(0), byte(7), byte(0), byte(7), byte(1), byte(0))
	capturedBy8 := bytesOf(byte(wire.RowSequence), byte(0), byte(8), byte(0), byte(1))
	unchanged := bytesOf(byte(0), byte(1))
	rows := bytes.Join([][]byte{about7, capturedBy8, unchanged, about7, unchanged, unchanged, capturedBy8}, nil)
	captures := []uint64{7, 8, 8, 7, 7, 7, 8}
	for name, stream := range map[string][]byte{
		"v4": newV4(4, 4).metadata(1, "E", uint32(0)).block("EventBlock", eventBlock(wire.BlockCompressed, rows)).end(),
		"v6": newV6().metadata(1, "E").thread(7, 1, 70).thread(8, 1, 80).
			block(wire.KindEvent, eventBlock(wire.BlockCompressed, rows)).end(),
	} {
		t.Run(name, func(t *testing.T) {
			var got []uint64
			for e, err := range codec.NewBytesReader(stream, codec.Options{}).Events() {
				expect.NoError(t, err)
				expect.Equal(t, "ThreadIndex", e.ThreadIndex, 7)
				got = append(got, e.CaptureThreadIndex)
			}
			expect.Slices(t, "capture threads", got, captures)
		})
	}
}
