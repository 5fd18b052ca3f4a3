package waits_test

import (
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// Ids of the events.
const (
	contentionStart, contentionStop = 81, 91
	start, stop                     = 301, 302
	taskWaitBegin, taskWaitEnd      = 10, 11
)

const tasks = "System.Threading.Tasks.TplEventSource"

// made is a trace in the making. Times are in microseconds.
type made struct{ *tracetest.Trace }

func newMade() made { return made{tracetest.New(wire.V4)} }

// event adds an event of the runtime without a stack.
func (m made) event(at, thread uint64, id uint32) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: id, Payload: []any{uint8(0), uint16(0), float64(0)}})
}

// start begins a wait of a thread.
func (m made) start(at, thread uint64) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: start, Stack: []uint64{0x1000, 0x2000}, Payload: []any{uint8(0), uint64(0), uint16(0)}})
}

// task adds an event about a wait for a task.
func (m made) task(at, thread uint64, id, task, behavior uint32) {
	m.Add(tracetest.Event{At: at, Thread: thread, Provider: tasks, ID: id, Stack: []uint64{0x3000},
		Payload: []any{uint32(1), uint32(0), task, behavior, uint32(0)}})
}

// TestInside: a wait that begins in a contention of its thread is the lock's.
func TestInside(t *testing.T) {
	m := newMade()
	m.event(100, 1, contentionStart)
	m.start(110, 1)
	m.start(120, 2)
	m.event(200, 1, stop)
	m.event(210, 1, contentionStop)
	m.event(220, 2, stop)
	m.start(300, 1)
	m.event(350, 1, stop)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "waits", totals.Count.Or(-1), 3)
	expect.Equal(t, "in a contention", totals.InContention.Or(-1), 1)
	expect.Equal(t, "their sum", totals.InContentionNs.Or(-1), 90e3)
	expect.Len(t, "rows", rows, 1)
	expect.Equal(t, "waits of the row", rows[0].Count, 2)
	expect.Equal(t, "their sum", rows[0].TotalNs, 150e3)
	expect.Equal(t, "threads", rows[0].Threads, 2)
	expect.Equal(t, "cause without names", rows[0].Cause, "unknown")
}

// TestUnfinished: a wait that is open at the end counts up to the end; an end without a
// start is counted only.
func TestUnfinished(t *testing.T) {
	m := newMade()
	m.event(50, 1, stop)
	m.start(100, 1)
	m.Add(tracetest.Event{At: 600, Thread: 3, ID: 99})
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "waits", totals.Count.Or(-1), 0)
	expect.Equal(t, "open", totals.Unfinished.Or(-1), 1)
	expect.Equal(t, "began before", totals.BeganBefore.Or(-1), 1)
	expect.Equal(t, "time of the row", rows[0].TotalNs, 500e3)
	expect.Equal(t, "unfinished", rows[0].Longest.Unfinished, true)
}

// TestLosses: what is open on a thread that lost events is forgotten: the wait, and the
// contention in which the next wait would begin.
func TestLosses(t *testing.T) {
	m := newMade()
	m.event(50, 1, contentionStart)
	m.start(100, 1)
	m.Lose(1, 1)
	m.event(200, 1, stop)
	m.start(300, 1)
	m.event(400, 1, stop)
	_, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "waits", totals.Count.Or(-1), 1)
	expect.Equal(t, "in a contention", totals.InContention.Or(-1), 0)
	expect.Equal(t, "ends without a start", totals.BeganBefore.Or(-1), 1)
}

// TestLossesAtTheEnd: a wait is not open at the end if a sequence point shows that later events of its
// thread are lost.
func TestLossesAtTheEnd(t *testing.T) {
	m := newMade()
	m.start(100, 1)
	m.start(100, 2)
	m.Lose(1, 1)
	m.SequencePoint(m.Now, 0)
	m.event(900, 3, contentionStart)
	_, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "open", totals.Unfinished.Or(-1), 1)
}

// TestTaskEvents: without waits the rows are the waits for tasks that block; a wait of
// the runtime within one has this cause.
func TestTaskEvents(t *testing.T) {
	m := newMade()
	m.task(100, 1, taskWaitBegin, 7, 1)
	m.task(110, 2, taskWaitBegin, 8, 2) // awaits
	m.task(400, 1, taskWaitEnd, 7, 0)
	rows, totals, report := reportOf(t, m.Bytes())
	expect.Equal(t, "by task events", totals.ByTaskEvents, true)
	expect.Len(t, "rows", rows, 1)
	expect.Equal(t, "cause", rows[0].Cause, "task")
	expect.Equal(t, "time", rows[0].TotalNs, 300e3)
	expect.Len(t, "not recorded", report.NotRecorded, 1)

	m = newMade()
	m.task(100, 1, taskWaitBegin, 7, 1)
	m.start(200, 1)
	m.event(300, 1, stop)
	m.task(400, 1, taskWaitEnd, 7, 0)
	m.start(500, 1)
	m.event(510, 1, stop)
	rows, totals, _ = reportOf(t, m.Bytes())
	expect.Equal(t, "by task events", totals.ByTaskEvents, false)
	expect.Len(t, "rows", rows, 2)
	expect.Equal(t, "cause within", rows[0].Cause, "task")
	expect.Equal(t, "time within", rows[0].TotalNs, 100e3)
	expect.Equal(t, "cause after", rows[1].Cause, "unknown")
}

// sample adds a sample of a thread.
func (m made) sample(at, thread uint64, kind uint32, stack ...uint64) {
	m.Add(tracetest.Event{At: at, Thread: thread, Provider: "Microsoft-DotNETCore-SampleProfiler", ID: 0, Stack: stack, Payload: []any{kind}})
}

// method adds the method at an address.
func (m made) method(address uint64, typ, name string) {
	text := func(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }
	m.Add(tracetest.Event{At: 50, Thread: 9, ID: 143, Payload: []any{
		uint64(1), uint64(2), address, uint32(0x100), uint32(0), uint32(0), text(typ), text(name), text("void (int32)"), uint16(0), uint64(0),
	}})
}

// TestOpenBySamples: a wait of samples is open at the end if the thread is in one of the last rounds.
func TestOpenBySamples(t *testing.T) {
	const external = 1
	m := newMade()
	m.method(0x1000, "System.Threading.Thread", "Sleep")
	for at := uint64(0); at <= 500e3; at += 50e3 {
		m.sample(100+at, 1, external, 0x1000)
		if at <= 300e3 {
			m.sample(100+at, 2, external, 0x1000)
		}
	}
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "waits", rows[0].Count, 2)
	expect.Equal(t, "open", rows[0].Unfinished, 1)
	expect.Equal(t, "longest is open", rows[0].Longest.Unfinished, true)
	expect.Equal(t, "waits by events are unknown", totals.Unfinished.IsZero(), true)
}

// TestRuns: which samples are one wait. The method at 0x1000 is Thread.Sleep.
func TestRuns(t *testing.T) {
	const external, managed = 1, 2
	for _, c := range []struct {
		name  string
		build func(made)
		count int64
		total int64 // ns
	}{
		{"two samples", func(m made) { m.sample(100, 1, external, 0x1000); m.sample(300, 1, external, 0x1000) }, 1, 200e3},
		{"one sample", func(m made) { m.sample(100, 1, external, 0x1000) }, 0, 0},
		{"managed samples", func(m made) { m.sample(100, 1, managed, 0x1000); m.sample(300, 1, managed, 0x1000) }, 0, 0},
		{"a managed one between", func(m made) {
			m.sample(100, 1, external, 0x1000)
			m.sample(200, 1, external, 0x1000)
			m.sample(300, 1, managed, 0x1000)
			m.sample(400, 1, external, 0x1000)
			m.sample(500, 1, external, 0x1000)
		}, 2, 200e3},
		{"threads", func(m made) {
			m.sample(100, 1, external, 0x1000)
			m.sample(200, 2, external, 0x1000)
			m.sample(300, 1, external, 0x1000)
			m.sample(400, 2, external, 0x1000)
		}, 2, 400e3},
		{"another stack", func(m made) {
			m.sample(100, 1, external, 0x1000)
			m.sample(200, 1, external, 0x1000, 0x2000)
			m.sample(300, 1, external, 0x1000)
		}, 0, 0},
		{"a long gap", func(m made) { m.sample(100, 1, external, 0x1000); m.sample(2e6, 1, external, 0x1000) }, 0, 0},
		{"a wait by events", func(m made) {
			m.sample(100, 1, external, 0x1000)
			m.sample(300, 1, external, 0x1000)
			m.event(400, 2, stop)
		}, 1, 200e3},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			m.method(0x1000, "System.Threading.Thread", "Sleep")
			c.build(m)
			rows, _, _ := reportOf(t, m.Bytes())
			count, total := int64(0), int64(0)
			for _, row := range rows {
				count, total = count+row.Count, total+row.TotalNs
				expect.Equal(t, "cause", row.Cause, "sleep")
				expect.Equal(t, "by samples", row.Sampled, true)
			}
			expect.Equal(t, "waits", count, c.count)
			expect.Equal(t, "their sum", total, c.total)
		})
	}
}
