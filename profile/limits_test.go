package profile_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestLimits: each limit ends the reading with its own error, and the Profile has
// the samples before it.
func TestLimits(t *testing.T) {
	trace := shared.Trace(t, "net10-mix-cpu.v4")
	all := sum(read(t, "net10-mix-cpu.v4", profile.Options{}), profile.Wall)
	for what, limits := range map[string]profile.Limits{
		"Samples": {Samples: 1000}, "Frames": {Frames: 3000}, "Stacks": {Stacks: 300}, "Threads": {Threads: 10}, "Text": {Text: 8000},
	} {
		t.Run(what, func(t *testing.T) {
			p, err := profile.FromReader(context.Background(), codec.NewReader(bytes.NewReader(trace), codec.Options{}), profile.Options{Limits: limits})
			var e *profile.LimitError
			if !errors.As(err, &e) || e.What != what {
				t.Error(err)
				return
			}
			if n := sum(p, profile.Wall); n == 0 || n >= all {
				t.Errorf("wall time %d of %d", n, all)
			}
			for s := range p.Samples(profile.Wall) {
				if len(p.Stack(s.Stack)) > 0 {
					p.Function(p.Frame(p.Stack(s.Stack)[0]).Function)
				}
			}
		})
	}
}

// TestSymbolLimit: above the limit of symbols there are no names, and the Profile
// reports it.
func TestSymbolLimit(t *testing.T) {
	p := read(t, "net10-mix-cpu.v4", profile.Options{Limits: profile.Limits{Symbols: 1000}})
	if p.Unnamed == 0 || sum(p, profile.Wall) == 0 {
		t.Errorf("%d events passed over", p.Unnamed)
	}
}

// TestRepairLimit: when the limit of repair is reached, the other stacks stay
// truncated and are counted.
func TestRepairLimit(t *testing.T) {
	p := read(t, "net10-deep.v4", profile.Options{Limits: profile.Limits{Repair: 1000}})
	r := p.Repaired
	expect.NotZero(t, "Skipped", r.Skipped)
	expect.AtLeast(t, "Repaired+r.Truncated", r.Repaired+r.Truncated, 3553)
	expect.AtLeast(t, "Truncated", r.Truncated, r.Skipped)
}

// TestCutTraces: a stream that is truncated or malformed at any offset returns
// its error and the samples before it.
func TestCutTraces(t *testing.T) {
	for _, name := range []string{"net10-deep.v4", "net10-mix-locks.v4", "onecollect-small.v6", "net10-netperf.v3"} {
		t.Run(name, func(t *testing.T) {
			trace := shared.Trace(t, name)
			random := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				broken := slices.Clone(trace[:random.IntN(len(trace))])
				for range 10 {
					if len(broken) > 0 {
						broken[random.IntN(len(broken))] ^= byte(1 << random.IntN(8))
					}
				}
				r := codec.NewReader(bytes.NewReader(broken), codec.Options{OnError: codec.Skip})
				p, err := profile.FromReader(context.Background(), r, profile.Options{Marks: true, FoldRecursion: true})
				if p == nil {
					if err == nil {
						t.Fatal("neither profile nor error")
					}
					continue
				}
				walk(t, p)
			}
		})
	}
}

// walk calls all methods of a Profile. Whatever the times of events are, no value
// is negative.
func walk(t *testing.T, p *profile.Profile) {
	t.Helper()
	for _, of := range allTypes() {
		for s := range p.Samples(of) {
			if s.Value < 0 || s.Count < 0 {
				t.Fatalf("%v at %d: value %d, count %d", of, s.Ticks, s.Value, s.Count)
			}
			p.Labels(&s)
			for _, f := range p.Stack(s.Stack) {
				p.Function(p.Frame(f).Function)
			}
		}
		_ = p.ReasonText(of)
	}
	for thread := range p.Threads() {
		if n := p.NotSampled(thread); n < 0 {
			t.Fatalf("thread %d: %d ns not sampled", thread, n)
		}
	}
	for m := range p.Marks() {
		if m.Until < m.From {
			t.Fatalf("mark %s from %d to %d", m.Name, m.From, m.Until)
		}
	}
	if from, until := p.Bounds(); until < from {
		t.Fatalf("bounds %d to %d", from, until)
	}
}

// TestSmallStreams: every small stream, most of them malformed, is read without a
// panic.
func TestSmallStreams(t *testing.T) {
	n := 0
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) {
			r := codec.NewReader(bytes.NewReader(shared.Stream(t, name)), codec.Options{OnError: codec.Skip})
			if p, _ := profile.FromReader(context.Background(), r, profile.Options{Marks: true}); p != nil {
				walk(t, p)
				n++
			}
		})
	}
	t.Logf("%d profiles", n)
}
