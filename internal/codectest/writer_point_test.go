package codectest_test

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestWriterAutomaticPoint writes events at 10, 20 and 15 with a sequence point
// after every two: the event at 15 is older than the point and is refused.
func TestWriterAutomaticPoint(t *testing.T) {
	for _, format := range []wire.Format{formatV4, formatV5, {}} {
		t.Run(format.String(), func(t *testing.T) {
			var out bytes.Buffer
			w := codec.NewWriter(&out, codec.WriterOptions{Format: format, PointEvents: 2, Trace: clock})
			define(t, w, format)
			threads := []uint64{1, 1, 1}
			if format.IsZero() {
				threads[2], _ = w.DefineThread(&codec.Thread{Name: "other"})
			}
			threads[2]++
			if format.IsZero() {
				threads[2]--
			}
			for i, ticks := range []uint64{10, 20} {
				if err := w.Write(&codec.Record{MetadataID: 1, Thread: threads[i], CaptureThread: threads[i], Timestamp: ticks}); err != nil {
					t.Fatal(err)
				}
			}
			err := w.Write(&codec.Record{MetadataID: 1, Thread: threads[2], CaptureThread: threads[2], Timestamp: 15})
			if !errors.Is(err, codec.ErrOrder) {
				t.Errorf("event at 15 after the point at 20: %v, want ErrOrder", err)
			} else if !strings.Contains(err.Error(), "20") {
				t.Errorf("error %q does not name the time of the point, 20", err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			noErrors(t, out.Bytes())
		})
	}
}

// TestWriterThreadsOneAfterAnother writes the events of two threads one after
// the other, with times that overlap: a default Writer accepts all of them.
func TestWriterThreadsOneAfterAnother(t *testing.T) {
	for _, format := range []wire.Format{formatV5, {}} {
		t.Run(format.String(), func(t *testing.T) {
			const each = 40_000
			var out bytes.Buffer
			w := codec.NewWriter(&out, codec.WriterOptions{Format: format, Trace: clock})
			define(t, w, format)
			threads := []uint64{1, 2}
			if format.IsZero() {
				threads[1], _ = w.DefineThread(&codec.Thread{Name: "second"})
			}
			refused := 0
			for _, thread := range threads {
				for i := range uint64(each) {
					rec := codec.Record{MetadataID: 1, Thread: thread, CaptureThread: thread, Timestamp: i}
					if err := w.Write(&rec); err != nil {
						refused++
					}
				}
			}
			if refused > 0 {
				t.Errorf("%d of %d events refused, want none", refused, 2*each)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r := codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true, Order: codec.ByTime})
			if got := drain(r); got.err != nil || got.events != 2*each {
				t.Errorf("read %d events, error %v; want %d events", got.events, got.err, 2*each)
			}
			if n := r.OutOfOrder(); n > 0 {
				t.Errorf("%d events out of order, want none", n)
			}
			noErrors(t, out.Bytes())
		})
	}
}

// TestWriterPointsAtLimits writes more than a Reader with default limits holds:
// the Writer ends regions by itself before that, so that the Reader delivers all
// events in order of time.
func TestWriterPointsAtLimits(t *testing.T) {
	shared.SkipRace(t)
	deep := make([]uint64, 200)
	for _, c := range []struct {
		name   string
		events int
		opt    codec.WriterOptions
		change func(rec *codec.Record, i uint64)
		points int // minimum
	}{
		{"events", 400_000, codec.WriterOptions{}, func(*codec.Record, uint64) {}, 4},
		{"large blocks", 400_000, codec.WriterOptions{BlockBytes: 4 << 20}, func(*codec.Record, uint64) {}, 4},
		{"payloads", 20_000, codec.WriterOptions{}, func(rec *codec.Record, _ uint64) { rec.Payload = make([]byte, 8000) }, 5},
		{"large payloads", 20, codec.WriterOptions{}, func(rec *codec.Record, _ uint64) { rec.Payload = make([]byte, 8<<20-1000) }, 5},
		{"stacks", 60_000, codec.WriterOptions{}, func(rec *codec.Record, i uint64) { deep[0] = i; rec.Stack = deep }, 3},
		{"small stacks", 300_000, codec.WriterOptions{}, func(rec *codec.Record, i uint64) { rec.Stack = []uint64{i} }, 3},
		{"stacks, ordered", 60_000, codec.WriterOptions{Ordered: true}, func(rec *codec.Record, i uint64) { deep[0] = i; rec.Stack = deep }, 3},
		{"labels", 200_000, codec.WriterOptions{}, func(rec *codec.Record, i uint64) {
			rec.Labels = []codec.Label{{Kind: wire.LabelKeyNumber, Key: "k", Number: i}, {Kind: wire.LabelKeywords, Number: i}}
		}, 3},
		{"texts of labels", 30_000, codec.WriterOptions{}, func(rec *codec.Record, i uint64) {
			rec.Labels = []codec.Label{{Kind: wire.LabelKeyString, Key: "k", Value: strconv.Itoa(int(i)) + strings.Repeat("v", 1500)}}
		}, 2},
		{"everything", 100_000, codec.WriterOptions{}, func(rec *codec.Record, i uint64) {
			rec.Stack = []uint64{i, i + 1, 5, 6, 7, 8, 9, 10}
			rec.Labels = []codec.Label{{Kind: wire.LabelKeyNumber, Key: "k", Number: i}}
			rec.Payload = make([]byte, 100)
		}, 2},
		{"sorted", 400_000, codec.WriterOptions{}, func(rec *codec.Record, i uint64) { rec.Sorted = true }, 1},
		{"mixed threads", 400_000, codec.WriterOptions{MixedThreads: true}, func(*codec.Record, uint64) {}, 4},
		{"mixed threads, a block for each event", 400_000, codec.WriterOptions{MixedThreads: true, BlockBytes: 1}, func(*codec.Record, uint64) {}, 4},
		{"v5", 400_000, codec.WriterOptions{Format: wire.V5}, func(*codec.Record, uint64) {}, 4},
		{"v5, activities", 400_000, codec.WriterOptions{Format: wire.V5}, func(rec *codec.Record, i uint64) {
			rec.Activity, rec.Related = wire.GUID{1, byte(i)}, wire.GUID{2, byte(i)}
		}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !tier.Check && c.events > 30_000 {
				t.Skip("many events")
			}
			var out bytes.Buffer
			c.opt.Trace = clock
			w := codec.NewWriter(&out, c.opt)
			define(t, w, c.opt.Format)
			other := uint64(2)
			if c.opt.Format.IsZero() {
				var err error
				if other, err = w.DefineThread(&codec.Thread{Name: "other"}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range uint64(c.events) {
				rec := codec.Record{MetadataID: 1, Thread: 1 + i%2*(other-1), CaptureThread: 1 + i%2*(other-1), Timestamp: i}
				c.change(&rec, i)
				if err := w.Write(&rec); err != nil {
					t.Fatalf("event %d: %v", i, err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r := codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true, Order: codec.ByTime})
			events := 0
			for _, err := range r.Events() {
				if err != nil {
					t.Fatalf("after %d events: %v", events, err)
				}
				events++
			}
			if events != c.events {
				t.Errorf("read %d events, want %d", events, c.events)
			}
			if n := r.OutOfOrder(); n > 0 {
				t.Errorf("%d events out of order, want none", n)
			}
			if n := pointsOf(out.Bytes()); n < c.points || n > 60 {
				t.Errorf("%d sequence points, want %d to 60", n, c.points)
			}
		})
	}
}

// TestWriterNoPoints writes with -1 in either field: only Close writes a point.
func TestWriterNoPoints(t *testing.T) {
	for name, opt := range map[string]codec.WriterOptions{
		"events": {PointEvents: -1}, "bytes": {PointBytes: -1}, "ordered": {PointEvents: -1, PointBytes: -1, Ordered: true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			opt.Trace = clock
			w := codec.NewWriter(&out, opt)
			define(t, w, wire.Format{})
			for i := range uint64(120_000) {
				if err := w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: i}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if n := pointsOf(out.Bytes()); n != 1 {
				t.Errorf("%d sequence points, want 1", n)
			}
		})
	}
}
