package edit_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// stream writes a stream with one type of event.
func stream(t *testing.T, major uint32, blocks ...*codec.BlockRows) []byte {
	t.Helper()
	var b bytes.Buffer
	w := codec.NewBlockWriter(&b, codec.BlockWriterOptions{Format: wire.Format{Major: major}})
	blocks = append([]*codec.BlockRows{
		{Kind: wire.KindTrace, Trace: &codec.Trace{
			SyncTime: moment, TickFrequency: 1e9, PointerSize: 8,
			Properties: []codec.KeyValue{{Key: codec.ProcessIDKey, Value: "7"}},
		}},
		{Kind: wire.KindMetadata, Flags: wire.BlockCompressed, Metadata: []codec.MetadataBytes{{Metadata: &codec.Metadata{ID: 1, Provider: "P", EventID: 1}}}},
	}, blocks...)
	for _, block := range blocks {
		if err := w.WriteBlock(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// eventsOf returns events of a thread with the given numbers; their times are
// equal to their numbers.
func eventsOf(thread uint64, numbers ...uint32) *codec.BlockRows {
	b := &codec.BlockRows{Kind: wire.KindEvent, Flags: wire.BlockCompressed}
	for _, n := range numbers {
		b.Events = append(b.Events, codec.EventRow{
			MetadataID: 1, Sequence: n, ThreadIndex: thread, CaptureThreadIndex: thread, Timestamp: 100, Sorted: true,
		})
	}
	b.MinTimestamp, b.MaxTimestamp = 100, 100
	return b
}

func point(flags uint32, threads ...codec.ThreadSequence) *codec.BlockRows {
	return &codec.BlockRows{Kind: wire.KindSequencePoint, SequencePoint: codec.SequencePoint{Timestamp: 100, Flags: flags, Threads: threads}}
}

func threadRow(index, process, id uint64) *codec.BlockRows {
	return &codec.BlockRows{Kind: wire.KindThread, Threads: []codec.ThreadBytes{{Thread: &codec.Thread{
		Index: index, ProcessID: process, HasProcessID: true, ThreadID: id, HasThreadID: true,
	}}}}
}

// TestThreadsToV6: the thread of each event, and the losses.
func TestThreadsToV6(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks []*codec.BlockRows
		want   string // indexes of the capture threads
		lost   string
	}{
		{"follows", []*codec.BlockRows{eventsOf(9, 1, 2), eventsOf(9, 3)}, "[1 1 1]", "map[]"},
		{"restarts", []*codec.BlockRows{eventsOf(9, 1, 2), eventsOf(9, 1, 3)}, "[1 1 2 2]", "map[9:1]"},
		{"wraps", []*codec.BlockRows{eventsOf(9, 1), point(0, codec.ThreadSequence{Thread: 9, Sequence: 1<<32 - 2}),
			eventsOf(9, 1<<32-1, 0, 1, 2)}, "[1 1 1 1 1]", "map[9:4294967293]"},
		{"only-in-point", []*codec.BlockRows{eventsOf(9, 1), point(0, codec.ThreadSequence{Thread: 9, Sequence: 1},
			codec.ThreadSequence{Thread: 8, Sequence: 5}, codec.ThreadSequence{Thread: 7})}, "[1]", "map[8:5]"},
		{"left-out", []*codec.BlockRows{eventsOf(9, 1, 2), point(0), eventsOf(9, 3)}, "[1 1 2]", "map[9:2]"},
		{"stays", []*codec.BlockRows{eventsOf(9, 1, 2), point(0, codec.ThreadSequence{Thread: 9, Sequence: 2}), eventsOf(9, 3)}, "[1 1 1]", "map[]"},
		{"lost-at-point", []*codec.BlockRows{eventsOf(9, 1), point(0, codec.ThreadSequence{Thread: 9, Sequence: 4}), eventsOf(9, 6)}, "[1 1]", "map[9:4]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := stream(t, 4, c.blocks...)
			for _, opt := range []edit.ConvertOptions{{}, {Compact: true}} {
				out, _ := convert(t, data, opt)
				same(t, c.name, summarize(t, data), out, leveled)
				var indexes []uint64
				r := codec.NewBytesReader(out, codec.Options{Strict: true})
				for e := range r.Events() {
					indexes = append(indexes, e.CaptureThreadIndex)
				}
				_, lost := readViews(t, out)
				expect.Equal(t, "fmt.Sprint(indexes)", fmt.Sprint(indexes), c.want)
				expect.Equal(t, "fmt.Sprint(lost)", fmt.Sprint(lost), c.lost)
				expect.Equal(t, "Err()", r.Err(), nil)
			}
		})
	}
}

// TestThreadsToV4 is the way back: flushes, removals, threads of one id.
func TestThreadsToV4(t *testing.T) {
	a, b := threadRow(1, 7, 9), threadRow(2, 8, 9)
	removed := &codec.BlockRows{Kind: wire.KindRemoveThread, Removed: []codec.ThreadSequence{{Thread: 1, Sequence: 5}}}
	for _, c := range []struct {
		name   string
		blocks []*codec.BlockRows
		want   string // capture threads
		lost   uint64
	}{
		{"unlisted-goes-on", []*codec.BlockRows{a, eventsOf(1, 1, 2), point(0), eventsOf(1, 3)}, "[9 9 9]", 0},
		{"flushed", []*codec.BlockRows{a, eventsOf(1, 1, 2), point(wire.SequenceThreads), a, eventsOf(1, 3)}, "[9 9 9]", 2},
		{"flushed-restarts", []*codec.BlockRows{a, eventsOf(1, 1, 2), point(wire.SequenceThreads), a, eventsOf(1, 1)}, "[9 9 9]", 0},
		{"flushed-with-loss", []*codec.BlockRows{a, eventsOf(1, 1), point(wire.SequenceThreads, codec.ThreadSequence{Thread: 1, Sequence: 3})}, "[9]", 2},
		{"removed", []*codec.BlockRows{a, eventsOf(1, 1), removed}, "[9]", 4},
		{"removed-before-point", []*codec.BlockRows{a, eventsOf(1, 1), removed, point(0), a, eventsOf(1, 1)}, "[9 9]", 4},
		{"one-id", []*codec.BlockRows{a, b, eventsOf(1, 1, 2), eventsOf(2, 1, 2), eventsOf(1, 3), eventsOf(2, 4)},
			"[9 9 4294967298 4294967298 9 4294967298]", 1},
		{"without-row", []*codec.BlockRows{eventsOf(5, 1)}, "[5]", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := stream(t, 6, c.blocks...)
			if lost := skippingAll(data).Lost(); lost != c.lost {
				t.Errorf("%d lost before", lost)
			}
			out, _ := convert(t, data, edit.ConvertOptions{Format: wire.V4})
			var threads []uint64
			r := codec.NewBytesReader(out, codec.Options{Strict: true})
			for e := range r.Events() {
				threads = append(threads, e.CaptureThreadIndex)
			}
			expect.Equal(t, "fmt.Sprint(threads)", fmt.Sprint(threads), c.want)
			expect.Equal(t, "Lost()", r.Lost(), c.lost)
			expect.Equal(t, "Err()", r.Err(), nil)
		})
	}
}
