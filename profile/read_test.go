package profile_test

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// read makes a Profile of one of the real traces.
func read(tb testing.TB, name string, opt profile.Options) *profile.Profile {
	tb.Helper()
	r := codec.NewReader(bytes.NewReader(shared.Trace(tb, name)), codec.Options{})
	p, err := profile.FromReader(r, opt)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return p
}

// TestWall: the wall samples of a thread cover its time without a gap.
func TestWall(t *testing.T) {
	p := read(t, "azmcp-net10-cpu.v4", profile.Options{})
	total := 0
	for thread := range p.Threads() {
		var sum, count int64
		var first, last uint64
		for s := range p.ThreadSamples(profile.Wall, thread) {
			if count++; count == 1 {
				first = s.Ticks
			}
			last = s.Ticks
			sum += s.Value
		}
		if count > 0 && sum != p.Nanos(last)-p.Nanos(first)+p.Interval {
			t.Errorf("thread %d: %d samples own %d ns", thread, count, sum)
		}
		total += int(count)
	}
	if total == 0 {
		t.Error("no samples")
	}
	t.Log(total, p.Interval, p.Stacks())
}

func sum(p *profile.Profile, of profile.Type) int64 {
	n := int64(0)
	for s := range p.Samples(of) {
		n += s.Value
	}
	return n
}
