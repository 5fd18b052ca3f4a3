package codectest_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/longtrace"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// counting counts the bytes that are read, and stores the size of the largest
// read.
type counting struct {
	at      io.ReaderAt
	bytes   atomic.Int64
	largest atomic.Int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.at.ReadAt(p, off)
	c.bytes.Add(int64(n))
	if size := int64(len(p)); size > c.largest.Load() {
		c.largest.Store(size)
	}
	return n, err
}

// TestIndexAgrees: a slice has the events of its time in the complete stream.
func TestIndexAgrees(t *testing.T) {
	check := func(t *testing.T, stream []byte) {
		t.Helper()
		src := &counting{at: bytes.NewReader(stream)}
		x, err := codec.NewIndex(src, int64(len(stream)), codec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if src.largest.Load() > 128 {
			t.Errorf("a read of %d bytes for the index", src.largest.Load())
		}
		var whole []mark
		var times []uint64
		complete := codec.NewBytesReader(stream, codec.Options{})
		for e, err := range complete.Events() {
			if err == nil {
				whole, times = append(whole, markOf(e)), append(times, e.Timestamp)
			}
		}
		rng := rand.New(rand.NewPCG(3, 4))
		low, high := slices.Min(times), slices.Max(times)
		for range 12 {
			from, to := low+rng.Uint64N(high-low+1), low+rng.Uint64N(high-low+1)
			checkSlice(t, x, from, max(from, to), whole, times)
		}
		checkSlice(t, x, 0, 1<<64-1, whole, times)
		checkSlice(t, x, high, high+1, whole, times)
	}
	for _, name := range smallCorpora(t) {
		t.Run(name, func(t *testing.T) { check(t, shared.Trace(t, name)) })
	}
	t.Run("shared", func(t *testing.T) {
		tier.NeedsCheck(t) // the large traces are not read
		for _, name := range []string{"perfview-netcore3.0-win-x64.v4", "perfview-netcore2.1-win-x86.v3", "perfview-voicememo-32bit.v4"} {
			t.Run(name, func(t *testing.T) { check(t, shared.Trace(t, name)) })
		}
	})
}

// between is the range of times with from <= time < to.
func between(from, to uint64) codec.TimeRange {
	return codec.TimeRange{From: from, To: to, HasFrom: true, HasTo: true}
}

func checkSlice(t *testing.T, x *codec.Index, from, to uint64, whole []mark, times []uint64) {
	t.Helper()
	var want []mark
	for i, ts := range times {
		if from <= ts && ts < to {
			want = append(want, whole[i])
		}
	}
	r := x.Between(between(from, to))
	got, _ := marksOf(t, r)
	if !slices.Equal(got, want) {
		t.Fatalf("from %d to %d: %d events, want %d", from, to, len(got), len(want))
	}
	if r.Lost() != 0 || len(r.Defects()) != 0 {
		t.Fatalf("from %d to %d: %d lost, defects %v", from, to, r.Lost(), r.Defects())
	}
	var joined []mark
	chunk := x.ChunkReader(codec.ChunkHooks{})
	for _, c := range x.Chunks(between(from, to), x.Blocks()[len(x.Blocks())-1].Offset/8) {
		chunk.ReadChunk(c)
		marks, _ := marksOf(t, chunk)
		joined = append(joined, marks...)
	}
	expect.Slices(t, "joined", joined, want)
	expect.Stop(t)
}

// TestSliceOfLargeFile reads one second out of a file of 1 GB.
func TestSliceOfLargeFile(t *testing.T) {
	tier.NeedsCheck(t) // 1 GB is not made
	f, err := longtrace.New(shared.Trace(t, "azmcp-net10-cpu.v4"), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	src := &counting{at: f}
	x, err := codec.NewIndex(src, f.Size(), codec.Options{})
	if err != nil || x.Err() != nil {
		t.Fatal(err, x.Err())
	}
	trace := x.Trace()
	from, to := trace.SyncTicks+2*trace.TickFrequency, trace.SyncTicks+3*trace.TickFrequency
	got, err := marksOf(t, x.Between(between(from, to)))
	if err != nil || len(got) == 0 {
		t.Fatalf("%d events, %v", len(got), err)
	}
	share := float64(src.bytes.Load()) / float64(f.Size())
	t.Logf("%d events; %d of %d bytes read: %.2f %%", len(got), src.bytes.Load(), f.Size(), 100*share)
	if share >= 0.05 {
		t.Errorf("%.1f %% of the file was read", 100*share)
	}
	// The complete file has the same events in that second.
	if !tier.Check {
		return
	}
	r := codec.NewReader(io.NewSectionReader(f, 0, f.Size()), codec.Options{})
	var want []mark
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if from <= e.Timestamp && e.Timestamp < to {
			want = append(want, markOf(e))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d events, and %d by reading through", len(got), len(want))
	}
}
