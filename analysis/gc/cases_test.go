package gc_test

import (
	"math"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// numbered returns the row with a number.
func numbered(t *testing.T, rows []gc.Row, number int64) gc.Row {
	t.Helper()
	i := slices.IndexFunc(rows, func(r gc.Row) bool { return r.Number.Or(-1) == number })
	if i < 0 {
		t.Fatalf("no row %d", number)
	}
	return rows[i]
}

// TestRanBlocking: a background collection that ran blocking has its pause.
func TestRanBlocking(t *testing.T) {
	for _, c := range []struct {
		name   string
		number int64
		pause  float64 // ms
	}{
		{"sarif-net8.v4", 4, 23.790}, {"sarif-netcore3.1.v4", 3, 119.256}, {"roslyn-net10-cpu.v4", 13, 187.438},
		{"net10-mix-cpu.v4", 3, 1.114}, {"net10-killed.v4", 3, 1.393},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, _, _ := reportOf(t, shared.Trace(t, c.name))
			row := numbered(t, rows, c.number)
			expect.Equal(t, "type", row.Type, gc.BackgroundBlocking)
			expect.Equal(t, "pause in us", math.Round(float64(row.PauseNs.Or(0))/1e3), math.Round(c.pause*1e3))
		})
	}
}

// TestTwoInOnePause: roslyn-net10-cpu starts collections 7 and 8 in one suspension.
func TestTwoInOnePause(t *testing.T) {
	rows, totals, _ := reportOf(t, shared.Trace(t, "roslyn-net10-cpu.v4"))
	seven, eight := numbered(t, rows, 7), numbered(t, rows, 8)
	expect.Equal(t, "type of 7", seven.Type, gc.Background)
	expect.Equal(t, "type of 8", eight.Type, gc.Blocking)
	expect.Equal(t, "pauses of 7", len(seven.Pauses), 3)
	expect.Equal(t, "the end of the first part of 7", seven.Pauses[0].StartNs+seven.Pauses[0].PauseNs, eight.StartNs)
	expect.Equal(t, "time to suspend of 8", eight.SuspensionNs.IsZero(), true)
	expect.Equal(t, "union of the pauses in 0.1 ms", math.Round(float64(totals.PauseNs)/1e5), 14979.0)
}

// TestOverlapping: in net10-killed the suspension for collection 16 begins before the
// restart of the one before has ended.
func TestOverlapping(t *testing.T) {
	rows, totals, _ := reportOf(t, shared.Trace(t, "net10-killed.v4"))
	fifteen, sixteen := numbered(t, rows, 15), numbered(t, rows, 16)
	expect.Equal(t, "type of 15", fifteen.Type, gc.Background)
	expect.Equal(t, "type of 16", sixteen.Type, gc.Foreground)
	expect.NotZero(t, "pause of 16", sixteen.PauseNs.Or(0))
	expect.NotZero(t, "heap after 16", sixteen.HeapAfterBytes.Or(0))
	if totals.PauseNs >= totals.Pauses.TotalNs {
		t.Errorf("union of the pauses %d ns, want less than their sum %d ns", totals.PauseNs, totals.Pauses.TotalNs)
	}
	expect.Equal(t, "union in 0.1 ms", math.Round(float64(totals.PauseNs)/1e5), 5661.0)
}

// TestWithoutCollection: the start of a no-GC region takes number 6 of net10-mix-gc.
func TestWithoutCollection(t *testing.T) {
	rows, totals, _ := reportOf(t, shared.Trace(t, "net10-mix-gc.v4"))
	six := numbered(t, rows, 6)
	expect.Equal(t, "type", six.Type, gc.NoCollection)
	expect.Equal(t, "pause", six.PauseNs.Or(0), 10265)
	expect.Equal(t, "generation is unknown", six.Generation.IsZero(), true)
	expect.Equal(t, "collections", totals.Count, 9)
	expect.Equal(t, "pauses without collection", totals.PausesWithoutCollection, 1)
	expect.Equal(t, "missing numbers", totals.NumbersMissing, 0)
}

// TestCounts compares the number of collections and the share of time paused of each
// trace.
func TestCounts(t *testing.T) {
	counts := map[string]int64{
		"aspnet-net10.v4": 14, "azmcp-net10-cpu.v4": 65, "azmcp-net10-live.v4": 3, "net10-allevents.v4": 2,
		"net10-alloc-sampled.v4": 7, "net10-deep.v4": 3, "net10-killed.v4": 46, "net10-killed-cut.v4": 46, "net10-mix-cpu.v4": 16,
		"net10-mix-gc.v4": 9, "net10-mix-gcheap.v4": 1, "roslyn-net10-cpu.v4": 27, "sarif-net8.v4": 6, "sarif-netcore3.1.v4": 5,
		"perfview-netcore2.1-win-x86.v3": 10, "perfview-netcore3.0-win-x64.v4": 478,
	}
	for _, name := range shared.Traces(t) {
		t.Run(name, func(t *testing.T) {
			_, totals, report := reportOf(t, shared.Trace(t, name))
			count := int64(0)
			if totals != nil {
				count = totals.Count
				expect.AtMost(t, "share of time paused in percent", totals.PausePercent, 100)
			} else {
				expect.Len(t, "not recorded", report.NotRecorded, 1)
				expect.Equal(t, "rows", report.Rows, nil)
			}
			expect.Equal(t, "collections", count, counts[name])
		})
	}
}

// TestPressure: the findings of programs that recorded themselves have the method that
// the program says.
func TestPressure(t *testing.T) {
	for _, c := range []struct {
		name string
		rule string
		text string
	}{
		{"gc-truth", "gc-pause-share", "12.2 % of the time"},
		{"gc-truth-blocking", "gc-induced", "GC.Collect called from Program.Ask"},
		{"gc-truth-server", "gc-induced", "GC.Collect called from Program.AskFull()"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.TruthFile(t, c.name+".v4.nettrace.zst"))
			i := slices.IndexFunc(report.Findings, func(f analysis.Finding) bool { return f.Rule == c.rule })
			if i < 0 {
				t.Fatalf("findings %v, want %s", report.Findings, c.rule)
			}
			expect.Contains(t, "text", report.Findings[i].Text, c.text)
		})
	}
}

// TestHealthyTruth: programs that were recorded for other parts have no finding.
func TestHealthyTruth(t *testing.T) {
	for _, name := range []string{
		"no-starve", "no-deadlock", "starve", "deadlock", "sync-over-async", "wait-truth", "cpu-truth", "aspnet-requests", "aspnet-async",
		"alloc-truth-tick", "exceptions", "http-client",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.TruthFile(t, name+".v4.nettrace.zst"))
			expect.Len(t, "findings", report.Findings, 0)
		})
	}
}

// TestHealthy: healthy programs have no finding, others those that are true of them.
func TestHealthy(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules []string
	}{
		{"aspnet-net10.v4", nil}, {"azmcp-net10-cpu.v4", nil}, {"azmcp-net10-live.v4", nil}, {"net10-deep.v4", nil}, {"net10-mix-locks.v4", nil},
		{"net10-killed.v4", []string{"gc-pause-share", "gc-induced", "gc-many-full"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.Trace(t, c.name))
			var rules []string
			for _, f := range report.Findings {
				rules = append(rules, f.Rule)
			}
			expect.Slices(t, "findings", rules, c.rules)
		})
	}
}
