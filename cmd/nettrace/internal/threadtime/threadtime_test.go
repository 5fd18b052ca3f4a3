package threadtime_test

import (
	"encoding/json"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// times are the times in nanoseconds of one thread, or of all.
type times struct {
	ThreadID                                                                                           int64
	ObservedNs, RunningNs, NativeNs, WaitingNs, BlockedNs, StoppedNs, SpinningNs, IdleNs, NotSampledNs int64
	Causes, Spans                                                                                      []span
}

// span is a part of a time line, or a sum by cause.
type span struct {
	StartNs, DurationNs, OwnerThreadID int64
	State, Cause                       string
}

// sum returns the sum of the states.
func (t *times) sum() int64 {
	return t.RunningNs + t.NativeNs + t.WaitingNs + t.BlockedNs + t.StoppedNs + t.SpinningNs + t.IdleNs + t.NotSampledNs
}

// document is the output of --json.
type document struct {
	times
	Threads []times
}

// run returns the output of --json for a trace.
func run(t *testing.T, trace string, args ...string) document {
	t.Helper()
	r := programtest.Run(t, nil, append([]string{"threadtime", "--json", testfile.Archive(t, trace)}, args...)...)
	r.Exits(t, exit.Done)
	var d document
	expect.NoError(t, json.Unmarshal([]byte(r.Out), &d))
	return d
}

// TestJSON: the states of each thread, and its spans, add up to the time that the
// thread was observed.
func TestJSON(t *testing.T) {
	for _, c := range []struct {
		trace   string
		threads int
		blocked int64 // in microseconds: in contentions, or off the processor
	}{
		{"net10-mix-locks.v4", 509, 730744},
		{"aspnet-net10.v4", 14, 257847},
		{"onecollect-small.v6", 6, 4938},
	} {
		t.Run(c.trace, func(t *testing.T) {
			d := run(t, c.trace, "--spans", "--limit", "0")
			expect.Len(t, "threads", d.Threads, c.threads)
			expect.AtLeast(t, "microseconds blocked", d.BlockedNs/1000, c.blocked)
			expect.AtMost(t, "microseconds blocked", d.BlockedNs/1000, c.blocked+5)
			expect.Equal(t, "sum of the states", d.sum(), d.ObservedNs)
			all := int64(0)
			for i := range d.Threads {
				one := &d.Threads[i]
				all += one.ObservedNs
				expect.Equal(t, "sum of the states of a thread", one.sum(), one.ObservedNs)
				spans, causes := int64(0), int64(0)
				for _, s := range one.Spans {
					spans += s.DurationNs
				}
				for _, s := range one.Causes {
					causes += s.DurationNs
				}
				expect.Equal(t, "sum of the spans", spans, one.ObservedNs)
				expect.Equal(t, "sum of the causes", causes, one.WaitingNs+one.BlockedNs+one.SpinningNs+one.IdleNs)
			}
			expect.Equal(t, "sum of the threads", all, d.ObservedNs)
		})
	}
}

// TestSelection: --thread selects a thread, --from and --to a period, --limit
// the first rows.
func TestSelection(t *testing.T) {
	const trace = "net10-mix-locks.v4"
	all := run(t, trace, "--limit", "0")
	first := run(t, trace, "--limit", "1")
	expect.Len(t, "threads with --limit", first.Threads, 1)
	expect.Equal(t, "the first thread", first.Threads[0].ThreadID, all.Threads[0].ThreadID)
	one := run(t, trace, "--thread", "12727")
	expect.Len(t, "threads with --thread", one.Threads, 1)
	expect.Len(t, "spans without --spans", one.Threads[0].Spans, 0)
	early, late := run(t, trace, "--thread", "12727", "--to", "150ms"), run(t, trace, "--thread", "12727", "--from", "150ms")
	expect.Equal(t, "sum of two periods", early.ObservedNs+late.ObservedNs, one.ObservedNs)
}

// TestText: the head, the table and the time line.
func TestText(t *testing.T) {
	r := programtest.Run(t, nil, "threadtime", "--spans", "--thread", "12727", "--limit", "2", testfile.Archive(t, "net10-mix-locks.v4"))
	r.Exits(t, exit.Done)
	for _, want := range []string{
		"Corners: 1 thread observed for 201.88 ms\nblocked 148.77 ms, not sampled 53.10 ms\n",
		"no samples and no context switches: only waits, locks and pauses are known\n",
		"lock of 12728 50.34 ms, lock of 12729 31.67 ms, lock of 12730 26.68 ms, 2 more\n",
		"\nthread 12727\n", "  blocked      lock of 12728\n", "spans more (--limit 0 shows all)\n",
	} {
		expect.Contains(t, "the output", r.Out, want)
	}
}

// TestNothing: a trace without samples and waits.
func TestNothing(t *testing.T) {
	r := programtest.Run(t, nil, "threadtime", testfile.Archive(t, "net10-empty.v4"))
	r.Exits(t, exit.Broken)
	expect.Contains(t, "the error", r.Stderr, "nothing to show: the trace has no events of Microsoft-DotNETCore-SampleProfiler")
}
