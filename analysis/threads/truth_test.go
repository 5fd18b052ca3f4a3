package threads_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/threads"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// reportOf returns the report of a trace with one process.
func reportOf(t *testing.T, trace []byte) ([]threads.Row, *threads.Totals, analysis.Report) {
	t.Helper()
	part := threads.New()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	if tr == nil {
		t.Fatal(err)
	}
	reports := rules.Saw(part.Reports(tr))
	if len(reports) != 1 {
		t.Fatalf("%d reports, want 1", len(reports))
	}
	rows, _ := reports[0].Rows.([]threads.Row)
	totals, _ := reports[0].Totals.(*threads.Totals)
	return rows, totals, reports[0]
}

// line is a line of the program starve: an item of work, a number of threads at a time,
// or the begin and the end of all items.
type line struct {
	Item       *int
	Method     string
	At         int64
	Threads    int64
	Begin, End int64
	Ms         int64
}

// linesOf returns the lines of a program.
func linesOf(t *testing.T, name string) []line {
	t.Helper()
	var list []line
	for text := range bytes.Lines(shared.TruthFile(t, name+".truth.ndjson")) {
		var l line
		if json.Unmarshal(text, &l) == nil { // the last line has another form
			list = append(list, l)
		}
	}
	return list
}

// TestStarve: the program that blocks the pool has the finding, with the method and the
// time that it printed.
func TestStarve(t *testing.T) {
	trace := shared.TruthFile(t, "starve.v4.nettrace.zst")
	header, err := codec.NewBytesReader(trace, codec.Options{}).Trace()
	expect.NoError(t, err)
	rows, totals, report := reportOf(t, trace)
	lines := linesOf(t, "starve")
	expect.Len(t, "findings", report.Findings, 1)
	expect.Equal(t, "rule", report.Findings[0].Rule, "threads-starvation")
	item := lines[slices.IndexFunc(lines, func(l line) bool { return l.Item != nil })]
	expect.Contains(t, "text", report.Findings[0].Text, "blocked in Starve."+item.Method+"(")
	expect.Len(t, "starvations", totals.Starvations, 1)
	whole := lines[slices.IndexFunc(lines, func(l line) bool { return l.Ms > 0 })]
	s := totals.Starvations[0]
	expect.AtLeast(t, "start", s.StartNs, int64(header.Since(uint64(whole.Begin))))
	expect.AtMost(t, "end", s.StartNs+s.DurationNs, int64(header.Since(uint64(whole.End))))
	expect.Equal(t, "workers at most", s.Workers, 14)
	observed, near := 0, 0
	for _, l := range lines {
		if l.At == 0 || l.At < whole.Begin || l.At > whole.End {
			continue
		}
		at := int64(header.Since(uint64(l.At)))
		i := slices.IndexFunc(rows, func(r threads.Row) bool { return r.StartNs > at })
		if i <= 0 {
			continue
		}
		observed++
		if diff := rows[i-1].Workers - l.Threads; diff >= -1 && diff <= 1 {
			near++
		}
	}
	expect.AtLeast(t, "observations", observed, 10)
	expect.AtLeast(t, "observations with a number of threads within 1, in percent", 100*near/observed, 80)
	expect.Len(t, "queue lengths", totals.QueueLengths, 1)
	expect.Equal(t, "threads by the counter", totals.ThreadCounts[0].Value, 14)
	expect.Equal(t, "reasons", totals.Reasons[0], threads.Reason{Reason: "CooperativeBlocking", Count: 17})
	expect.Len(t, "not recorded", report.NotRecorded, 0)
}

// TestVersions: on each version of the runtime the program that blocks the pool has the finding, and
// those that do not have none.
func TestVersions(t *testing.T) {
	for _, of := range shared.Recordings(t, "starve") {
		_, totals, report := reportOf(t, of.Trace(t))
		expect.Len(t, of.Name+": findings", report.Findings, 1)
		expect.Stop(t)
		expect.Equal(t, of.Name+": rule", report.Findings[0].Rule, "threads-starvation")
		expect.Contains(t, of.Name+": text", report.Findings[0].Text, "blocked in Starve.BlockOnTask(")
		for _, frame := range totals.Starvations[0].Stack { // of the event of a wait, or of a sample
			expect.Equal(t, of.Name+": "+frame+" writes the event", strings.Contains(frame, "EventSource") || strings.Contains(frame, "EventProvider"), false)
		}
	}
	for _, of := range shared.Recordings(t, "no-starve", "no-deadlock", "deadlock", "sync-over-async", "wait-truth", "cpu-truth", "exceptions") {
		_, _, report := reportOf(t, of.Trace(t))
		expect.Len(t, of.Name+": findings", report.Findings, 0)
	}
}

// TestHealthyTruth: programs that were recorded for other parts have no finding. In
// sync-over-async threads are blocked by many methods, one after the other.
func TestHealthyTruth(t *testing.T) {
	for _, name := range []string{
		"no-starve", "no-deadlock", "deadlock", "sync-over-async", "wait-truth", "cpu-truth", "aspnet-requests", "aspnet-async", "exceptions",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.TruthFile(t, name+".v4.nettrace.zst"))
			expect.Len(t, "findings", report.Findings, 0)
		})
	}
}

// TestCounters: of a trace with the same counter of both kinds one counts.
func TestCounters(t *testing.T) {
	_, totals, _ := reportOf(t, shared.Trace(t, "net10-counters.v4"))
	expect.AtLeast(t, "queue lengths", len(totals.QueueLengths), 3)
	for i, q := range totals.QueueLengths[1:] {
		expect.AtLeast(t, "time since the one before in ms", (q.StartNs-totals.QueueLengths[i].StartNs)/1e6, 900)
	}
	expect.Equal(t, "adjustments are unknown", totals.Adjustments.IsZero(), true)
	expect.Equal(t, "numbers of threads", len(totals.ThreadCounts), len(totals.QueueLengths))
}

// TestTraces: the traces have no finding; the adjustments of some are those that
// TraceEvent counts.
func TestTraces(t *testing.T) {
	adjustments := map[string]threads.Reason{
		"aspnet-net10.v4": {Reason: "Warmup", Count: 4}, "azmcp-net10-cpu.v4": {Reason: "ClimbingMove", Count: 21},
		"perfview-netcore3.0-win-x64.v4": {Reason: "Starvation", Count: 8},
	}
	for _, name := range shared.Traces(t) {
		t.Run(name, func(t *testing.T) {
			rows, totals, report := reportOf(t, shared.Trace(t, name))
			expect.Len(t, "findings", report.Findings, 0)
			if totals == nil {
				expect.Len(t, "not recorded", report.NotRecorded, 1)
				return
			}
			expect.Equal(t, "adjustments", totals.Adjustments.Or(0), int64(len(rows)))
			expect.Len(t, "threads", totals.Created, int(totals.ThreadsCreated.Or(0)))
			if want, ok := adjustments[name]; ok {
				expect.Equal(t, "most frequent reason", totals.Reasons[0], want)
			}
		})
	}
}
