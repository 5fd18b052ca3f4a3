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
	"github.com/nettrace-go/nettrace/internal/shared"
)

// refused counts the events that a slice leaves out for a reason.
func refused(result edit.SliceResult, reason error) int64 {
	var n int64
	for _, r := range result.Changes {
		if errors.Is(r.Reason, reason) {
			n += r.Count
		}
	}
	return n
}

// addsUp checks that a result accounts for every event of the source.
func addsUp(t *testing.T, name string, data []byte, result edit.SliceResult) {
	t.Helper()
	sum := result.Events + result.LeftOut + result.Omitted
	r := sliceReader(data)
	for range r.Events() {
	}
	if sum != r.Count() {
		t.Errorf("%s: %d events are accounted for of %d: %+v", name, sum, r.Count(), result)
	}
}

// TestSliceOddEvent checks that events that a stream cannot hold are left out and
// counted, and the others written.
func TestSliceOddEvent(t *testing.T) {
	for _, c := range []struct {
		file   string
		format wire.Format
		reason error
		count  int64
		offset int64 // of the first; 0: not checked
		events int64
		lost   uint64
	}{
		{"slice-late-event", wire.V4, codec.ErrOrder, 1, 492, 0, 80},
		{"slice-late-event", wire.V6, codec.ErrOrder, 1, 492, 0, 80},
		{"slice-late-losses", wire.V4, codec.ErrOrder, 29, 0, 2, 3746},
		{"slice-lost-differs", wire.V6, nil, 0, 0, 5, 2},
		{"merge-metadata-version", wire.V6, codec.ErrNotExpressible, 9, 5388, 37, 47},
		{"merge-metadata-version", wire.V4, codec.ErrOrder, 2, 10519, 45, 47},
	} {
		t.Run(c.file+" "+c.format.String(), func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + c.file + ".nettrace")
			if err != nil {
				t.Fatal(err)
			}
			out, result := slice(t, data, edit.SliceOptions{Format: c.format})
			if c.reason != nil {
				if got := refused(result, c.reason); got != c.count {
					t.Errorf("%d events are left out because %q, want %d: %+v", got, c.reason, c.count, result.Changes)
				}
				for _, r := range result.Changes {
					if errors.Is(r.Reason, c.reason) && c.offset > 0 && r.Offset != c.offset {
						t.Errorf("the first is at offset %d, want %d", r.Offset, c.offset)
					}
				}
			}
			r := codec.NewBytesReader(out, codec.Options{Strict: true})
			for range r.Events() {
			}
			if r.Err() != nil {
				t.Errorf("the slice cannot be read: %v", r.Err())
			}
			if r.Count() != c.events || result.Events != c.events {
				t.Errorf("%d events in the slice, %d in the result, want %d", r.Count(), result.Events, c.events)
			}
			if r.Lost() != c.lost || result.Lost != c.lost {
				t.Errorf("%d lost in the slice, %d in the result, want %d", r.Lost(), result.Lost, c.lost)
			}
			addsUp(t, c.file, data, result)
		})
	}
}

// TestSliceLost checks that a slice has the losses that its result reports, and
// that the result accounts for all events, for all traces and streams.
func TestSliceLost(t *testing.T) {
	sources := map[string]func(testing.TB, string) []byte{}
	for _, name := range shared.Small(t) {
		sources[name] = shared.Trace
	}
	for _, name := range shared.Streams(t) {
		sources[name] = shared.Stream
	}
	for name, read := range sources {
		data := read(t, name)
		trace, err := sliceReader(data).Trace()
		if err != nil {
			continue
		}
		first, last := bounds(data)
		half := first + (last-first)/2
		for what, opt := range map[string]edit.SliceOptions{
			"all":             {},
			"the second half": {Time: codec.TimeRange{From: half, HasFrom: true}},
			"the first half":  {Time: codec.TimeRange{To: half, HasTo: true}},
			"odd ids":         {Keep: func(e *codec.Event) bool { return e.ID()%2 == 1 }},
			"the odd threads": {Keep: odd, KeepLost: func(id uint64, _ *codec.Thread) bool { return id%2 == 1 }},
		} {
			t.Run(what, func(t *testing.T) {
				for _, opt.Format = range []wire.Format{{}, wire.V4, wire.V6} {
					if !opt.Format.IsZero() && opt.Format.Before(trace.Format) {
						continue
					}
					var out bytes.Buffer
					result, err := edit.Slice(context.Background(), &out, sliceBlocks(data), opt)
					if errors.Is(err, edit.ErrNothing) {
						continue
					}
					if err != nil {
						t.Errorf("%s, %s in %v: %v", name, what, opt.Format, err)
						continue
					}
					if got := lostOf(out.Bytes()); got != result.Lost {
						t.Errorf("%s, %s in %v: a reader finds %d lost, the result has %d", name, what, opt.Format, got, result.Lost)
					}
					addsUp(t, name, data, result)
				}
			})
		}
	}
}
