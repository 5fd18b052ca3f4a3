package locks_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// Ids of the events.
const start, stop = 81, 91

const sampler = "Microsoft-DotNETCore-SampleProfiler"

// second is the time of an event in microseconds.
const second = 1000000

// made is a trace in the making. Times are in microseconds.
type made struct{ *tracetest.Trace }

// newMade returns an empty trace of .NET 10.
func newMade() made {
	m := made{tracetest.New(wire.V4)}
	m.version(10)
	return m
}

// version adds the event with the version of the runtime, which has the names of no methods.
func (m made) version(major uint16) {
	m.Add(tracetest.Event{At: 50, Thread: 99, ID: 187, Payload: []any{uint16(0), uint16(0), major}})
}

// start begins a contention of a thread for an object that another thread owns.
func (m made) start(at, thread, object, owner uint64) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: start, Stack: []uint64{0x1000, 0x2000, 0x3000 + thread, 0x4000, 0x5000, 0x6000},
		Payload: []any{uint8(0), uint16(0), uint64(0x900), object, owner}})
}

// stop ends it, with its duration in nanoseconds.
func (m made) stop(at, thread uint64, nanos float64) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: stop, Payload: []any{uint8(0), uint16(0), nanos}})
}

// sample adds a sample of a thread.
func (m made) sample(at, thread uint64, stack ...uint64) {
	m.Add(tracetest.Event{At: at, Thread: thread, Provider: sampler, ID: 0, Stack: stack, Payload: []any{uint32(1)}})
}

// cycle adds two threads that wait for each other's locks from a time on.
func (m made) cycle(at uint64) {
	m.start(at, 1, 0xA0, 2)
	m.start(at+10, 2, 0xB0, 1)
}

// TestNested: the stop ends the last contention of its thread.
func TestNested(t *testing.T) {
	m := newMade()
	m.start(100, 1, 0xA0, 9)
	m.start(200, 1, 0xB0, 9)
	m.stop(300, 1, 101e3)
	m.stop(500, 1, 405e3)
	_, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "contentions", totals.Count, 2)
	expect.Equal(t, "sum by the stops", totals.TotalNs, 506e3)
	expect.Equal(t, "sum by the times", totals.ClockNs, 500e3)
	expect.Equal(t, "the longest", totals.Contended[0].Object, "0xa0")
}

// TestBegan: a stop without a start is counted only.
func TestBegan(t *testing.T) {
	m := newMade()
	m.stop(100, 1, 50e3)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 0)
	expect.Equal(t, "began before", totals.BeganBefore, 1)
	expect.Equal(t, "contentions", totals.Count, 0)
}

// TestUnfinished: a contention that is open at the end counts up to the end, in the row
// and not in the sum of those that ended.
func TestUnfinished(t *testing.T) {
	m := newMade()
	m.start(100, 1, 0xA0, 2)
	m.Add(tracetest.Event{At: 600, Thread: 3, ID: 99})
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "contentions", totals.Count, 1)
	expect.Equal(t, "open", totals.Unfinished, 1)
	expect.Equal(t, "their sum", totals.UnfinishedNs, 500e3)
	expect.Equal(t, "time of the row", rows[0].TotalNs, 500e3)
	expect.Equal(t, "unfinished of the row", rows[0].Unfinished, 1)
}

// TestLosses: a contention of a thread that lost events has no end that is certain.
func TestLosses(t *testing.T) {
	m := newMade()
	m.start(100, 1, 0xA0, 2)
	m.Lose(1, 1)
	m.stop(900, 1, 800e3)
	m.start(1000, 3, 0xA0, 2)
	m.stop(1100, 3, 100e3)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "contentions", totals.Count, 1)
	expect.Equal(t, "ends without a start", totals.BeganBefore, 1)
	expect.Len(t, "locks", totals.Contended, 1)
	expect.Equal(t, "threads that wait at once", rows[0].Waiters, 1)
}

// TestQueue: the threads that wait for one lock at once.
func TestQueue(t *testing.T) {
	m := newMade()
	for thread := range uint64(12) {
		m.start(100+thread, 10+thread, 0xA0, 9)
	}
	m.sample(5000, 9, 0x7000, 0x6000)
	for thread := range uint64(12) {
		m.stop(200000+thread, 10+thread, 199e6)
	}
	m.start(300000, 1, 0xA0, 9)
	m.stop(300010, 1, 10e3)
	_, totals, report := reportOf(t, m.Bytes())
	expect.Len(t, "times with waiting threads", totals.Contended, 2)
	expect.Equal(t, "threads at once", totals.Contended[0].Waiters, 12)
	expect.Equal(t, "contentions", totals.Contended[0].Count, 12)
	expect.Equal(t, "their sum", totals.Contended[0].TotalNs, 12*199e6)
	expect.Equal(t, "the time", totals.Contended[0].DurationNs, 199911e3)
	expect.Len(t, "stack of the owner", totals.Contended[0].Longest.OwnerStack, 2)
	expect.Len(t, "findings", report.Findings, 1)
	expect.Equal(t, "rule", report.Findings[0].Rule, "lock-queue")
	expect.Contains(t, "text", report.Findings[0].Text, "12 threads waited for one lock at once")
}

// TestContention: many contentions of one stack that take most of the time are a
// finding, a few long ones are none.
func TestContention(t *testing.T) {
	for _, c := range []struct {
		name          string
		waits, length uint64 // length in microseconds
		want          []string
	}{
		{"many", 100, 8000, []string{"lock-contention"}}, {"few", 99, 8000, nil}, {"short", 100, 100, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			for i := range c.waits {
				m.start(i*10000, 1, 0xA0, 9)
				m.stop(i*10000+c.length, 1, float64(c.length*1000))
			}
			_, _, report := reportOf(t, m.Bytes())
			var rules []string
			for _, f := range report.Findings {
				rules = append(rules, f.Rule)
			}
			expect.Slices(t, "findings", rules, c.want)
		})
	}
}

// TestDeadlockRules: what makes a cycle of waits a deadlock candidate.
func TestDeadlockRules(t *testing.T) {
	inWait := func(thread uint64) []uint64 { return []uint64{0x1010, 0x2000, 0x3000 + thread, 0x4000, 0x5000, 0x6000} }
	for _, c := range []struct {
		name  string
		build func(made)
		want  int
	}{
		{"two threads without samples", func(m made) { m.cycle(100) }, 1},
		{"sampled in their waits", func(m made) { m.cycle(100); m.sample(500, 1, inWait(1)...); m.sample(900, 2, inWait(2)...) }, 1},
		{"one sampled elsewhere", func(m made) { m.cycle(100); m.sample(500, 1, 0x7000, 0x8000, 0x6000) }, 0},
		{"shorter than a second", func(m made) { m.cycle(1.5 * second) }, 0},
		{"one ended", func(m made) { m.cycle(100); m.stop(1000, 2, 1e3) }, 0},
		{"one lost events", func(m made) { m.cycle(100); m.Lose(1, 1); m.sample(500, 1, inWait(1)...) }, 0},
		{"a chain", func(m made) { m.start(100, 1, 0xA0, 2); m.start(100, 2, 0xB0, 3) }, 0},
		{"an unknown owner", func(m made) { m.start(100, 1, 0xA0, 0) }, 0},
		{"the thread itself", func(m made) { m.start(100, 1, 0xA0, 1) }, 0},
		{"two cycles", func(m made) { m.cycle(100); m.start(200, 3, 0xC0, 4); m.start(200, 4, 0xD0, 3) }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			c.build(m)
			m.Add(tracetest.Event{At: 2 * second, Thread: 7, ID: 99})
			_, totals, report := reportOf(t, m.Bytes())
			expect.Len(t, "deadlock candidates", totals.Deadlocks, c.want)
			expect.Len(t, "findings", report.Findings, c.want)
		})
	}
}
