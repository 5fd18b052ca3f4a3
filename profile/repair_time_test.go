package profile_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/profile"
)

// timedStack is a sample: its thread, time, and frames from the leaf on.
type timedStack struct {
	thread, at uint64
	frames     []uint64
}

// repairedAt returns the stack of a sample of thread 1, if stacks are truncated after
// depth frames.
func repairedAt(t *testing.T, depth int, at uint64, samples ...timedStack) (profile.Status, []uint64) {
	t.Helper()
	m := tracetest.New(wire.V4)
	for _, s := range samples {
		m.Add(tracetest.Event{
			At: s.at, Thread: s.thread, Provider: "Microsoft-DotNETCore-SampleProfiler", Stack: s.frames, Payload: []any{uint32(2)},
		})
	}
	p, err := profile.FromReaderAt(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{}), profile.Options{}, depth)
	if err != nil {
		t.Fatal(err)
	}
	found := profile.Sample{}
	for thread := range p.Threads() {
		for s := range p.ThreadSamples(profile.Wall, thread) {
			if s.Ticks == at && len(p.Stack(s.Stack)) >= depth {
				found = s
			}
		}
	}
	return found.Status, addresses(p, found.Stack)
}

// TestRepairByTime: the stacks of the thread before a truncated stack and at its time
// or after it decide between callers.
func TestRepairByTime(t *testing.T) {
	truncated := []uint64{11, 12, 13, 14, 15, 1, 2, 3}
	y, z := []uint64{1, 2, 3, 101}, []uint64{1, 2, 3, 102}
	for name, c := range map[string]struct {
		samples []timedStack // of thread 1, besides the truncated one at 20
		want    profile.Status
	}{
		"equal":                  {[]timedStack{{1, 10, y}, {1, 30, y}}, profile.Repaired},
		"different":              {[]timedStack{{1, 10, y}, {1, 30, z}}, profile.Truncated},
		"none before":            {[]timedStack{{1, 30, y}}, profile.Truncated},
		"none after":             {[]timedStack{{1, 10, y}}, profile.Truncated},
		"equal at its time":      {[]timedStack{{1, 10, y}, {1, 20, y}, {1, 30, z}}, profile.Repaired},
		"different at its time":  {[]timedStack{{1, 10, z}, {1, 20, y}, {1, 30, y}}, profile.Truncated},
		"another thread between": {[]timedStack{{1, 10, y}, {2, 20, z}, {1, 30, y}}, profile.Repaired},
	} {
		t.Run(name, func(t *testing.T) {
			samples := append(c.samples, timedStack{1, 20, truncated}, timedStack{3, 90, y}, timedStack{3, 91, z})
			slices.SortStableFunc(samples, func(a, b timedStack) int { return int(a.at) - int(b.at) })
			status, frames := repairedAt(t, len(truncated), 20, samples...)
			expect.Equal(t, "status", status, c.want)
			if c.want == profile.Repaired {
				expect.Slices(t, "frames", frames, append(slices.Clone(truncated), 101))
			}
		})
	}
}

// TestRepairByTimeEach: a choice by time holds for the samples of that time. Another
// stack whose continuation comes to the same frames chooses by its own time.
func TestRepairByTimeEach(t *testing.T) {
	const depth = 66
	var deep []uint64
	for i := range uint64(depth + 1) {
		deep = append(deep, 0x1000+i)
	}
	y, z := append(slices.Clone(deep[20:]), 101), append(slices.Clone(deep[20:]), 102)
	samples := []timedStack{
		{3, 1, deep[3:4]}, // the first frame that is known: repair begins with the stack at 20
		{1, 10, y}, {1, 20, deep[1:]}, {1, 30, y},
		{1, 40, z}, {1, 50, deep[:depth]}, {1, 60, z},
	}
	for at, want := range map[uint64][]uint64{
		20: append(slices.Clone(deep[1:]), 101),
		50: append(slices.Clone(deep), 102),
	} {
		status, frames := repairedAt(t, depth, at, samples...)
		expect.Equal(t, "status", status, profile.Repaired)
		expect.Slices(t, "frames", frames, want)
	}
}
