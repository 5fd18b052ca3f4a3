package codec_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestWriterMarksSorted: without Ordered, the Writer marks in the last block of a
// region the rows where the capture thread changes, if no later row of any
// thread is older.
func TestWriterMarksSorted(t *testing.T) {
	type row struct{ thread, time uint64 }
	for _, c := range []struct {
		name   string
		rows   []row
		sorted []bool
	}{
		{"ascending", []row{{1, 10}, {2, 20}, {3, 30}}, []bool{true, true, true}},
		{"equal times", []row{{1, 10}, {2, 10}, {3, 10}}, []bool{true, true, true}},
		{"oldest last", []row{{1, 15}, {2, 20}, {3, 10}}, []bool{false, false, true}},
		{"oldest in the middle", []row{{1, 30}, {2, 10}, {3, 20}}, []bool{false, true, true}},
		{"oldest first", []row{{1, 10}, {2, 30}, {3, 20}}, []bool{true, false, true}},
		{"only where the thread changes", []row{{1, 10}, {1, 11}, {2, 20}, {1, 30}}, []bool{true, false, true, true}},
	} {
		for _, format := range []wire.Format{wire.V4, wire.V6} {
			for _, plain := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/v%d/uncompressed=%v", c.name, format.Major, plain), func(t *testing.T) {
					var out bytes.Buffer
					w := codec.NewWriter(&out, codec.WriterOptions{Format: format, Trace: clock, Uncompressed: plain})
					id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
					expect.NoError(t, err)
					for i := uint64(1); i <= 3 && format == wire.V6; i++ {
						_, err := w.AddThread(&codec.Thread{ThreadID: i, HasThreadID: true})
						expect.NoError(t, err)
					}
					for _, r := range c.rows {
						expect.NoError(t, w.Write(&codec.Record{MetadataID: id, Thread: r.thread, CaptureThread: r.thread, Timestamp: r.time}))
					}
					expect.NoError(t, w.Close())
					var got []bool
					for e, err := range codec.NewBytesReader(out.Bytes(), codec.Options{}).Events() {
						expect.NoError(t, err)
						got = append(got, e.Sorted())
					}
					if !slices.Equal(got, c.sorted) {
						t.Errorf("sorted %v, want %v", got, c.sorted)
					}
				})
			}
		}
	}
}
