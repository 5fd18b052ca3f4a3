package columns_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestImpossibleClock: the columns time of a trace whose clock is impossible are null, with a
// warning.
func TestImpossibleClock(t *testing.T) {
	for name, header := range map[string]codec.Trace{
		"far":  {SyncTime: time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC), TickFrequency: 1e9},
		"old":  {SyncTime: time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC), TickFrequency: 1e9},
		"good": {SyncTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), TickFrequency: 1e9},
	} {
		var stream bytes.Buffer
		w := codec.NewWriter(&stream, codec.WriterOptions{Trace: header})
		id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1, Name: "E"})
		expect.NoError(t, err)
		thread, err := w.DefineThread(&codec.Thread{ThreadID: 7, HasThreadID: true})
		expect.NoError(t, err)
		expect.NoError(t, w.Write(&codec.Record{MetadataID: id, Timestamp: 5, Thread: thread, CaptureThread: thread}))
		expect.NoError(t, w.Close())
		trace, err := columns.New(columns.Options{
			Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(stream.Bytes())), nil },
		})
		expect.NoError(t, err)
		expect.Stop(t)
		for _, table := range []string{"events", "P_E"} {
			data, err := trace.Load(t.Context(), table, "time")
			expect.NoError(t, err)
			expect.Stop(t)
			expect.Equal(t, name+": time of "+table+" is null", data.Vector("time").Null(0), name != "good")
		}
		warned := slices.ContainsFunc(trace.LeftOut().Warnings(), func(text string) bool { return strings.Contains(text, "clock") })
		expect.Equal(t, name+": warning", warned, name != "good")
	}
}
