package spans_test

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model"
)

// reportOf makes the report of a trace.
func reportOf(t *testing.T, data []byte) (rows []spans.Row, totals *spans.Totals) {
	t.Helper()
	part := spans.New()
	r := codec.NewReader(bytes.NewReader(data), codec.Options{Order: codec.ByTime})
	trace, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}, Limits: analysis.LargeLimits()})
	expect.NoError(t, err)
	report := &part.Reports(trace)[0]
	rows, _ = report.Rows.([]spans.Row)
	totals, _ = report.Totals.(*spans.Totals)
	return rows, totals
}

// TestBuild: each target and task of a build is one span, and the longest target is the compilation.
func TestBuild(t *testing.T) {
	rows, totals := reportOf(t, shared.File(t, "apps/dotnet-build-net10-server.v4.nettrace.zst"))
	expect.Equal(t, "pairs", totals.Pairs, 852)
	expect.Equal(t, "starts and stops without a pair", totals.Ambiguous+totals.Unfinished+totals.BeganBefore, 0)
	counts := map[string]int64{}
	for _, row := range rows {
		counts[row.Name] += row.Count
		if row.Key == "CoreCompile" {
			expect.Equal(t, "CoreCompile", row.TotalNs/100_000, 1034)
			expect.Equal(t, "its own time: without the task Csc", row.SelfNs/100_000, 12)
			expect.Equal(t, "its longest span", row.Longest, spans.Longest{ThreadID: 28367, StartNs: 629902980, DurationNs: row.MaxNs})
			expect.Equal(t, "joined", row.Joined, model.ByKey)
		}
	}
	expect.Equal(t, "targets", counts["Target"], 139)
	expect.Equal(t, "tasks", counts["ExecuteTask"], 81)
}

// TestInside: what a row has of the time within its spans: other spans, exceptions and waits of the thread.
func TestInside(t *testing.T) {
	m := tracetest.New(wire.V4)
	outerStart := m.Metadata(&codec.Metadata{Provider: "Mine", EventID: 1, Name: "OuterStart", Level: 4})
	outerStop := m.Metadata(&codec.Metadata{Provider: "Mine", EventID: 2, Name: "OuterStop", Level: 4})
	innerStart := m.Metadata(&codec.Metadata{Provider: "Mine", EventID: 3, Name: "InnerStart", Level: 4})
	innerStop := m.Metadata(&codec.Metadata{Provider: "Mine", EventID: 4, Name: "InnerStop", Level: 4})
	sequence := uint32(0)
	mark := func(at uint64, id uint32) {
		sequence++
		m.Event(&codec.EventRow{MetadataID: id, CaptureThreadIndex: 5, ThreadIndex: 5, Timestamp: at, Sequence: sequence, Processor: wire.UnknownProcessor})
	}
	add := func(at, thread uint64, kind clr.Kind, payload ...any) {
		if thread == 5 {
			sequence++
		}
		m.Add(tracetest.Event{At: at, Thread: thread, ID: kind.ID(), Payload: payload, Sequence: map[bool]uint32{true: sequence}[thread == 5]})
	}
	mark(0, outerStart)
	add(5, 6, clr.KindExceptionThrown)
	mark(10, innerStart)
	add(20, 5, clr.KindExceptionThrown)
	add(25, 5, clr.KindWaitHandleWaitStart, uint8(0), uint64(0), uint16(0))
	add(35, 5, clr.KindWaitHandleWaitStop, uint16(0))
	mark(40, innerStop)
	add(50, 5, clr.KindContentionStart, uint8(0), uint16(0))
	add(55, 5, clr.KindContentionStart, uint8(0), uint16(0)) // within the first one
	add(60, 5, clr.KindContentionStop, uint8(0), uint16(0))
	add(70, 5, clr.KindContentionStop, uint8(0), uint16(0))
	mark(100, outerStop)
	rows, _ := reportOf(t, m.Bytes())
	for i, want := range []spans.Row{
		{Name: "Outer", TotalNs: 100_000, SelfNs: 70_000, WaitNs: analysis.Known(30_000)},
		{Name: "Inner", TotalNs: 30_000, SelfNs: 30_000, WaitNs: analysis.Known(10_000)},
	} {
		expect.Equal(t, "name", rows[i].Name, want.Name)
		expect.Equal(t, want.Name+": total", rows[i].TotalNs, want.TotalNs)
		expect.Equal(t, want.Name+": self", rows[i].SelfNs, want.SelfNs)
		expect.Equal(t, want.Name+": exceptions", rows[i].Exceptions, analysis.Known(1))
		expect.Equal(t, want.Name+": waits", rows[i].WaitNs, want.WaitNs)
	}
}

// TestNotRecorded: without starts and stops there is no report, and what was not recorded inside
// is not 0.
func TestNotRecorded(t *testing.T) {
	m := tracetest.New(wire.V4)
	m.Add(tracetest.Event{At: 1, Thread: 5, ID: 1000})
	_, totals := reportOf(t, m.Bytes())
	expect.Equal(t, "totals", totals == nil, true)
	rows, _ := reportOf(t, shared.File(t, "apps/pwsh-net11-http.v4.nettrace.zst"))
	expect.Equal(t, "waits that were not recorded", rows[0].WaitNs, analysis.Number{})
}
