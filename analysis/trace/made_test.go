package trace_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/trace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// stackOf is a stack with a number of frames.
func stackOf(frames int) []uint64 {
	stack := make([]uint64, frames)
	for i := range stack {
		stack[i] = 0x1000 + uint64(i)
	}
	return stack
}

// TestStacks: a stack of 100 frames is truncated, one with fewer is not.
func TestStacks(t *testing.T) {
	m := tracetest.New(wire.V4)
	for i, frames := range []int{0, 1, 99, 100} {
		m.Add(tracetest.Event{At: uint64(i), Thread: 1, ID: 1, Stack: stackOf(frames)})
	}
	_, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "events", totals.Events, 4)
	expect.Equal(t, "stacks", totals.Stacks, 3)
	expect.Equal(t, "truncated", totals.TruncatedStacks, 1)
}

// TestRules: the value from which each rule has a finding.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		name    string
		events  int
		frames  int    // of each stack
		lost    uint32 // events
		rundown bool
		want    []string
	}{
		{"none", 1000, 0, 0, false, nil},
		{"few lost", 1000, 0, 10, false, nil},
		{"lost", 990, 0, 10, false, []string{"trace-lost-events"}},
		{"few stacks", 999, 1, 0, false, nil},
		{"no rundown", 1000, 1, 0, false, []string{"trace-no-rundown"}},
		{"rundown", 1000, 1, 0, true, nil},
		{"few truncated", 99, 100, 0, false, nil},
		{"truncated", 100, 100, 0, false, []string{"trace-truncated-stacks"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			for i := range c.events {
				if i == 1 {
					m.Lose(1, c.lost)
				}
				m.Add(tracetest.Event{At: uint64(i), Thread: 1, ID: 1, Stack: stackOf(c.frames)})
			}
			if c.rundown {
				m.Add(tracetest.Event{At: 2000, Thread: 1, Provider: "Microsoft-Windows-DotNETRuntimeRundown", ID: 144, Version: 1})
			}
			_, _, report := reportOf(t, m.Bytes())
			var got []string
			for _, f := range report.Findings {
				got = append(got, f.Rule)
			}
			expect.Slices(t, "findings", got, c.want)
		})
	}
}

// TestSampling: the interval of samples of a thread, and the finding when it is five
// times the expected one.
func TestSampling(t *testing.T) {
	for _, c := range []struct {
		name     string
		interval uint64 // microseconds
		findings int
	}{
		{"as expected", 1000, 0}, {"slower", 4000, 0}, {"five times slower", 5100, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			for i := range uint64(100) {
				for thread := range uint64(2) {
					m.Add(tracetest.Event{
						At: i * c.interval, Thread: thread, Provider: "Microsoft-DotNETCore-SampleProfiler", ID: 0, Payload: []any{uint32(1)},
					})
				}
			}
			part := trace.New()
			r := codec.NewBytesReader(m.Bytes(), codec.Options{})
			header, err := r.Trace()
			expect.NoError(t, err)
			header.Properties = append(header.Properties, codec.KeyValue{Key: codec.ExpectedCPUSamplingRateKey, Value: "1000000"})
			tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
			expect.NoError(t, err)
			report := rules.Saw(part.Reports(tr))[0]
			totals := report.Totals.(*trace.Totals)
			expect.Equal(t, "samples", totals.Samples, 200)
			expect.Equal(t, "threads", totals.SampledThreads, 2)
			expect.AtMost(t, "interval is too long by, in percent", 100*totals.SamplingIntervalNs.Or(1<<40)/int64(1000*c.interval)-100, 1)
			expect.AtLeast(t, "interval in percent", 100*totals.SamplingIntervalNs.Or(0)/int64(1000*c.interval), 99)
			expect.Equal(t, "expected interval", totals.ExpectedSamplingIntervalNs, analysis.Known(1000000))
			expect.Len(t, "findings", report.Findings, c.findings)
		})
	}
}

// TestRecorded: what a trace has is not in the list of what it does not have.
func TestRecorded(t *testing.T) {
	m := tracetest.New(wire.V4)
	m.Add(tracetest.Event{At: 1, Thread: 1, ID: 81})
	_, _, before := reportOf(t, tracetest.New(wire.V4).Bytes())
	_, _, report := reportOf(t, m.Bytes())
	expect.Len(t, "not recorded", report.NotRecorded, len(before.NotRecorded)-1)
	for _, n := range report.NotRecorded {
		expect.Equal(t, n.What+" are contended locks", n.What == "contended locks", false)
	}
}

// TestRecordedCounters: EventCounters of any provider are counters, if there are events.
func TestRecordedCounters(t *testing.T) {
	for _, c := range []struct {
		name, event string
		events      int
		listed      bool
	}{{"events", "EventCounters", 1, false}, {"no event", "EventCounters", 0, true}, {"other name", "Sold", 1, true}} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			id := m.Metadata(&codec.Metadata{Provider: "Shop", EventID: 5, Name: c.event})
			m.Add(tracetest.Event{At: 1, Thread: 1, ID: 81})
			for range c.events {
				m.Event(&codec.EventRow{MetadataID: id, CaptureThreadIndex: 1, ThreadIndex: 1, Timestamp: 2, Processor: wire.UnknownProcessor})
			}
			_, _, report := reportOf(t, m.Bytes())
			listed := slices.ContainsFunc(report.NotRecorded, func(n analysis.NotRecorded) bool { return n.What == "counters" })
			expect.Equal(t, "counters are listed", listed, c.listed)
		})
	}
}

// TestHeapDump: the report of a trace with a heap dump says so.
func TestHeapDump(t *testing.T) {
	for id, want := range map[uint32]bool{18: true, 9: false} { // GCBulkNode, GCSuspendEEBegin
		m := tracetest.New(wire.V4)
		m.Add(tracetest.Event{At: 1, Thread: 1, ID: id, Payload: []any{uint32(0), uint32(0), uint16(0)}})
		_, totals, _ := reportOf(t, m.Bytes())
		expect.Equal(t, fmt.Sprintf("event %d", id), totals.HeapDump, want)
	}
}
