package trace_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/trace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// reportOf returns the report of a trace.
func reportOf(t *testing.T, data []byte) ([]trace.Row, *trace.Totals, analysis.Report) {
	t.Helper()
	part := trace.New()
	r := codec.NewBytesReader(data, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	if tr == nil {
		t.Fatal(err)
	}
	reports := rules.Saw(part.Reports(tr))
	if len(reports) != 1 {
		t.Fatalf("%d reports, want 1", len(reports))
	}
	return reports[0].Rows.([]trace.Row), reports[0].Totals.(*trace.Totals), reports[0]
}

// TestTruncated: of a truncated stack the outer frames are missing.
func TestTruncated(t *testing.T) {
	_, totals, _ := reportOf(t, shared.Trace(t, "net10-deep.v4"))
	expect.Equal(t, "stacks", totals.Stacks, 9491)
	expect.Equal(t, "truncated stacks", totals.TruncatedStacks, 5876)
}

// TestLost: the rows of a trace with losses between events have all of them.
func TestLost(t *testing.T) {
	rows, totals, report := reportOf(t, shared.Trace(t, "net10-types.v4"))
	expect.Equal(t, "lost", totals.Lost, 25)
	expect.Equal(t, "lost without time", totals.LostWithoutTime, 0)
	expect.Len(t, "rows", rows, 4)
	expect.Len(t, "findings", report.Findings, 0)
}

// TestTraces: the rows of each trace have all its losses.
func TestTraces(t *testing.T) {
	for _, name := range shared.Traces(t) {
		t.Run(name, func(t *testing.T) {
			rows, totals, _ := reportOf(t, shared.Trace(t, name))
			lost := int64(0)
			for _, row := range rows {
				lost += row.Lost
				expect.AtLeast(t, "length of a loss", row.DurationNs, 0)
			}
			expect.Equal(t, "losses", lost, totals.Lost)
			expect.Equal(t, "losses without a time", totals.LostWithoutTime, 0)
		})
	}
}

// TestFindings: the findings of traces that lack something, and none of the others.
func TestFindings(t *testing.T) {
	want := map[string][]string{
		"azmcp-net10-dropped.v4": {"trace-lost-events", "trace-no-rundown"}, "net10-deep.v4": {"trace-truncated-stacks"},
		"net10-killed.v4": {"trace-no-rundown"}, "net10-burst-dropped.v4": {"trace-lost-events"}, "aspnet-net10.v4": nil,
		"azmcp-net10-cpu.v4": nil, "azmcp-net10-live.v4": nil, "net10-mix-locks.v4": nil, "net10-mix-cpu.v4": nil, "sarif-net8.v4": nil,
	}
	for name, rules := range want {
		t.Run(name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.Trace(t, name))
			var got []string
			for _, f := range report.Findings {
				got = append(got, f.Rule)
			}
			expect.Slices(t, "findings", got, rules)
		})
	}
}

// TestNotRecorded: the trace of a web server lacks some events, and each has a provider
// and a command.
func TestNotRecorded(t *testing.T) {
	_, _, report := reportOf(t, shared.Trace(t, "net10-mix-locks.v4"))
	missing := map[string]bool{}
	for _, n := range report.NotRecorded {
		missing[n.What] = true
		expect.Contains(t, "command", n.Command, "nettrace collect -p PID --provider "+n.Provider+":")
	}
	expect.Equal(t, "contended locks are missing", missing["contended locks"], false)
	expect.Equal(t, "allocations are missing", missing["allocations"], true)
}
