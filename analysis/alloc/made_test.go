package alloc_test

import (
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/alloc"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// made returns the reports of a made trace.
func made(t *testing.T, m *tracetest.Trace, limits analysis.Limits) []analysis.Report {
	t.Helper()
	part := alloc.New()
	r := codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}, Limits: limits})
	expect.NoError(t, err)
	return rules.Saw(part.Reports(tr))
}

// name is the name of a type with one letter, as in a payload.
func name(letter rune) []uint16 { return []uint16{uint16(letter), 0} }

// tickOf is an AllocationTick of version 4.
func tickOf(at uint64, typ rune, heap uint32, amount, size uint64) tracetest.Event {
	return tracetest.Event{At: at, Thread: 1, ID: 10, Version: 4, Stack: []uint64{uint64(typ)}, Payload: []any{
		uint32(0), heap, uint16(0), amount, uint64(1), name(typ), uint32(0), uint64(2), size,
	}}
}

// sampleOf is an AllocationSampled.
func sampleOf(at uint64, typ rune, heap uint32, size uint64) tracetest.Event {
	return tracetest.Event{At: at, Thread: 1, ID: 303, Payload: []any{heap, uint16(0), uint64(1), name(typ), uint64(2), size, uint64(0)}}
}

// TestVersions: each version of AllocationTick has its bytes, and an unknown type is
// left out.
func TestVersions(t *testing.T) {
	small := []any{uint32(5000), uint32(1)}
	for _, c := range []struct {
		name    string
		version uint32
		payload []any
		want    alloc.Row
	}{
		{"amount only", 99, small, alloc.Row{Heap: alloc.Large, Events: 1, Bytes: 5000}},
		{"runtime", 1, append(small[:2:2], uint16(0)), alloc.Row{Heap: alloc.Large, Events: 1, Bytes: 5000}},
		{"type", 2, append(small[:2:2], uint16(0), uint64(6000), uint64(1), name('A'), uint32(0)),
			alloc.Row{Type: "A", Heap: alloc.Large, Events: 1, Bytes: 6000}},
		{"address", 3, append(small[:2:2], uint16(0), uint64(6000), uint64(1), name('A'), uint32(0), uint64(2)),
			alloc.Row{Type: "A", Heap: alloc.Large, Events: 1, Bytes: 6000}},
		{"size", 4, append(small[:2:2], uint16(0), uint64(6000), uint64(1), name('A'), uint32(0), uint64(2), uint64(50)),
			alloc.Row{Type: "A", Heap: alloc.Large, Events: 1, Bytes: 6000, LargestObjectBytes: analysis.Known(50)}},
		{"unknown heap", 5, append([]any{uint32(5000), uint32(7)}, uint16(0)), alloc.Row{Events: 1, Bytes: 5000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			m.Add(tracetest.Event{At: 1, Thread: 1, ID: 10, Version: c.version, Payload: c.payload})
			rows := made(t, m, analysis.Limits{})[0].Rows.([]alloc.Row)
			expect.Len(t, "rows", rows, 1)
			rows[0].Stack = nil
			expect.Equal(t, "row", fieldsOf(rows[0]), fieldsOf(c.want))
		})
	}
}

// fields are the comparable fields of a row.
type fields struct {
	typ           string
	heap          alloc.Heap
	events, bytes int64
	largest       analysis.Number
}

func fieldsOf(r alloc.Row) fields {
	return fields{r.Type, r.Heap, r.Events, r.Bytes, r.LargestObjectBytes}
}

// TestErrors: the standard error of ticks is that of a part of all events of the heap;
// an object that has a tick of its own has none.
func TestErrors(t *testing.T) {
	m := tracetest.New(wire.V4)
	for at := range uint64(3) {
		m.Add(tickOf(at+1, 'A', 0, 100e3, 0))
	}
	m.Add(tickOf(4, 'B', 0, 100e3, 0))
	m.Add(tickOf(5, 'C', 1, 1e6, 1e6))
	m.Add(tickOf(6, 'D', 1, 1e6, 1e6))
	totals := made(t, m, analysis.Limits{})[0].Totals.(*alloc.Totals)
	want := map[string]int64{"A": int64(math.Round(100e3 * math.Sqrt(3*0.25))), "B": int64(math.Round(100e3 * math.Sqrt(0.75))), "C": 0, "D": 0}
	expect.Equal(t, "types", len(totals.Types), len(want))
	for _, row := range totals.Types {
		expect.Equal(t, "standard error of "+row.Type, row.StandardErrorBytes, analysis.Known(want[row.Type]))
	}
	expect.Equal(t, "error of the sum is unknown", totals.StandardErrorBytes.IsZero(), true)
}

// TestSampled: a sampled object represents its size by its probability.
func TestSampled(t *testing.T) {
	m := tracetest.New(wire.V4)
	for at := range uint64(100) {
		m.Add(sampleOf(at+1, 'A', 0, 1024))
	}
	m.Add(sampleOf(200, 'A', 0, 0)) // invalid
	totals := made(t, m, analysis.Limits{})[0].Totals.(*alloc.Totals)
	probability := 1 - math.Exp(-0.01)
	expect.Equal(t, "source", totals.Source, alloc.Sampled)
	expect.Equal(t, "events", totals.Events, 100)
	expect.Equal(t, "bytes", totals.Bytes, int64(math.Round(100*1024/probability)))
	expect.Equal(t, "objects", totals.Objects, analysis.Known(int64(math.Round(100/probability))))
	relative := float64(totals.StandardErrorBytes.Or(0)) / float64(totals.Bytes)
	expect.AtMost(t, "distance of the relative standard error from 1/sqrt(samples)", math.Abs(relative-0.1), 0.001)
}

// TestLarge: an object that is much larger than the sampling distance has an event in
// any case: it represents itself, without an error.
func TestLarge(t *testing.T) {
	const size = 10 << 20
	m := tracetest.New(wire.V4)
	m.Add(sampleOf(1, 'A', 1, size))
	totals := made(t, m, analysis.Limits{})[0].Totals.(*alloc.Totals)
	expect.Equal(t, "bytes", totals.Bytes, size)
	expect.Equal(t, "objects", totals.Objects, analysis.Known(1))
	expect.Equal(t, "standard error", totals.StandardErrorBytes, analysis.Known(0))
}

// TestBoth: of both kinds of events only the sampled objects count.
func TestBoth(t *testing.T) {
	m := tracetest.New(wire.V4)
	m.Add(tickOf(1, 'A', 0, 100e3, 24))
	m.Add(sampleOf(2, 'B', 0, 24))
	totals := made(t, m, analysis.Limits{})[0].Totals.(*alloc.Totals)
	expect.Equal(t, "source", totals.Source, alloc.Sampled)
	expect.Equal(t, "ignored events", totals.Ignored, 1)
	expect.Equal(t, "events", totals.Events, 1)
}

// TestProcesses: each process of a v6 trace has its report.
func TestProcesses(t *testing.T) {
	m := tracetest.New(wire.V6)
	m.Of(7, 1)
	m.Of(8, 2)
	for at, size := range []uint64{100e3, 200e3} {
		ev := tickOf(uint64(at)+1, 'A', 0, size, 0)
		ev.Thread = uint64(at) + 1
		m.Add(ev)
	}
	reports := made(t, m, analysis.Limits{})
	expect.Len(t, "reports", reports, 2)
	for i, r := range reports {
		expect.Equal(t, "process", r.ProcessID, analysis.Known(int64(7+i)))
		expect.Equal(t, "bytes", r.Totals.(*alloc.Totals).Bytes, int64(100e3*(i+1)))
	}
}

// TestLimits: the sum counts what has no row because of a limit.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name    string
		limits  analysis.Limits
		leftOut int64
	}{
		{"rows", analysis.Limits{Rows: 2}, 3}, {"bytes of types", analysis.Limits{Symbols: 4}, 1}, {"none", analysis.Limits{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			for i := range 5 {
				m.Add(tickOf(uint64(i)+1, rune('A'+i), 0, 1000, 0))
			}
			r := made(t, m, c.limits)[0]
			totals := r.Totals.(*alloc.Totals)
			expect.Equal(t, "bytes", totals.Bytes, 5000)
			expect.Equal(t, "left out", totals.LeftOutEvents, c.leftOut)
			expect.Len(t, "rows", r.Rows.([]alloc.Row), int(5-c.leftOut))
		})
	}
}

// TestRate: intervals have equal lengths, at most 100, and all bytes.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		name      string
		first     uint64 // microseconds
		step      uint64
		events    int
		intervals int
		length    int64 // milliseconds
	}{
		{"one event", 10_000, 0, 1, 1, 0},
		{"a second", 10_000, 10_000, 100, 100, 10},
		{"doubled", 10_000, 10_000, 101, 51, 20},
		{"an hour", 10_000, 1_000_000, 3600, 88, 40_960},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			for i := range c.events {
				m.Add(tickOf(c.first+uint64(i)*c.step, 'A', 0, 1000, 0))
			}
			list := made(t, m, analysis.Limits{})[0].Totals.(*alloc.Totals).Intervals
			expect.Len(t, "intervals", list, c.intervals)
			sum, end := int64(0), list[0].StartNs
			for _, i := range list {
				expect.Equal(t, "start", i.StartNs, end)
				sum, end = sum+i.Bytes, i.StartNs+i.DurationNs
			}
			expect.Equal(t, "bytes", sum, int64(1000*c.events))
			if len(list) > 2 {
				expect.Equal(t, "length in ms", list[1].DurationNs/1e6, c.length)
			}
		})
	}
}

// TestFindings: a program that allocates fast, and one that allocates large objects.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name   string
		heap   uint32
		amount uint64 // in each of 10 events in a second
		want   []string
	}{
		{"slow", 0, 90e6, nil}, {"fast", 0, 110e6, []string{"alloc-rate"}},
		{"large", 1, 11e6, []string{"alloc-large-objects"}}, {"small", 0, 11e6, nil},
		{"both", 1, 500e6, []string{"alloc-large-objects", "alloc-rate"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			for i := range uint64(11) {
				m.Add(tickOf(i*100_000, 'A', c.heap, c.amount*min(i, 1), 0))
			}
			var got []string
			for _, f := range made(t, m, analysis.Limits{})[0].Findings {
				got = append(got, f.Rule)
				expect.Contains(t, "text", f.Text, "100 % of it A")
			}
			expect.Slices(t, "findings", got, c.want)
		})
	}
}

// TestNotRecorded: a trace without allocations lists the two kinds of events.
func TestNotRecorded(t *testing.T) {
	m := tracetest.New(wire.V4)
	m.Add(tracetest.Event{At: 1, Thread: 1, ID: 1})
	r := made(t, m, analysis.Limits{})[0]
	expect.Equal(t, "recorded", r.Recorded(), false)
	expect.Len(t, "not recorded", r.NotRecorded, 2)
	expect.Equal(t, "keywords of samples", r.NotRecorded[1].Keywords, "0x80000000000")
}
