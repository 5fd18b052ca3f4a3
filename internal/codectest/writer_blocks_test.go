package codectest_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestBlockBytes: an event block has no more bytes than WriterOptions.BlockBytes, unless one
// event alone has more.
func TestBlockBytes(t *testing.T) {
	const limit = 1000
	for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			var out bytes.Buffer
			w := codec.NewWriter(&out, codec.WriterOptions{Format: format, BlockBytes: limit, Uncompressed: true, Trace: clock})
			id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
			expect.NoError(t, err)
			thread := uint64(1)
			if format == wire.V6 {
				thread, err = w.AddThread(&codec.Thread{ThreadID: 1, HasThreadID: true})
				expect.NoError(t, err)
			}
			for n := range uint64(50) {
				expect.NoError(t, w.Write(&codec.Record{MetadataID: id, Thread: thread, CaptureThread: thread, Timestamp: n, Payload: make([]byte, 200)}))
			}
			expect.NoError(t, w.Close())
			blocks := 0
			r := codec.NewBytesBlockReader(out.Bytes(), codec.Options{})
			for b, ok := r.Next(); ok; b, ok = r.Next() {
				if b.Kind == wire.KindEvent {
					blocks++
					expect.AtMost(t, "bytes of a block", len(b.Body), limit)
				}
			}
			expect.AtLeast(t, "blocks", blocks, 10)
		})
	}
}
