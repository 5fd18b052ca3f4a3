package profile_test

import (
	"bytes"
	"context"
	"errors"
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

// TestWall checks that the wall samples of a thread and the time in which it was
// not sampled cover its time without a gap.
func TestWall(t *testing.T) {
	p := read(t, "azmcp-net10-cpu.v4", profile.Options{})
	total := 0
	for thread := range p.Threads() {
		var sum, count int64
		var first uint64
		var end int64
		for s := range p.ThreadSamples(profile.Wall, thread) {
			if count++; count == 1 {
				first = s.Ticks
			}
			end = p.Nanos(s.Ticks) + s.Value
			sum += s.Value
		}
		if got, want := sum+p.NotSampled(thread), end-p.Nanos(first); count > 0 && got != want {
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
