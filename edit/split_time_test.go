package edit_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
)

// TestSplitTime: the times of the parts of a split. A duration without an end
// must not count into the time of the next part.
func TestSplitTime(t *testing.T) {
	inOrder := timesTrace(t, map[uint64][]uint64{1: {10, 20, 30, 40}})
	unordered := timesTrace(t, map[uint64][]uint64{1: {10, 20, 35}, 2: {15, 30}})
	for _, c := range []struct {
		name string
		data []byte
		opt  edit.SliceOptions
		want []string
	}{
		{"all", inOrder, named(inOrder, codec.TimeRange{}), []string{"-∞ to 30", "30 to ∞"}},
		{"bounds", inOrder, named(inOrder, between(5, 100)), []string{"5 to 30", "30 to 100"}},
		{"one part", inOrder, named(inOrder, between(25, 100)), []string{"25 to 100"}},
		{"threads out of order", unordered, named(unordered, codec.TimeRange{}), []string{"-∞ to 21", "15 to ∞"}},
		{"one reading", inOrder, edit.SliceOptions{Time: between(5, 100)}, []string{"5 to ∞", "-∞ to ∞"}},
		{"one reading, no bounds", inOrder, edit.SliceOptions{}, []string{"-∞ to ∞", "-∞ to ∞"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, part := range split(t, c.data, edit.SplitOptions{SliceOptions: c.opt, Size: edit.SplitSize{Ticks: 15}}) {
				trace, err := sliceReader(part.Bytes()).Trace()
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, rangeText(trace.SliceTime()))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// named are options with a first reading.
func named(data []byte, r codec.TimeRange) edit.SliceOptions {
	return edit.SliceOptions{Time: r, Naming: naming(), First: sliceBlocks(data)}
}

func rangeText(r codec.TimeRange) string {
	from, to := "-∞", "∞"
	if r.HasFrom {
		from = fmt.Sprint(r.From)
	}
	if r.HasTo {
		to = fmt.Sprint(r.To)
	}
	return from + " to " + to
}

// timesTrace writes a v6 trace with events at the given times, one thread after
// the other.
func timesTrace(t *testing.T, times map[uint64][]uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	w := codec.NewWriter(&b, codec.WriterOptions{
		Format: wire.V6,
		Trace:  codec.Trace{TickFrequency: 1000, SyncTime: time.Unix(1_700_000_000, 0), PointerSize: 8},
	})
	id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
	for thread := uint64(1); err == nil && thread <= uint64(len(times)); thread++ {
		var number uint64
		number, err = w.AddThread(&codec.Thread{ThreadID: thread, HasThreadID: true})
		for _, ticks := range times[thread] {
			if err == nil {
				err = w.Write(&codec.Record{MetadataID: id, CaptureThread: number, Thread: number, Timestamp: ticks})
			}
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
