package threads_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/threads"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// made returns the reports of a made trace.
func made(t *testing.T, m *tracetest.Trace, limits analysis.Limits) []analysis.Report {
	t.Helper()
	part := threads.New()
	r := codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}, Limits: limits})
	expect.NoError(t, err)
	return rules.Saw(part.Reports(tr))
}

// totalsOf returns the totals of the only report of a made trace.
func totalsOf(t *testing.T, m *tracetest.Trace) *threads.Totals {
	t.Helper()
	reports := made(t, m, analysis.Limits{})
	expect.Len(t, "reports", reports, 1)
	return reports[0].Totals.(*threads.Totals)
}

// adjust is an adjustment of the pool.
func adjust(at uint64, workers, reason uint32) tracetest.Event {
	return tracetest.Event{At: at, Thread: 9, ID: 55, Payload: []any{float64(10), workers, reason, uint16(0)}}
}

// TestStarvations: which adjustments are a starvation.
func TestStarvations(t *testing.T) {
	const second = 1_000_000
	for _, c := range []struct {
		name    string
		step    uint64
		reasons []uint32
		workers func(i int) uint32
		want    int
	}{
		{"five that add a thread", second, []uint32{8, 8, 8, 8, 8}, up, 1},
		{"starvation", second, []uint32{6, 6, 6, 6, 6}, up, 1},
		{"both reasons", second, []uint32{6, 8, 6, 8, 6}, up, 1},
		{"four", second, []uint32{8, 8, 8, 8}, up, 0},
		{"climbing", second, []uint32{3, 3, 3, 3, 3, 3}, up, 0},
		{"too slow", 2 * second, []uint32{8, 8, 8, 8, 8, 8}, up, 0},
		{"one that removes a thread", second, []uint32{8, 8, 8, 8, 8}, func(i int) uint32 { return []uint32{3, 4, 5, 4, 5}[i] }, 0},
		{"two series", second, []uint32{8, 8, 8, 8, 8, 3, 3, 3, 3, 3, 3, 8, 8, 8, 8, 8}, up, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			for i, reason := range c.reasons {
				m.Add(adjust(uint64(i)*c.step, c.workers(i), reason))
			}
			totals := totalsOf(t, m)
			expect.Len(t, "starvations", totals.Starvations, c.want)
			expect.Equal(t, "adjustments", totals.Adjustments, analysis.Known(int64(len(c.reasons))))
			expect.Len(t, "findings without stacks", made(t, m, analysis.Limits{})[0].Findings, 0)
		})
	}
}

func up(i int) uint32 { return uint32(i) + 3 }

// TestWorkers: threads that begin and end, the bounds of the pool, and new threads.
func TestWorkers(t *testing.T) {
	m := tracetest.New(wire.V4)
	m.Add(tracetest.Event{At: 1, Thread: 1, ID: 50, Payload: []any{uint32(1), uint32(0), uint16(0)}})
	m.Add(tracetest.Event{At: 2, Thread: 2, ID: 50, Payload: []any{uint32(2), uint32(0), uint16(0)}})
	m.Add(tracetest.Event{At: 3, Thread: 1, ID: 51, Payload: []any{uint32(1), uint32(0), uint16(0)}})
	m.Add(tracetest.Event{At: 4, Thread: 1, ID: 59, Payload: []any{uint16(2), uint16(32767), uint16(1), uint16(1000), uint16(0)}})
	m.Add(tracetest.Event{At: 5, Thread: 3, ID: 85, Payload: []any{uint64(0), uint64(0), uint32(0), uint32(7), uint32(3), uint16(0)}})
	totals := totalsOf(t, m)
	expect.Equal(t, "started", totals.WorkersStarted, analysis.Known(2))
	expect.Equal(t, "stopped", totals.WorkersStopped, analysis.Known(1))
	expect.Equal(t, "lowest number", totals.MinThreads, analysis.Known(2))
	expect.Equal(t, "highest number", totals.MaxThreads, analysis.Known(32767))
	expect.Slices(t, "created", totals.Created, []threads.Created{{StartNs: 5000, ThreadID: 3}})
}

// TestShort: an event whose payload is too short counts nothing.
func TestShort(t *testing.T) {
	for _, id := range []uint32{55, 59, 85} {
		m := tracetest.New(wire.V4)
		m.Add(tracetest.Event{At: 1, Thread: 1, ID: id, Payload: []any{uint8(1)}})
		expect.Equal(t, "recorded", made(t, m, analysis.Limits{})[0].Recorded(), false)
	}
}

// TestLimits: rows above the limit are counted.
func TestLimits(t *testing.T) {
	m := tracetest.New(wire.V4)
	for i := range 5 {
		m.Add(adjust(uint64(i), up(i), 3))
	}
	r := made(t, m, analysis.Limits{Rows: 2})[0]
	totals := r.Totals.(*threads.Totals)
	expect.Len(t, "rows", r.Rows.([]threads.Row), 2)
	expect.Equal(t, "left out", totals.RowsLeftOut, 3)
	expect.Equal(t, "adjustments", totals.Adjustments, analysis.Known(5))
	expect.Equal(t, "most workers", totals.MaxWorkers, analysis.Known(7))
}

// TestProcesses: each process of a v6 trace has its report.
func TestProcesses(t *testing.T) {
	m := tracetest.New(wire.V6)
	m.Of(7, 1)
	m.Of(8, 2)
	for _, thread := range []uint64{1, 2} {
		ev := adjust(thread, uint32(thread), 3)
		ev.Thread = thread
		m.Add(ev)
	}
	reports := made(t, m, analysis.Limits{})
	expect.Len(t, "reports", reports, 2)
	for i, r := range reports {
		expect.Equal(t, "process", r.ProcessID, analysis.Known(int64(7+i)))
		expect.Equal(t, "workers", r.Rows.([]threads.Row)[0].Workers, int64(i+1))
	}
}

// TestNotRecorded: what the trace does not have.
func TestNotRecorded(t *testing.T) {
	m := tracetest.New(wire.V4)
	m.Add(tracetest.Event{At: 1, Thread: 1, ID: 1})
	r := made(t, m, analysis.Limits{})[0]
	expect.Equal(t, "recorded", r.Recorded(), false)
	expect.Len(t, "not recorded", r.NotRecorded, 1)
	m.Add(adjust(2, 3, 3))
	r = made(t, m, analysis.Limits{})[0]
	expect.Len(t, "not recorded with adjustments", r.NotRecorded, 2)
}
