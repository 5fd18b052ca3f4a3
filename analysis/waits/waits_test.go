package waits_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/waits"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// reportOf returns the rows and totals of the only process of a trace.
func reportOf(t *testing.T, trace []byte) ([]waits.Row, *waits.Totals, analysis.Report) {
	t.Helper()
	part := waits.New()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	if tr == nil {
		t.Fatal(err)
	}
	reports := rules.Saw(part.Reports(tr))
	if len(reports) != 1 {
		t.Fatalf("%d reports, want 1", len(reports))
	}
	rows, _ := reports[0].Rows.([]waits.Row)
	totals, _ := reports[0].Totals.(*waits.Totals)
	return rows, totals, reports[0]
}

// micros rounds nanoseconds to microseconds.
func micros(nanos int64) float64 { return math.Round(float64(nanos) / 1e3) }

// TestWaits compares the number of waits and their sum.
func TestWaits(t *testing.T) {
	for _, c := range []struct {
		name                string
		count, open, inside int64
		total, insideTotal  float64 // us
	}{
		{"net10-mix-locks.v4", 1092, 3, 672, 3261626, 724260}, {"net10-allevents.v4", 167, 3, -1, 306234, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, totals, report := reportOf(t, shared.Trace(t, c.name))
			expect.Equal(t, "waits", totals.Count.Or(-1), c.count)
			expect.Equal(t, "open at the end", totals.Unfinished.Or(-1), c.open)
			expect.Equal(t, "sum in us", micros(totals.TotalNs.Or(-1)), c.total)
			if c.inside >= 0 {
				expect.Equal(t, "in a contention", totals.InContention.Or(-1), c.inside)
				expect.Equal(t, "their sum in us", micros(totals.InContentionNs.Or(-1)), c.insideTotal)
			}
			count, total := totals.InContention.Or(0), totals.InContentionNs.Or(0)
			for _, row := range rows {
				if !row.Sampled {
					count, total = count+row.Count, total+row.TotalNs
				}
			}
			expect.Equal(t, "waits of the rows and in contentions", count, totals.Count.Or(-1)+totals.Unfinished.Or(-1))
			expect.Equal(t, "their sum", total, totals.TotalNs.Or(-1)+totals.UnfinishedNs.Or(-1))
			expect.Len(t, "findings", report.Findings, 0)
			expect.Len(t, "not recorded", report.NotRecorded, 0)
		})
	}
}

// TestLongest: the longest wait of net10-mix-locks is that of Main for a task.
func TestLongest(t *testing.T) {
	rows, _, _ := reportOf(t, shared.Trace(t, "net10-mix-locks.v4"))
	for _, row := range rows {
		if row.Method == "Mix.Pool()" {
			expect.Equal(t, "longest in us", micros(row.MaxNs), 900790.0)
			expect.Equal(t, "cause", row.Cause, "task")
			expect.Equal(t, "of a worker", row.PoolThread, false)
			return
		}
	}
	t.Error("no row of Mix.Pool()")
}

// causes are the causes of the kinds of waits of wait-truth, by the method.
var causes = map[string]string{
	"WaitMutex": "handle", "WaitEvent": "handle", "WaitSemaphore": "handle", "WaitAllHandles": "handle", "WaitAnyHandle": "handle",
	"WaitAutoEventTimeout": "handle", "WaitReadLock": "handle",
	"WaitTask": "task", "WaitTaskAll": "task", "WaitTaskAny": "task", "WaitTaskResult": "task", "WaitTaskDelay": "task",
	"WaitEventSlim": "event", "WaitCountdown": "event", "WaitBarrier": "event", "WaitSemaphoreSlim": "semaphore", "WaitCollection": "semaphore",
	"WaitMonitorPulse": "monitor", "WaitMonitorTimeout": "monitor", "WaitJoin": "join",
}

// sampledCauses are the causes of the kinds that have no events.
var sampledCauses = map[string]string{"WaitSleep": "sleep", "WaitPipe": "io", "WaitSocket": "io"}

// TestCauses: on each version of the runtime each kind of wait has its cause, its waits, and the time
// that the program measured; waits for locks are no rows. Up to .NET 8, and for joins since .NET 11,
// samples show the waits, and a wait that begins with other work can be several rows.
func TestCauses(t *testing.T) {
	for _, of := range shared.Recordings(t, "wait-truth") {
		t.Run(of.Name, func(t *testing.T) { compareCauses(t, of) })
	}
}

// found is what the rows of a method have for one cause.
type found struct {
	count, total int64
	sampled      bool
}

func compareCauses(t *testing.T, of shared.Recording) {
	rows, _, report := reportOf(t, of.Trace(t))
	expect.Len(t, "findings", report.Findings, 0)
	measured, count := map[string]int64{}, map[string]int64{}
	for line := range bytes.Lines(of.Truth(t)) {
		var one struct {
			Wait, Role, Method string
			Begin, End         int64
		}
		if json.Unmarshal(line, &one) == nil && one.Role == "waiter" {
			measured[one.Method] += one.End - one.Begin
			count[one.Method]++
		}
	}
	byMethod := map[string]map[string]found{}
	for _, row := range rows {
		name, _, _ := strings.Cut(strings.TrimPrefix(row.Method, "WaitTruth."), "(")
		if byMethod[name] == nil {
			byMethod[name] = map[string]found{}
		}
		f := byMethod[name][row.Cause]
		byMethod[name][row.Cause] = found{f.count + row.Count, f.total + row.TotalNs, row.Sampled}
	}
	for method, cause := range causes {
		f := byMethod[method][cause]
		byTasks := of.Version < 9 && cause == "task" && method != "WaitTaskAll" // the task library has events about them
		if sampled := of.Version < 9 && !byTasks || method == "WaitJoin" && of.Version > 10; sampled != f.sampled {
			t.Errorf("%s: got sampled %v, want %v", method, f.sampled, sampled)
		}
		least := measured[method] - 20e6
		if f.sampled {
			least = measured[method] / 2
		} else if f.count != count[method] {
			t.Errorf("%s: got %d waits as %s, want %d: %v", method, f.count, cause, count[method], byMethod[method])
		}
		if f.total > measured[method] || f.total < least {
			t.Errorf("%s: got %d ns as %s, want at most the %d ns of the program: %v", method, f.total, cause, measured[method], byMethod[method])
		}
	}
	for method, cause := range sampledCauses {
		f := byMethod[method][cause]
		if !f.sampled || f.total > measured[method] || f.total < measured[method]/2 {
			t.Errorf("%s: got %+v as %s, want most of the %d ns of the program, sampled", method, f, cause, measured[method])
		}
	}
	for _, method := range []string{"WaitLock", "WaitShared", "WaitLockClass", "WaitTryEnter"} {
		if len(byMethod[method]) > 0 {
			t.Errorf("got a row of %s: %v", method, byMethod[method])
		}
	}
}

// completed is the method of sync-over-async that asks for the result of a completed
// task, which is no wait.
const completed = "ByResultComplete"

// TestSyncOverAsync: on each version of the runtime the methods with a finding are those that the
// program ran in workers of the thread pool, and Main and its own threads have none.
func TestSyncOverAsync(t *testing.T) {
	for _, of := range shared.Recordings(t, "sync-over-async") {
		t.Run(of.Name, func(t *testing.T) { compareSyncOverAsync(t, of) })
	}
}

func compareSyncOverAsync(t *testing.T, of shared.Recording) {
	rows, totals, report := reportOf(t, of.Trace(t))
	want := map[string]int64{}
	for line := range bytes.Lines(of.Truth(t)) {
		var one struct {
			Block string
			Pool  bool
		}
		if json.Unmarshal(line, &one) == nil && one.Block != "" && one.Pool && one.Block != completed {
			want[one.Block]++
		}
	}
	got, all := map[string]int64{}, int64(0)
	for _, row := range rows {
		if row.SyncOverAsync && row.PoolThread {
			name, _, _ := strings.Cut(strings.TrimPrefix(row.Method, "SyncOverAsync."), "(")
			got[name] += row.Count
		}
	}
	for method, count := range want {
		expect.Equal(t, "waits of "+method, got[method], count)
		all += count
	}
	expect.Equal(t, "methods", len(got), len(want))
	expect.Equal(t, "all", totals.SyncOverAsync, all)
	found := map[string]bool{}
	for _, f := range report.Findings {
		name, _, _ := strings.Cut(strings.TrimPrefix(f.Text, "SyncOverAsync."), "(")
		found[name] = true
		expect.Equal(t, "rule", f.Rule, "sync-over-async")
	}
	expect.Equal(t, "methods with a finding", len(found), len(want))
	for method := range found {
		expect.NotZero(t, "waits of "+method+" that the program printed", want[method])
	}
}

// TestStarve: a program whose workers wait for tasks has the finding, on each version of the runtime.
// The variant that awaits has none.
func TestStarve(t *testing.T) {
	for _, of := range shared.Recordings(t, "starve") {
		_, _, report := reportOf(t, of.Trace(t))
		expect.Len(t, of.Name+": findings", report.Findings, 1)
		expect.Stop(t)
		expect.Contains(t, of.Name+": text", report.Findings[0].Text, "Starve.BlockOnTask(int, long) blocked workers", "28 times")
		expect.Equal(t, of.Name+": severity", report.Findings[0].Severity, analysis.High)
	}
	for _, of := range shared.Recordings(t, "no-starve") {
		_, _, report := reportOf(t, of.Trace(t))
		expect.Len(t, of.Name+": findings with await", report.Findings, 0)
	}
}

// TestHealthy: no finding in traces of healthy programs.
func TestHealthy(t *testing.T) {
	for _, name := range []string{"no-deadlock", "deadlock", "cpu-truth", "gc-truth", "aspnet-requests", "aspnet-async", "async-chain"} {
		t.Run(name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.TruthFile(t, name+".v4.nettrace.zst"))
			expect.Len(t, "findings", report.Findings, 0)
		})
	}
	for _, name := range []string{"aspnet-net10.v4", "azmcp-net10-cpu.v4", "azmcp-net10-live.v4", "net10-deep.v4", "azmcp-net10-counters.v4"} {
		t.Run(name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.Trace(t, name))
			expect.Len(t, "findings", report.Findings, 0)
		})
	}
}

// TestSampled: without events about waits the rows are by samples, and those of idle
// threads are separate. Waits for locks are left out if the trace has contentions.
func TestSampled(t *testing.T) {
	for _, c := range []struct {
		name  string
		trace []byte
		want  []string // causes
		lacks string
	}{
		{"aspnet-net10", shared.Trace(t, "aspnet-net10.v4"), []string{"poolIdle", "timerIdle", "gateIdle", "socketIdle", "watcherIdle"}, "lock"},
		{"deadlock", shared.TruthFile(t, "deadlock.v4.nettrace.zst"), []string{"sleep"}, "lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, totals, report := reportOf(t, c.trace)
			causes := map[string]bool{}
			for _, row := range rows {
				causes[row.Cause] = true
				expect.Equal(t, "by samples", row.Sampled, true)
				expect.AtMost(t, "longest", row.MaxNs, totals.ObservedNs)
			}
			for _, cause := range c.want {
				expect.Equal(t, "a row of "+cause, causes[cause], true)
			}
			expect.Equal(t, "a row of "+c.lacks, causes[c.lacks], false)
			expect.Equal(t, "waits by events are unknown", totals.Count.IsZero(), true)
			expect.Len(t, "not recorded", report.NotRecorded, 1)
		})
	}
}

// TestCausesOfOneMethod: a method that sleeps while it has a lock and waits for it has a row for
// each cause.
func TestCausesOfOneMethod(t *testing.T) {
	rows, _, _ := reportOf(t, shared.Trace(t, "net10-mix-cpu.v4"))
	var causes []string
	for _, row := range rows {
		if row.Method == "Mix.Locks.lambda#3()" {
			causes = append(causes, row.Cause)
		}
	}
	expect.Slices(t, "causes, the longest first", causes, []string{"lock", "sleep"})
}

// TestWithoutNames: samples without names show no waits, and the report has what records names.
func TestWithoutNames(t *testing.T) {
	rows, _, report := reportOf(t, shared.Trace(t, "net10-killed.v4"))
	expect.Len(t, "rows", rows, 0)
	expect.Len(t, "not recorded", report.NotRecorded, 2)
	expect.Stop(t)
	expect.Contains(t, "the second one", report.NotRecorded[1].String(), "names of methods", "collect --names both")
}

// TestNotRecorded: a trace without waits says what records them.
func TestNotRecorded(t *testing.T) {
	rows, totals, report := reportOf(t, shared.Trace(t, "net10-mix-gc.v4"))
	expect.Equal(t, "rows", rows == nil && totals == nil, true)
	expect.Len(t, "not recorded", report.NotRecorded, 1)
	expect.Contains(t, "command", report.NotRecorded[0].Command, "--provider Microsoft-Windows-DotNETRuntime:0x40000000000:5")
}
