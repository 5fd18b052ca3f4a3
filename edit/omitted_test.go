package edit_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
)

func defect(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".nettrace")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestMergeOmits checks that an event that cannot be written is left out, that
// the reason and the place of the first are returned, and that the others are
// written.
func TestMergeOmits(t *testing.T) {
	// Two threads whose events are not in order of time around a sequence point.
	var late bytes.Buffer
	w := codec.NewBlockWriter(&late, codec.BlockWriterOptions{Format: wire.V4})
	for _, b := range []*codec.BlockRows{
		{Kind: wire.KindTrace, Trace: &codec.Trace{SyncTime: sceneTime, TickFrequency: 1000, PointerSize: 8}},
		{Kind: wire.KindMetadata, Flags: 1, Metadata: []codec.MetadataBytes{{Metadata: &codec.Metadata{ID: 1, Provider: "P", EventID: 1}}}},
		{Kind: wire.KindEvent, Flags: 1, Events: []codec.EventRow{{MetadataID: 1, Timestamp: 500, Sequence: 1, CaptureThreadIndex: 1}}},
		{Kind: wire.KindSequencePoint, SequencePoint: codec.SequencePoint{Timestamp: 501, Threads: []codec.ThreadSequence{{Thread: 1, Sequence: 1}}}},
		{Kind: wire.KindEvent, Flags: 1, Events: []codec.EventRow{
			{MetadataID: 1, Timestamp: 400, Sequence: 2, CaptureThreadIndex: 1},
			{MetadataID: 1, Timestamp: 600, Sequence: 3, CaptureThreadIndex: 1},
			{MetadataID: 9, Timestamp: 700, Sequence: 4, CaptureThreadIndex: 1},
		}},
	} {
		if err := w.WriteBlock(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name            string
		data            []byte
		events, omitted int64
		reasons         []error
	}{
		{"metadata version", defect(t, "merge-metadata-version"), 38, 54, []error{codec.ErrNotExpressible, codec.ErrUndefined}},
		{"older than a sequence point", late.Bytes(), 2, 2, []error{codec.ErrOrder, codec.ErrUndefined}},
	} {
		t.Run(c.name, func(t *testing.T) {
			offsets := map[int64]bool{}
			for e, err := range codec.NewBytesReader(c.data, codec.Options{OnError: codec.Skip}).Events() {
				if err == nil {
					offsets[e.Offset()] = true
				}
			}
			s := edit.NewMergeSource(bytes.NewReader(c.data), edit.MergeSourceOptions{Name: "s", Reader: codec.Options{OnError: codec.Skip}})
			var out bytes.Buffer
			result, err := edit.Merge(context.Background(), &out, []*edit.MergeSource{s}, edit.MergeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if result.Events != c.events || result.Omitted != c.omitted {
				t.Errorf("got %d events, %d omitted; want %d and %d", result.Events, result.Omitted, c.events, c.omitted)
			}
			var reasons []error
			total := int64(0)
			for _, change := range s.Changes() {
				if !change.Omits() {
					continue
				}
				total += change.Count
				reasons = append(reasons, change.Reason)
				if !offsets[change.Offset] {
					t.Errorf("%v: no event at offset %d", change, change.Offset)
				}
			}
			if total != c.omitted || len(reasons) != len(c.reasons) {
				t.Fatalf("got changes %v, want %d omitted events for %v", s.Changes(), c.omitted, c.reasons)
			}
			for i, want := range c.reasons {
				if !errors.Is(reasons[i], want) {
					t.Errorf("got reason %v, want %v", reasons[i], want)
				}
			}
			r := codec.NewBytesReader(out.Bytes(), codec.Options{})
			for range r.Events() {
			}
			expect.Equal(t, "Err()", r.Err(), nil)
			expect.Equal(t, "Count()", r.Count(), result.Events)
			expect.Equal(t, "Lost()", r.Lost(), result.Lost)
		})
	}
}

// TestConvertOmits: an event that does not fit is left out, and its reason and
// offset in the source are returned, also when blocks are made again.
func TestConvertOmits(t *testing.T) {
	events := eventsOf(9, 1, 2, 3)
	events.Events[1].Payload = make([]byte, 17<<20)
	data := stream(t, 4, events)
	var want int64
	for e, err := range codec.NewBytesReader(data, largeLimits).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Sequence == 2 {
			want = e.Offset()
		}
	}
	for _, c := range []struct {
		name string
		opt  edit.ConvertOptions
	}{{"v6", edit.ConvertOptions{}}, {"compact", edit.ConvertOptions{Compact: true}}} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			list, err := edit.Convert(context.Background(), &out, codec.NewBytesBlockReader(data, largeLimits), c.opt)
			if err != nil {
				t.Fatal(err)
			}
			expect.Len(t, "list", list, 1)
			expect.Equal(t, "list[0].Omits()", list[0].Omits(), true)
			expect.Equal(t, "list[0].Count", list[0].Count, 1)
			expect.Stop(t)
			if !errors.Is(list[0].Reason, codec.ErrLimit) {
				t.Errorf("got reason %v, want ErrLimit", list[0].Reason)
			}
			if list[0].Offset != want {
				t.Errorf("got offset %d, want %d", list[0].Offset, want)
			}
		})
	}
}

// TestMergeTimes checks that times that the merged clock cannot express keep
// their order and are counted.
func TestMergeTimes(t *testing.T) {
	const last = 1<<64 - 1
	fine := clocked(t, sceneTime, 1<<40, 1e9)
	odd := clocked(t, sceneTime, 1<<40, 1e6, 1<<40, last)
	for _, c := range []struct {
		name string
		data [][]byte
		want []uint64
		move string
	}{
		{"the clock of the source", [][]byte{odd}, []uint64{1 << 40, last}, ""},
		{"another clock", [][]byte{odd, fine}, []uint64{1 << 40, last}, "times outside of the merged clock, moved to its start or end: 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sources []*edit.MergeSource
			for _, data := range c.data {
				sources = append(sources, edit.NewMergeSource(bytes.NewReader(data), edit.MergeSourceOptions{Name: "s"}))
			}
			var out bytes.Buffer
			if _, err := edit.Merge(context.Background(), &out, sources, edit.MergeOptions{}); err != nil {
				t.Fatal(err)
			}
			var got []uint64
			for e, err := range codec.NewBytesReader(out.Bytes(), codec.Options{}).Events() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e.Timestamp)
			}
			expect.Len(t, "result", got, len(c.want))
			expect.Equal(t, "got[0]", got[0], c.want[0])
			expect.Equal(t, "got[1]", got[1], c.want[1])
			move := ""
			for _, change := range sources[0].Changes() {
				move += change.String()
			}
			if move != c.move {
				t.Errorf("got changes %q, want %q", move, c.move)
			}
		})
	}
}
