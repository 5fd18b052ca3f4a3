package profile_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/profile"
)

func window(from, to uint64) codec.TimeRange {
	return codec.TimeRange{From: from, To: to, HasFrom: true, HasTo: true}
}

func since(from uint64) codec.TimeRange { return codec.TimeRange{From: from, HasFrom: true} }

func until(to uint64) codec.TimeRange { return codec.TimeRange{To: to, HasTo: true} }

// weightOf is the sum of the samples of a type on a thread, or of the marks of a
// kind.
type weightOf struct {
	of     profile.Type
	thread int
	mark   string
}

// weigh adds up everything that a profile returns. It reports negative weights
// and samples outside of the window.
func weigh(t *testing.T, p *profile.Profile, in codec.TimeRange) map[weightOf]int64 {
	t.Helper()
	sums := map[weightOf]int64{}
	outside := func(from, until int64) bool {
		return in.HasFrom && from < p.Nanos(in.From) || in.HasTo && until > p.Nanos(in.To) || until < from
	}
	for _, of := range allTypes() {
		for s := range p.Samples(of) {
			sums[weightOf{of: of, thread: s.Thread}] += s.Value
			if s.Value < 0 || s.Count < 0 {
				t.Fatalf("%v at %d: value %d, count %d", of, s.Ticks, s.Value, s.Count)
			}
			from, length := p.Nanos(s.Ticks), s.Value
			if !timed(of) {
				length = 0
			}
			if outside(from, from+length) {
				t.Fatalf("%v from %d to %d ns is outside of %+v", of, from, from+length, in)
			}
		}
	}
	for thread := range p.Threads() {
		sums[weightOf{thread: thread, mark: "not sampled"}] = p.NotSampled(thread)
	}
	for m := range p.Marks() {
		key := weightOf{thread: m.Thread, mark: m.Provider + m.Name}
		if m.Kind == profile.Instant {
			sums[key]++
		} else {
			sums[key] += p.Nanos(m.Until) - p.Nanos(m.From)
		}
		if outside(p.Nanos(m.From), p.Nanos(m.Until)) {
			t.Fatalf("mark %s from %d to %d is outside of %+v", m.Name, m.From, m.Until, in)
		}
	}
	for key, sum := range sums {
		if sum == 0 {
			delete(sums, key)
		}
	}
	return sums
}

// timed reports whether the values of a type are durations. A sample of the
// operating system's profiler is a count of intervals at one time.
func timed(of profile.Type) bool {
	return of.Value().Unit == "nanoseconds" && of != profile.CPU
}

// TestWindowsAddUp: for every type of sample no weight is negative, no sample is
// outside of its window, and the parts before and after a time add up to the
// complete trace, for every combination of bounds.
func TestWindowsAddUp(t *testing.T) {
	tier.NeedsCheck(t) // reads all traces four times for each bound
	met := map[profile.Type]bool{}
	for name, data := range smallTraces(t) {
		t.Run(name, func(t *testing.T) {
			load := func(in codec.TimeRange) *profile.Profile {
				r := codec.NewReader(bytes.NewReader(data), codec.Options{OnError: codec.Skip})
				p, _ := profile.FromReader(context.Background(), r, profile.Options{Time: in, NoRepair: true, Marks: true, Provider: "Microsoft-Windows-DotNETRuntime"})
				return p
			}
			all := load(codec.TimeRange{})
			if all == nil {
				t.Skip("not a trace")
			}
			whole := weigh(t, all, codec.TimeRange{})
			for key := range whole {
				met[key.of] = true
			}
			bounds := boundsOf(all)
			before := uint64(0)
			rest := whole // since before
			for _, b := range bounds {
				next := weigh(t, load(since(b)), since(b))
				addUp(t, fmt.Sprintf("at %d", b), whole, weigh(t, load(until(b)), until(b)), next)
				addUp(t, fmt.Sprintf("%d to %d", before, b), rest, weigh(t, load(window(before, b)), window(before, b)), next)
				before, rest = b, next
			}
		})
	}
	for _, of := range allTypes() {
		if !met[of] && shared.Present(t) {
			t.Errorf("no trace has samples of type %v", of)
		}
	}
}

// addUp compares the sum of two parts with the complete trace.
func addUp(t *testing.T, what string, whole, first, second map[weightOf]int64) {
	t.Helper()
	for _, part := range []map[weightOf]int64{first, second, whole} {
		for key := range part {
			if got := first[key] + second[key]; got != whole[key] {
				t.Fatalf("%s: %+v: %d + %d = %d, want %d", what, key, first[key], second[key], got, whole[key])
			}
		}
	}
}

// boundsOf lists times in ascending order: of samples, between and within them,
// and outside of the trace.
func boundsOf(p *profile.Profile) []uint64 {
	bounds := []uint64{0, 1, p.Start, p.Start + 1, p.End, p.End + 1, p.End + 1<<40, 1<<64 - 1}
	for _, of := range allTypes() {
		all := slices.Collect(p.Samples(of))
		for _, i := range []int{0, 1, len(all) / 3, len(all) / 2, len(all) - 1} {
			if i >= 0 && i < len(all) {
				s := all[i]
				bounds = append(bounds, s.Ticks, s.Ticks+1, s.Ticks+uint64(s.Value)/2)
			}
		}
	}
	slices.Sort(bounds)
	return slices.Compact(bounds)
}

// smallTraces returns the generated traces, and the recorded ones of less than
// 1 MiB.
func smallTraces(t *testing.T) map[string][]byte {
	t.Helper()
	const limit = 1 << 20
	list := map[string][]byte{}
	for _, name := range shared.Small(t) {
		if data := shared.Trace(t, name); len(data) < limit {
			list[name] = data
		}
	}
	for _, e := range shared.Corpora(t) {
		if !e.Recorded() {
			list[e.Name] = shared.Trace(t, e.Name)
		}
	}
	return list
}
