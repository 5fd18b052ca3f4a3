package locks_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/locks"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// reportOf returns the rows and totals of the only process of a trace.
func reportOf(t *testing.T, trace []byte) ([]locks.Row, *locks.Totals, analysis.Report) {
	t.Helper()
	part := locks.New()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	if tr == nil {
		t.Fatal(err)
	}
	reports := rules.Saw(part.Reports(tr))
	if len(reports) != 1 {
		t.Fatalf("%d reports, want 1", len(reports))
	}
	rows, _ := reports[0].Rows.([]locks.Row)
	totals, _ := reports[0].Totals.(*locks.Totals)
	return rows, totals, reports[0]
}

// micros rounds nanoseconds to microseconds.
func micros(nanos int64) float64 { return math.Round(float64(nanos) / 1e3) }

// TestContentions compares the number of contentions and their sum of the traces with
// contended locks.
func TestContentions(t *testing.T) {
	for _, c := range []struct {
		name  string
		count int64
		total float64 // us
	}{
		{"net10-mix-locks.v4", 654, 730744}, {"aspnet-net10.v4", 82, 257847}, {"perfview-netcore3.0-win-x64.v4", 8, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, totals, report := reportOf(t, shared.Trace(t, c.name))
			expect.Equal(t, "contentions", totals.Count, c.count)
			if c.total > 0 {
				expect.Equal(t, "sum in us", micros(totals.TotalNs), c.total)
			}
			expect.Equal(t, "open at the end", totals.Unfinished, 0)
			expect.Equal(t, "ends without a start", totals.BeganBefore, 0)
			expect.Len(t, "findings", report.Findings, 0)
			count, total := int64(0), int64(0)
			for _, row := range rows {
				count, total = count+row.Count, total+row.TotalNs
			}
			expect.Equal(t, "contentions of the rows", count, totals.Count)
			expect.Equal(t, "sum of the rows", total, totals.TotalNs)
			expect.Equal(t, "contentions of the distribution", totals.Waits.Count, totals.Count)
		})
	}
}

// TestClock: the sum by the times of the events is lower, because a start is logged
// when the thread already waits.
func TestClock(t *testing.T) {
	_, totals, _ := reportOf(t, shared.Trace(t, "net10-mix-locks.v4"))
	expect.Equal(t, "sum in us", micros(totals.ClockNs), 728289.0)
}

// TestOwner: the owner of a lock has the stack of its sample in the wait, without the
// GC poll at which it was stopped.
func TestOwner(t *testing.T) {
	rows, _, _ := reportOf(t, shared.Trace(t, "aspnet-net10.v4"))
	expect.Equal(t, "method", rows[0].Method, "Program.Main.lambda#4()")
	expect.Equal(t, "contentions", rows[0].Count, 75)
	expect.Equal(t, "owner", rows[0].Longest.Owner, "Program.Main.Spin(int)")
	expect.Equal(t, "waiting threads at once", rows[0].Waiters, 2)
}

// truth is a line of a program about a thread that wants a lock.
type truth struct {
	Thread             int64
	Group, Holds, Want string
	Wants              string
}

// truthOf returns the threads that want a lock, and the owner of each lock.
func truthOf(t *testing.T, of shared.Recording) (threads []truth, owner map[string]int64) {
	t.Helper()
	owner = map[string]int64{}
	for line := range bytes.Lines(of.Truth(t)) {
		var one truth
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		if one.Holds != "" {
			owner[one.Holds] = one.Thread
		}
		if one.Wants != "" {
			threads = append(threads, one)
		}
	}
	return threads, owner
}

// syncOf returns the sync time of a trace, in ticks of a nanosecond.
func syncOf(t *testing.T, trace []byte) uint64 {
	header, err := codec.NewBytesReader(trace, codec.Options{}).Trace()
	expect.NoError(t, err)
	return header.SyncTicks
}

// TestNearestName: without a rundown a row has the nearest method with a name.
func TestNearestName(t *testing.T) {
	rows, _, _ := reportOf(t, shared.File(t, "apps/garnet-net10-lossy.v4.nettrace.zst"))
	expect.Contains(t, "method", rows[0].Method, "System.Net.Sockets.SocketAsyncContext.")
	expect.Contains(t, "innermost frame", rows[0].Stack[0], "?!0x")
}

// TestHolder: a row names what held the lock in its longest wait, which the event and the samples of that
// thread tell.
func TestHolder(t *testing.T) {
	found := 0
	for _, of := range shared.Recordings(t, "wait-truth") {
		rows, _, _ := reportOf(t, of.Trace(t))
		for _, row := range rows {
			thread, known := row.Longest.OwnerThreadID.Get()
			expect.Equal(t, of.Name+": "+row.Method+" has a holder", row.Holder != nil, known)
			if known {
				found++
				expect.Equal(t, of.Name+": "+row.Method, *row.Holder, locks.Holder{ThreadID: thread, Method: row.Longest.Owner})
			}
		}
	}
	expect.AtLeast(t, "rows with a holder", found, 1)
}

// TestDeadlockWithoutRundown: a recording without samples and rundown ends with ProcessInfo, which
// the runtime logs when it stops, seconds after the last contention. A slice of it ends at its bound.
func TestDeadlockWithoutRundown(t *testing.T) {
	for _, of := range shared.Recordings(t, "deadlock") {
		if of.Name == unresolved {
			continue
		}
		slice := func(data []byte, opt edit.SliceOptions) []byte {
			var out bytes.Buffer
			_, err := edit.Slice(t.Context(), &out, codec.NewBlockReader(bytes.NewReader(data), codec.Options{}), opt)
			expect.NoError(t, err)
			return out.Bytes()
		}
		bare := slice(of.Trace(t), edit.SliceOptions{
			Keep: func(ev *codec.Event) bool {
				return ev.Provider() == clr.RuntimeProvider || ev.Provider() == clr.PipeProvider
			},
			DropRundown: true,
		})
		_, totals, _ := reportOf(t, bare)
		expect.Len(t, "deadlock candidates of "+of.Name, totals.Deadlocks, 2)
		longest := totals.Deadlocks[0].Threads[0].DurationNs
		to := codec.TimeRange{To: uint64(totals.Deadlocks[0].Threads[0].StartNs) + syncOf(t, bare) + 1.5e9, HasTo: true}
		_, totals, _ = reportOf(t, slice(bare, edit.SliceOptions{Time: to, Naming: symbols.NewNaming(symbols.Options{})}))
		expect.Len(t, "deadlock candidates of the slice of "+of.Name, totals.Deadlocks, 2)
		got := totals.Deadlocks[0].Threads[0].DurationNs
		expect.AtMost(t, "ns to the end of the slice", got, 1.5e9)
		expect.AtLeast(t, "ns to the end of the slice", got, 1.5e9-1)
		expect.AtLeast(t, "ns to the end of the recording", longest, 2e9)
	}
}

// TestDeadlock: on each version of the runtime the deadlock candidates are the cycles that the
// program printed, and the finding of each has its threads. .NET 11 writes managed ids, which
// belong to threads by their events or by the rundown.
func TestDeadlock(t *testing.T) {
	for _, of := range shared.Recordings(t, "deadlock", "deadlock-threads", "deadlock-rundown") {
		if of.Name == unresolved {
			continue
		}
		t.Run(of.Name, func(t *testing.T) {
			_, totals, report := reportOf(t, of.Trace(t))
			threads, owner := truthOf(t, of)
			groups := map[string][]int64{}
			next := map[int64]int64{}
			for _, one := range threads {
				groups[one.Group] = append(groups[one.Group], one.Thread)
				next[one.Thread] = owner[one.Wants]
			}
			expect.Equal(t, "owners that are unknown", totals.OwnersUnknown, 0)
			expect.Len(t, "deadlock candidates", totals.Deadlocks, 2)
			expect.Len(t, "findings", report.Findings, 2)
			for _, d := range totals.Deadlocks {
				group := []string{"cycle of two", "cycle of three"}[len(d.Threads)-2]
				var got []int64
				for _, thread := range d.Threads {
					got = append(got, thread.ThreadID)
					expect.Equal(t, "owner", thread.OwnerThreadID.Or(-1), next[thread.ThreadID])
					if len(report.NotRecorded) == 0 {
						expect.AtLeast(t, "samples in the wait", thread.Samples, 500)
					}
				}
				expect.Slices(t, group, slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(groups[group])))
				if group == "cycle of two" {
					expect.Slices(t, "threads that wait for it", d.Waiting, groups["bystander"])
				}
			}
			for i, f := range report.Findings { // the larger cycle first
				expect.Equal(t, "rule", f.Rule, "lock-deadlock")
				expect.Equal(t, "severity", f.Severity, analysis.High)
				expect.Equal(t, "threads", f.Value, float64(3-i))
			}
		})
	}
}

// unresolved is the recording of .NET 11 that has neither events about threads nor their rundown.
const unresolved = "net11-deadlock"

// TestOwnersUnknown: where the trace does not have the threads with the managed ids of .NET 11, the
// report does not say that there is no deadlock, but that the owners cannot be known, and what
// records them.
func TestOwnersUnknown(t *testing.T) {
	for _, of := range shared.Recordings(t, "deadlock", "no-deadlock") {
		if of.Version < 11 {
			continue
		}
		t.Run(of.Name, func(t *testing.T) {
			rows, totals, report := reportOf(t, of.Trace(t))
			expect.Equal(t, "deadlocks are known", totals.Deadlocks != nil, false)
			expect.Equal(t, "owners that are unknown", totals.OwnersUnknown, int64(len(rows)))
			for _, row := range rows {
				expect.Equal(t, "an owner", row.Longest.OwnerThreadID.IsZero(), true)
				expect.Contains(t, "why", row.Longest.OwnerUnknown, "the owner cannot be known", "managed ids")
			}
			expect.Len(t, "not recorded", report.NotRecorded, 1)
			expect.Contains(t, "command", report.NotRecorded[0].Command, "--provider Microsoft-Windows-DotNETRuntime:0x10000:4")
			expect.Len(t, "findings", report.Findings, 0)
		})
	}
}

// TestNoDeadlock: a chain of waits that resolves, and one that is open at the end for a
// thread that sleeps, are no deadlock.
func TestNoDeadlock(t *testing.T) {
	for _, of := range shared.Recordings(t, "no-deadlock", "no-deadlock-threads") {
		t.Run(of.Name, func(t *testing.T) {
			rows, totals, report := reportOf(t, of.Trace(t))
			expect.Len(t, "deadlock candidates", totals.Deadlocks, 0)
			expect.Len(t, "findings", report.Findings, 0)
			expect.Equal(t, "contentions", totals.Count, 3)
			expect.Equal(t, "contentions that are open", totals.Unfinished, 1)
			expect.Equal(t, "the longest is unfinished", rows[0].Longest.Unfinished, true)
			if of.Name != "net11-no-deadlock" {
				expect.Contains(t, "its owner", rows[0].Longest.Owner, "Deadlock.HoldLong(")
				expect.Contains(t, "what the owner does", strings.Join(rows[0].Longest.OwnerStack, "\n"), "System.Threading.Thread.Sleep(")
			}
		})
	}
}

// TestHealthy: no finding in traces of programs that have no problem with locks.
func TestHealthy(t *testing.T) {
	for _, name := range []string{"no-starve", "starve", "sync-over-async", "wait-truth", "cpu-truth", "gc-truth", "aspnet-requests", "aspnet-async"} {
		t.Run(name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.TruthFile(t, name+".v4.nettrace.zst"))
			expect.Len(t, "findings", report.Findings, 0)
		})
	}
	for _, name := range []string{"azmcp-net10-cpu.v4", "azmcp-net10-live.v4", "roslyn-net10-cpu.v4", "net10-deep.v4", "net10-mix-cpu.v4"} {
		t.Run(name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.Trace(t, name))
			expect.Len(t, "findings", report.Findings, 0)
		})
	}
}

// TestNotRecorded: a trace without contentions says what records them, one with
// contentions and without samples what records the owners.
func TestNotRecorded(t *testing.T) {
	rows, totals, report := reportOf(t, shared.Trace(t, "net10-mix-gc.v4"))
	expect.Equal(t, "rows", rows == nil && totals == nil, true)
	expect.Len(t, "not recorded", report.NotRecorded, 1)
	expect.Contains(t, "command", report.NotRecorded[0].Command, "--provider Microsoft-Windows-DotNETRuntime:0x4000:4")
	_, _, report = reportOf(t, shared.Trace(t, "net10-mix-locks.v4"))
	expect.Len(t, "not recorded beside contentions", report.NotRecorded, 1)
	expect.Contains(t, "command", report.NotRecorded[0].Command, "--provider Microsoft-DotNETCore-SampleProfiler:0x0:4")
}
