package edit_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
)

// clocked is a trace of v6 with a clock, and events of one thread at the given
// ticks.
func clocked(t *testing.T, sync time.Time, ticks, frequency uint64, at ...uint64) []byte {
	t.Helper()
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Trace: codec.Trace{SyncTime: sync, SyncTicks: ticks, TickFrequency: frequency}})
	id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, tick := range at { // one thread each, with times that may go back
		thread, err := w.AddThread(&codec.Thread{ThreadID: uint64(i), HasThreadID: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&codec.Record{MetadataID: id, Thread: thread, CaptureThread: thread, Timestamp: tick}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestMergeClockBounds: times outside of the merged clock's ticks, or 2^63 ticks
// from its sync time, become its first or its last one. Those in between are
// exact.
func TestMergeClockBounds(t *testing.T) {
	const last = 1<<64 - 1
	for name, c := range map[string]struct {
		fine, coarse []byte // the first has the clock
		want         []uint64
	}{
		"seconds in 2^62 ticks": {
			clocked(t, sceneTime, 1<<62, 1<<62), clocked(t, sceneTime, 100, 1, 90, 99, 100, 101, 102, 200), []uint64{0, 0, 1 << 62, 1 << 63, last, last},
		},
		"a source that began later": {
			clocked(t, sceneTime, 0, 1<<62), clocked(t, sceneTime.Add(time.Second), 0, 1, 0, 1, 2), []uint64{1 << 62, last, last},
		},
		"fractions that add up to a tick": { // half a tick between the clocks, and half a tick in every other time
			clocked(t, sceneTime, 0, 10), clocked(t, sceneTime.Add(50*time.Millisecond), 0, 4, 0, 1, 2, 3), []uint64{0, 3, 5, 8},
		},
		"a source that began an hour earlier": {
			clocked(t, sceneTime, 5, 1000), clocked(t, sceneTime.Add(-time.Hour), 7200, 1, 0, 3600, 7200), []uint64{0, 0, 3600e3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, result := merge(t, c.fine, c.coarse)
			var got []uint64
			for e, err := range codec.NewBytesReader(out, codec.Options{Order: codec.ByTime}).Events() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e.Timestamp)
			}
			if !slices.Equal(got, c.want) || result.Late > 0 {
				t.Errorf("%d, want %d; %d late", got, c.want, result.Late)
			}
		})
	}
}

// TestMergeClocksApart: clocks that ticks of 64 bits cannot hold together are
// refused before anything is written.
func TestMergeClocksApart(t *testing.T) {
	for name, older := range map[string]struct {
		by        time.Duration
		frequency uint64
	}{
		"65 bits":                {200 * 365 * 24 * time.Hour, 1 << 62},
		"64 bits":                {time.Second, 1<<63 - 1},
		"another hour overflows": {time.Second / 4, 1<<63 - 1},
		"just none":              {time.Second / 4, 1 << 53},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := clocked(t, sceneTime, 0, older.frequency, 1), clocked(t, sceneTime.Add(-older.by), 0, 1, 1)
			var out bytes.Buffer
			var sources []*edit.MergeSource
			for _, data := range [][]byte{a, b} {
				sources = append(sources, edit.NewMergeSource(io.Reader(bytes.NewReader(data)), edit.MergeSourceOptions{Name: "s"}))
			}
			if _, err := edit.Merge(context.Background(), &out, sources, edit.MergeOptions{}); err == nil || out.Len() > 0 {
				t.Errorf("%v, %d bytes were written", err, out.Len())
			}
		})
	}
}

// TestMergeSyncTime checks that no event is before the sync time of a merged trace
// because another file came first on the command line.
func TestMergeSyncTime(t *testing.T) {
	early := clocked(t, sceneTime, 1000, 1000, 1000, 1500)
	late := clocked(t, sceneTime.Add(time.Hour), 9_000_000, 1000, 9_000_000)
	coarse := clocked(t, sceneTime, 50, 1, 50)
	third := clocked(t, sceneTime.Add(time.Hour), 9_000_000, 3, 9_000_000)
	for _, c := range []struct {
		name    string
		sources [][]byte
		sync    time.Duration
		want    []time.Duration // since sceneTime
	}{
		{"in order", [][]byte{early, late}, 0, []time.Duration{0, 500 * time.Millisecond, time.Hour}},
		{"reversed", [][]byte{late, early}, 0, []time.Duration{0, 500 * time.Millisecond, time.Hour}},
		{"other frequency", [][]byte{late, coarse}, 0, []time.Duration{0, time.Hour}},
		{"thirds of a second", [][]byte{third, coarse}, 0, []time.Duration{0, time.Hour}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := merge(t, c.sources...)
			r := codec.NewBytesReader(out, codec.Options{Order: codec.ByTime})
			trace, err := r.Trace()
			if err != nil {
				t.Fatal(err)
			}
			if got := trace.SyncTime.Sub(sceneTime); got != c.sync {
				t.Errorf("sync time is %v after that of the oldest source, want %v", got, c.sync)
			}
			var got []time.Duration
			for e, err := range r.Events() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, trace.SyncTime.Add(trace.Since(e.Timestamp)).Sub(sceneTime))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("events at %v, want %v", got, c.want)
			}
		})
	}
}
