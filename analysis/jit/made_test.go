package jit_test

import (
	"fmt"
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/jit"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// Ids of the events.
const (
	load, jitting, entryPoint, runtimeStart, pause, resume, batchStart, batchStop = 143, 145, 159, 187, 281, 282, 283, 284
)

// Flags of a compiled method.
const (
	jitted, dynamic, rejected = 0x8, 0x1, 0x40
	quick, osr                = 3 << 7, 5 << 7
)

// instance is the number of the runtime in the process.
const instance = uint16(0)

// made is a trace in the making. Times are in microseconds.
type made struct{ *tracetest.Trace }

func newMade() made { return made{tracetest.New(wire.V4)} }

// text is a text in a payload.
func text(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }

// start adds the start of a compilation.
func (m made) start(at, thread, method uint64) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: jitting, Payload: []any{
		method, uint64(1), uint32(2), uint32(30), text("A.B"), text(fmt.Sprint("M", method)), text("void ()"), instance,
	}})
}

// end adds the load of a compiled method.
func (m made) end(at, thread, method uint64, flags uint32, version uint64) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: load, Payload: []any{
		method, uint64(1), uint64(0x1000), uint32(70), uint32(2), flags, text("A.B"), text(fmt.Sprint("M", method)), text("void ()"), instance, version,
	}})
}

// event adds an event whose payload is the number of the runtime and other numbers.
func (m made) event(at, thread uint64, id uint32, numbers ...any) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: id, Payload: append([]any{instance}, numbers...)})
}

// TestNested: compilations of a thread nest, and those of other threads do not matter.
func TestNested(t *testing.T) {
	m := newMade()
	m.start(100, 1, 10)
	m.start(110, 1, 11)
	m.start(115, 2, 10)
	m.end(130, 1, 11, jitted|quick, 0)
	m.end(135, 2, 10, jitted|quick, 1)
	m.end(180, 1, 10, jitted|quick, 0)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 3)
	for i, want := range []struct {
		method   string
		duration int64
		back     bool
	}{{"A.B.M10()", 80e3, false}, {"A.B.M11()", 20e3, false}, {"A.B.M10()", 20e3, true}} {
		expect.Equal(t, "method", rows[i].Method, want.method)
		expect.Equal(t, "time", rows[i].DurationNs.Or(-1), want.duration)
		expect.Equal(t, "background", rows[i].Background, want.back)
	}
	expect.Equal(t, "foreground", totals.Methods.Foreground.Count, 2)
	expect.Equal(t, "longest", totals.Methods.All.LongestNs.Or(-1), 80e3)
	expect.Len(t, "tiers", totals.Methods.ByTier, 1)
	expect.Equal(t, "tier", totals.Methods.ByTier[0].Tier, "QuickJitted")
}

// TestOpen: a start without an end is unfinished, and an end without a start has no time.
func TestOpen(t *testing.T) {
	m := newMade()
	m.end(50, 3, 9, jitted|quick, 0)
	m.start(100, 1, 10)
	m.start(110, 1, 11) // does not end
	m.end(200, 1, 10, jitted|quick, 0)
	m.event(500, 4, 99)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 3)
	expect.Equal(t, "time without start", rows[0].DurationNs.IsZero(), true)
	expect.Equal(t, "IL without start", rows[0].ILBytes.IsZero(), true)
	expect.Equal(t, "time", rows[1].DurationNs.Or(-1), 100e3)
	expect.Equal(t, "unfinished", rows[2].Unfinished, true)
	expect.Equal(t, "time so far", rows[2].DurationNs.Or(-1), 390e3)
	expect.Equal(t, "compilations", totals.Methods.All.Count, 2)
	expect.Equal(t, "without start", totals.Methods.WithoutStart, 1)
	expect.Equal(t, "unfinished compilations", totals.Methods.Unfinished, 1)
}

// TestLosses: a start of a thread that lost events is forgotten.
func TestLosses(t *testing.T) {
	m := newMade()
	m.start(100, 1, 10)
	m.Lose(1, 5)
	m.end(200, 1, 10, jitted|quick, 0)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 1)
	expect.Equal(t, "time", rows[0].DurationNs.IsZero(), true)
	expect.Equal(t, "without start", totals.Methods.WithoutStart, 1)
}

// TestPauses: a compilation says how long the collector paused the process in it.
func TestPauses(t *testing.T) {
	m := newMade()
	m.Add(tracetest.Event{At: 1, Thread: 2, ID: 9, Payload: []any{uint32(1), uint32(0), instance}})
	m.Add(tracetest.Event{At: 50, Thread: 2, ID: 3, Payload: []any{instance}})
	m.start(100, 1, 10)
	m.Add(tracetest.Event{At: 150, Thread: 2, ID: 9, Payload: []any{uint32(1), uint32(0), instance}})
	m.Add(tracetest.Event{At: 450, Thread: 2, ID: 3, Payload: []any{instance}})
	m.end(500, 1, 10, jitted|quick, 0)
	rows, _, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "time", rows[0].DurationNs.Or(-1), 400e3)
	expect.Equal(t, "paused", rows[0].PausedNs, 300e3)
}

// TestStartup: the compilations of the starting thread hold up the start, each instant once; those of
// other threads run beside it.
func TestStartup(t *testing.T) {
	m := newMade()
	m.event(10, 1, runtimeStart)
	m.start(100, 1, 10)
	m.start(110, 1, 11) // within the other one
	m.start(120, 2, 12)
	m.end(150, 1, 11, jitted|quick, 0)
	m.end(200, 1, 10, jitted|quick, 0)
	m.end(900, 2, 12, jitted|quick, 0)
	_, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "methods", totals.Startup.Count, 2)
	expect.Equal(t, "time", totals.Startup.DurationNs.Or(-1), 100e3)
	expect.Equal(t, "the end is unknown", totals.Startup.EndNs.IsZero(), true)
	m.start(1000, 1, 13)
	m.end(1100, 3, 14, jitted|quick, 1)
	_, totals, _ = reportOf(t, m.Bytes())
	expect.Equal(t, "end", totals.Startup.EndNs.Or(-1)-totals.Startup.StartNs, 1090e3)
}

// TestKinds: which compilations count as what.
func TestKinds(t *testing.T) {
	m := newMade()
	m.event(10, 1, runtimeStart)
	m.start(100, 1, 10)
	m.end(110, 1, 10, jitted|quick|rejected, 0)
	m.start(120, 1, 11)
	m.end(130, 1, 11, jitted|osr, 3) // no background compilation, though it has a version
	m.start(140, 2, 10)
	m.end(160, 2, 10, jitted|quick, 1) // ends the startup
	m.start(170, 1, 12)
	m.end(180, 1, 12, jitted|dynamic, 0)
	m.end(190, 1, 13, 0, 0) // ReadyToRun code is not compiled
	rows, totals, report := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 4)
	for i, want := range []struct {
		background, startup, dynamic, rejected bool
		tier                                   string
	}{
		{false, true, false, true, "QuickJitted"}, {false, true, false, false, "OptimizedTier1OSR"},
		{true, false, false, false, "QuickJitted"}, {false, false, true, false, ""},
	} {
		r := rows[i]
		expect.Equal(t, fmt.Sprint("background of ", i), r.Background, want.background)
		expect.Equal(t, fmt.Sprint("startup of ", i), r.Startup, want.startup)
		expect.Equal(t, fmt.Sprint("dynamic of ", i), r.Dynamic, want.dynamic)
		expect.Equal(t, fmt.Sprint("rejected of ", i), r.ReadyToRunRejected, want.rejected)
		expect.Equal(t, fmt.Sprint("tier of ", i), r.Tier, want.tier)
	}
	expect.Equal(t, "startup methods", totals.Startup.Count, 2)
	expect.Equal(t, "startup time", totals.Startup.DurationNs.Or(-1), 20e3)
	expect.Equal(t, "rejected", totals.Methods.ReadyToRunRejected, 1)
	expect.Equal(t, "dynamic", totals.Methods.Dynamic, 1)
	expect.Len(t, "not recorded", report.NotRecorded, 2)
}

// TestTiering: a trace with events about tiered compilation only has no totals about
// methods.
func TestTiering(t *testing.T) {
	m := newMade()
	m.event(100, 1, pause)
	m.event(300, 1, resume, uint32(7))
	m.event(310, 2, batchStart, uint32(20))
	m.event(350, 2, batchStop, uint32(12), uint32(8))
	m.event(400, 3, batchStop, uint32(0), uint32(2)) // began before the trace
	_, totals, report := reportOf(t, m.Bytes())
	expect.Equal(t, "methods", totals.Methods, nil)
	expect.Equal(t, "tiering", *totals.Tiering, jit.Tiering{Pauses: 1, PausedNs: 200e3, Batches: 2, BatchNs: 40e3, BatchMethods: 10, MaxPending: 20})
	expect.Len(t, "not recorded", report.NotRecorded, 2)
	expect.Equal(t, "recorded", report.Recorded(), true)
}

// TestEntryPoints counts the methods whose ReadyToRun code is used.
func TestEntryPoints(t *testing.T) {
	_, totals, _ := reportOf(t, shared.Trace(t, "net10-allevents.v4"))
	expect.Equal(t, "used", totals.ReadyToRun.Used, 1455)
}

// TestNotRecorded: a trace without events of the part has what records them.
func TestNotRecorded(t *testing.T) {
	m := newMade()
	m.event(100, 1, 99)
	_, totals, report := reportOf(t, m.Bytes())
	expect.Equal(t, "totals", totals, nil)
	expect.Equal(t, "rows", report.Rows, nil)
	expect.Len(t, "not recorded", report.NotRecorded, 3)
}

// TestRowLimit: the totals count the methods above the limit of rows.
func TestRowLimit(t *testing.T) {
	m := newMade()
	for n := range uint64(50) {
		m.start(100*n, 1, n)
		m.end(100*n+50, 1, n, jitted|quick, 0)
	}
	part := jit.New()
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime}),
		analysis.Options{Parts: []analysis.Part{part}, Limits: analysis.Limits{Rows: 20}})
	expect.NoError(t, err)
	report := rules.Saw(part.Reports(tr))[0]
	expect.Len(t, "rows", report.Rows.([]jit.Row), 20)
	totals := report.Totals.(*jit.Totals)
	expect.Equal(t, "compilations", totals.Methods.All.Count, 50)
	expect.Equal(t, "left out", totals.Methods.RowsLeftOut, 30)
}

// TestProcesses: threads of two processes with the same id are different.
func TestProcesses(t *testing.T) {
	m := made{tracetest.New(wire.V6)}
	m.Of(100, 1)
	m.Of(200, 2)
	m.start(100, 1, 10)
	m.end(150, 2, 10, jitted|quick, 0)
	m.end(170, 1, 10, jitted|quick, 0)
	part := jit.New()
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime}), analysis.Options{Parts: []analysis.Part{part}})
	expect.NoError(t, err)
	reports := rules.Saw(part.Reports(tr))
	expect.Len(t, "reports", reports, 2)
	expect.Equal(t, "time in the first", reports[0].Rows.([]jit.Row)[0].DurationNs.Or(-1), 70e3)
	expect.Equal(t, "time in the second", reports[1].Rows.([]jit.Row)[0].DurationNs.IsZero(), true)
}

// TestFindings: each rule has a finding at its threshold and none below.
func TestFindings(t *testing.T) {
	many := func(count uint64, flags uint32) func(made) {
		return func(m made) {
			for n := range count {
				m.start(100*n, 1, n)
				m.end(100*n+1, 1, n, flags, 0)
			}
		}
	}
	one := func(length uint64, version uint64) func(made) {
		return func(m made) {
			m.event(1, 1, runtimeStart)
			m.start(100, 1, 1)
			m.end(100+length, 1, 1, jitted|quick, version)
		}
	}
	batch := func(length, recording uint64) func(made) {
		return func(m made) {
			m.event(0, 2, batchStart, uint32(20))
			m.event(length, 2, batchStop, uint32(0), uint32(20))
			m.Add(tracetest.Event{At: recording, Thread: 1, ID: 1})
		}
	}
	for _, c := range []struct {
		name  string
		make  func(made)
		rules []string
	}{
		{"few dynamic", many(999, jitted|dynamic), nil},
		{"many dynamic", many(1000, jitted|dynamic), []string{"jit-dynamic"}},
		{"few rejected", many(99, jitted|rejected), nil},
		{"many rejected", many(100, jitted|rejected), []string{"jit-ready-to-run-rejected"}},
		{"short", one(499e3, 0), nil},
		{"long", one(500e3, 0), []string{"jit-long"}},
		{"long startup", one(1e6, 0), []string{"jit-long", "jit-startup"}},
		{"long in the background", one(1e6, 1), nil},
		{"batch of half the recording", batch(1e6, 2e6), []string{"jit-background"}},
		{"batch of less", batch(1e6, 2.1e6), nil},
		{"short batch", batch(999e3, 1e6), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			c.make(m)
			_, _, report := reportOf(t, m.Bytes())
			var rules []string
			for _, f := range report.Findings {
				rules = append(rules, f.Rule)
			}
			expect.Slices(t, "findings", rules, c.rules)
		})
	}
}

// TestHealthy: healthy programs have no finding.
func TestHealthy(t *testing.T) {
	for _, name := range []string{"aspnet-net10.v4", "azmcp-net10-cpu.v4", "azmcp-net10-live.v4", "net10-deep.v4", "net10-start-suspended.v4", "net10-allevents.v4"} {
		t.Run(name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.Trace(t, name))
			expect.Len(t, "findings", report.Findings, 0)
		})
	}
}
