package profile_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// read makes a Profile of one of the real traces.
func read(tb testing.TB, name string, opt profile.Options) *profile.Profile {
	tb.Helper()
	return readAt(0, tb, name, opt)
}

// readAt is read of stacks that are truncated after depth frames, if depth is positive.
func readAt(depth int, tb testing.TB, name string, opt profile.Options) *profile.Profile {
	tb.Helper()
	data := shared.Trace(tb, name)
	if shared.Race && len(data) > 20<<20 {
		tb.Skipf("%s is large: make test reads it", name)
	}
	r := codec.NewReader(bytes.NewReader(data), codec.Options{})
	p, err := profile.FromReaderAt(context.Background(), r, opt, depth)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return p
}

// pausesIn returns the pauses of the garbage collector that a trace of one process has, in
// nanoseconds since the start, in order and joined.
func pausesIn(p *profile.Profile) (list [][2]int64) {
	for s := range p.Samples(profile.GC) {
		from := p.Nanos(s.Ticks)
		list = append(list, [2]int64{from, from + s.Value})
	}
	slices.SortFunc(list, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	joined := list[:0]
	for _, one := range list {
		if n := len(joined); n > 0 && one[0] <= joined[n-1][1] {
			joined[n-1][1] = max(joined[n-1][1], one[1])
		} else {
			joined = append(joined, one)
		}
	}
	return joined
}

// endOf returns the end of a sample that leaves out pauses.
func endOf(s *profile.Sample, from int64, pauses [][2]int64) int64 {
	end := from + s.Value
	for _, one := range pauses {
		if one[1] > from && one[0] < end {
			end += one[1] - max(from, one[0])
		}
	}
	return end
}

// TestWall checks that the wall samples of a thread, the pauses in them and the time in which it was
// not sampled cover its time without a gap.
func TestWall(t *testing.T) {
	p := read(t, "azmcp-net10-cpu.v4", profile.Options{})
	total, pauses := 0, pausesIn(p)
	for thread := range p.Threads() {
		var sum, count int64
		var first uint64
		var end int64
		for s := range p.ThreadSamples(profile.Wall, thread) {
			if count++; count == 1 {
				first = s.Ticks
			}
			end = endOf(&s, p.Nanos(s.Ticks), pauses)
			sum += s.Value
		}
		want := end - p.Nanos(first)
		for _, one := range pauses {
			want -= max(0, min(end, one[1])-max(p.Nanos(first), one[0]))
		}
		if got := sum + p.NotSampled(thread); count > 0 && got != want {
			t.Errorf("thread %d: %d samples and gaps have %d ns, want %d", thread, count, got, want)
		}
		total += int(count)
	}
	if total == 0 {
		t.Error("no samples")
	}
	t.Log(total, p.Interval)
}

func sum(p *profile.Profile, of profile.Type) int64 {
	n := int64(0)
	for s := range p.Samples(of) {
		n += s.Value
	}
	return n
}

// TestCanceled: a canceled context ends the reading with its cause, and the
// Profile has the samples before it.
func TestCanceled(t *testing.T) {
	data := shared.Trace(t, "net10-deep.v4")
	enough := errors.New("enough")
	for _, c := range []struct {
		name  string
		after int64
	}{{"at once", 0}, {"later", 3000}} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(context.Background())
			r := codec.NewBytesReader(data, codec.Options{})
			opt := profile.Options{Provider: "x", Select: func(*codec.Event) bool {
				if r.Count() >= c.after {
					cancel(enough)
				}
				return false
			}}
			if c.after == 0 {
				cancel(enough)
			}
			p, err := profile.FromReader(ctx, r, opt)
			if !errors.Is(err, enough) || p == nil {
				t.Fatalf("got %v, %v", p, err)
			}
			if n := r.Count(); n < c.after || n > c.after+2048 {
				t.Errorf("%d events were read, want %d or a few more", n, c.after)
			}
		})
	}
}
