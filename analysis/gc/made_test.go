package gc_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// Ids of the collector's events.
const (
	start, end, restartEnd, stats, restart, suspended, suspend, triggered = 1, 2, 3, 4, 7, 8, 9, 35
)

// instance is the number of the runtime in the process, which ends most payloads.
const instance = uint16(0)

// made is a trace in the making. Times are in microseconds.
type made struct{ *tracetest.Trace }

func newMade() made { return made{tracetest.New(wire.V4)} }

// event adds an event whose payload is the number of the runtime.
func (m made) event(at, thread uint64, id uint32) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: id, Payload: []any{instance}})
}

// suspend adds the begin of a suspension.
func (m made) suspend(at, thread uint64, reason, count uint32) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: suspend, Payload: []any{reason, count, instance}})
}

// start adds the start of a collection of generation 0.
func (m made) start(at, thread uint64, number, kind uint32) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: start, Payload: []any{number, uint32(0), uint32(0), kind, instance, uint64(0)}})
}

// end adds the end of a collection.
func (m made) end(at, thread uint64, number uint32) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: end, Payload: []any{number, uint32(0), instance}})
}

// collection adds a collection of 60 us.
func (m made) collection(at, thread uint64, number uint32) {
	m.suspend(at, thread, 1, number-1)
	m.event(at+10, thread, suspended)
	m.start(at+20, thread, number, 0)
	m.end(at+40, thread, number)
	m.event(at+50, thread, restart)
	m.event(at+60, thread, restartEnd)
}

// TestUnfinished: what is open at the end counts up to the end of the recording.
func TestUnfinished(t *testing.T) {
	m := newMade()
	m.collection(100, 1, 1)
	m.suspend(1000, 1, 1, 1)
	m.event(1010, 1, suspended)
	m.start(1020, 1, 2, 0)
	m.event(1500, 2, 99)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 2)
	expect.Equal(t, "unfinished", rows[1].Unfinished, true)
	expect.Equal(t, "its begin, of the other one", rows[1].PauseStartNs.Or(0)-rows[0].PauseStartNs.Or(0), 900e3)
	expect.Equal(t, "pause so far", rows[1].PauseNs.Or(0), 500e3)
	expect.Equal(t, "duration is unknown", rows[1].DurationNs.IsZero(), true)
	expect.Equal(t, "resume is unknown", rows[1].ResumeNs.IsZero(), true)
	expect.Equal(t, "unfinished collections", totals.Unfinished, 1)
	expect.Equal(t, "union of the pauses", totals.PauseNs, 560e3)
}

// TestUnfinishedFinding: a finding about a pause whose end is not in the recording says so.
func TestUnfinishedFinding(t *testing.T) {
	m := newMade()
	m.suspend(1000, 1, 1, 0)
	m.event(1010, 1, suspended)
	m.start(1020, 1, 1, 0)
	m.event(3_000_000, 2, 99)
	_, _, report := reportOf(t, m.Bytes())
	expect.Equal(t, "rule", report.Findings[0].Rule, "gc-long-pause")
	expect.Equal(t, "it says so", strings.Contains(report.Findings[0].Text, "its end is not in the recording"), true)
}

// TestWithoutSuspensions: collections without events about suspensions have no pauses, not pauses of 0.
func TestWithoutSuspensions(t *testing.T) {
	m := newMade()
	m.start(100, 1, 1, 0)
	m.end(200, 1, 1)
	_, totals, report := reportOf(t, m.Bytes())
	expect.Equal(t, "collections", totals.Count, 1)
	expect.Equal(t, "pauses are known", totals.Paused != nil, false)
	expect.Equal(t, "what is missing", report.NotRecorded[0].What, "suspensions, for the pauses")
}

// TestNextSuspension: an open suspension lasts at most until another thread begins one,
// because threads run in between.
func TestNextSuspension(t *testing.T) {
	m := newMade()
	m.suspend(1000, 1, 1, 0)
	m.start(1020, 1, 1, 0)
	m.suspend(1200, 2, 0, 0)
	m.event(1210, 2, restartEnd)
	m.event(9000, 2, 99)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "pause", rows[0].PauseNs.Or(0), 200e3)
	expect.Equal(t, "other suspensions", totals.OtherSuspensions, 1)
	expect.Equal(t, "their sum", totals.OtherSuspensionsNs, 10e3)
}

// TestSuspendedLater: a suspension that another thread began before this one's last event ends no open
// suspension; the next one does.
func TestSuspendedLater(t *testing.T) {
	m := newMade()
	m.suspend(1000, 1, 1, 0)
	m.suspend(1050, 2, 0, 0)
	m.event(1060, 2, restartEnd)
	m.event(1300, 1, suspended)
	m.start(1320, 1, 1, 0)
	m.suspend(1500, 2, 0, 0)
	m.event(1510, 2, restartEnd)
	m.event(9000, 2, 99)
	rows, _, _ := reportOf(t, m.Bytes())
	expect.Equal(t, "suspension", rows[0].SuspensionNs.Or(0), 300e3)
	expect.Equal(t, "pause", rows[0].PauseNs.Or(0), 500e3)
}

// TestBegan: an end without a start is counted, and is no row.
func TestBegan(t *testing.T) {
	m := newMade()
	m.end(10, 1, 6)
	m.event(20, 1, restart)
	m.event(30, 1, restartEnd)
	m.collection(100, 1, 7)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 1)
	expect.Equal(t, "began before", totals.BeganBefore, 1)
	expect.Equal(t, "pauses", totals.Pauses.Count, 1)
}

// TestDuplicate: a second start with the same number is ignored, and a gap in the
// numbers is counted.
func TestDuplicate(t *testing.T) {
	m := newMade()
	m.suspend(100, 1, 1, 0)
	m.start(120, 1, 1, 0)
	m.start(130, 1, 1, 0)
	m.end(140, 1, 1)
	m.event(160, 1, restartEnd)
	m.collection(1000, 1, 4)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 2)
	expect.Equal(t, "missing numbers", totals.NumbersMissing, 2)
	expect.Equal(t, "time to suspend is unknown", rows[0].SuspensionNs.IsZero(), true)
}

// TestLosses: a suspension of a thread that lost events has no end that can be trusted.
func TestLosses(t *testing.T) {
	m := newMade()
	m.suspend(100, 1, 1, 0)
	m.start(120, 1, 1, 0)
	m.Lose(1, 5)
	m.event(5000, 1, restartEnd)
	m.collection(6000, 1, 3)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 2)
	expect.Equal(t, "pause of 1 is unknown", rows[0].PauseNs.IsZero(), true)
	expect.Equal(t, "union of the pauses", totals.PauseNs, 60e3)
	expect.Equal(t, "unfinished", rows[0].Unfinished, false)
}

// TestOthers: suspensions that are not the collector's are no pauses.
func TestOthers(t *testing.T) {
	m := newMade()
	for at := uint64(0); at < 100; at += 10 {
		m.suspend(at, 1, 0, 1<<32-1)
		m.event(at+5, 1, restartEnd)
	}
	rows, totals, report := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 0)
	expect.Equal(t, "recorded", report.Recorded(), true)
	expect.Equal(t, "other suspensions", totals.OtherSuspensions, 10)
	expect.Equal(t, "pauses", totals.PauseNs, 0)
	expect.Equal(t, "distribution", totals.Pauses, nil)
}

// TestTrigger: the stack of a trigger belongs to the next start with its reason.
func TestTrigger(t *testing.T) {
	m := newMade()
	trigger := func(at uint64, reason uint32, stack ...uint64) {
		m.Add(tracetest.Event{At: at, Thread: 1, ID: triggered, Stack: stack, Payload: []any{reason, instance}})
	}
	begin := func(at uint64, number, reason uint32) {
		m.Add(tracetest.Event{At: at, Thread: 1, ID: start, Payload: []any{number, uint32(2), reason, uint32(0), instance, uint64(0)}})
		m.end(at+5, 1, number)
	}
	trigger(10, 1, 0x1000)
	begin(20, 1, 1)
	begin(30, 2, 1) // no trigger of its own
	trigger(40, 0, 0x2000)
	begin(50, 3, 1) // another reason
	rows, _, _ := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 3)
	for i, want := range []int{1, 0, 0} {
		expect.Equal(t, "induced", rows[i].Induced, true)
		expect.Len(t, "stack", rows[i].Stack, want)
	}
}

// TestFewInduced: induced collections are a finding if they are many, and not few of
// all.
func TestFewInduced(t *testing.T) {
	for _, c := range []struct {
		name     string
		all      uint32
		findings int
	}{{"few of all", 24, 0}, {"many", 20, 1}} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			for n := range c.all {
				reason, at := uint32(0), uint64(n)*1e6
				if n%4 == 0 && n < 20 {
					reason = 1
				}
				m.Add(tracetest.Event{At: at, Thread: 1, ID: start, Payload: []any{n + 1, uint32(0), reason, uint32(0), instance, uint64(0)}})
				m.end(at+5, 1, n+1)
			}
			_, totals, report := reportOf(t, m.Bytes())
			expect.Equal(t, "induced", totals.Induced, 5)
			expect.Len(t, "findings", report.Findings, c.findings)
		})
	}
}

// TestProcesses: each process has a report, and threads with the same id are different.
func TestProcesses(t *testing.T) {
	m := made{tracetest.New(wire.V6)}
	m.Of(100, 1)
	m.Of(200, 2)
	m.suspend(100, 1, 1, 0)
	m.suspend(110, 2, 1, 0)
	m.start(120, 1, 1, 0)
	m.start(130, 2, 1, 0)
	m.event(150, 1, restartEnd)
	m.event(190, 2, restartEnd)
	part := gc.New()
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime}), analysis.Options{Parts: []analysis.Part{part}})
	expect.NoError(t, err)
	reports := part.Reports(tr)
	expect.Len(t, "reports", reports, 2)
	for i, want := range []struct{ process, pause int64 }{{100, 50e3}, {200, 80e3}} {
		expect.Equal(t, "process", reports[i].ProcessID.Or(0), want.process)
		expect.Equal(t, "pause", reports[i].Rows.([]gc.Row)[0].PauseNs.Or(0), want.pause)
	}
}

// TestRowLimit: rows above the limit are counted.
func TestRowLimit(t *testing.T) {
	m := newMade()
	for n := range uint32(50) {
		m.collection(uint64(n)*100, 1, n+1)
	}
	part := gc.New()
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime}),
		analysis.Options{Parts: []analysis.Part{part}, Limits: analysis.Limits{Rows: 20}})
	expect.NoError(t, err)
	report := part.Reports(tr)[0]
	expect.Len(t, "rows", report.Rows.([]gc.Row), 20)
	totals := report.Totals.(*gc.Totals)
	expect.Equal(t, "collections", totals.Count, 20)
	expect.Equal(t, "left out", totals.RowsLeftOut, 30)
}

// TestNoLimit: without a limit of rows all pauses count.
func TestNoLimit(t *testing.T) {
	m := newMade()
	m.collection(100, 1, 1)
	part := gc.New()
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime}),
		analysis.Options{Parts: []analysis.Part{part}, Limits: analysis.Limits{Rows: -1}})
	expect.NoError(t, err)
	expect.Equal(t, "union of the pauses", part.Reports(tr)[0].Totals.(*gc.Totals).PauseNs, 60e3)
}

// TestStatsVersions: GCHeapStats of .NET Core 2.1 to 3.1 has no pinned heap.
func TestStatsVersions(t *testing.T) {
	for _, c := range []struct {
		name   string
		pinned []any
		after  int64
	}{{"v1", nil, 4 * 100}, {"v2", []any{uint64(100), uint64(10)}, 5 * 100}} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			m.start(20, 1, 1, 0)
			m.end(30, 1, 1)
			payload := []any{}
			for range 4 {
				payload = append(payload, uint64(100), uint64(10))
			}
			payload = append(payload, uint64(0), uint64(0), uint32(0), uint32(0), uint32(0), instance)
			m.Add(tracetest.Event{At: 40, Thread: 1, ID: stats, Payload: append(payload, c.pinned...)})
			rows, _, _ := reportOf(t, m.Bytes())
			expect.Equal(t, "heap after", rows[0].HeapAfterBytes.Or(-1), c.after)
			expect.Equal(t, "promoted", rows[0].PromotedBytes.Or(-1), c.after/10)
			expect.Equal(t, "heap before is unknown", rows[0].HeapBeforeBytes.IsZero(), true)
		})
	}
}

// TestFindings: each rule about one collection has a finding at its threshold, and none below.
func TestFindings(t *testing.T) {
	pause := func(suspension, length uint64) func(made) {
		return func(m made) {
			m.suspend(100, 1, 1, 0)
			m.event(100+suspension, 1, suspended)
			m.start(100+suspension, 1, 1, 0)
			m.end(100+length, 1, 1)
			m.event(100+length, 1, restart)
			m.event(100+length, 1, restartEnd)
		}
	}
	heap := func(size, free uint64) func(made) { // after a collection of generation 2
		return func(m made) {
			m.Add(tracetest.Event{At: 20, Thread: 1, ID: start, Payload: []any{uint32(1), uint32(2), uint32(0), uint32(0), instance, uint64(0)}})
			head := []any{instance, [6]uint64{}, [5]uint32{}, uint32(0), uint64(0), uint32(1)} // of heap 0, with values of 1 generation
			m.Add(tracetest.Event{At: 25, Thread: 1, ID: 204, Version: 3, Payload: append(head, [10]uint64{3: size, 4: free})})
			m.end(30, 1, 1)
			sizes := [8]uint64{size} // and promoted bytes, of each generation
			m.Add(tracetest.Event{At: 40, Thread: 1, ID: stats, Payload: []any{sizes, [2]uint64{}, [3]uint32{}, instance}})
		}
	}
	for _, c := range []struct {
		name  string
		make  func(made)
		rules []string
	}{
		{"long pause", pause(10, 250_000), []string{"gc-long-pause"}}, {"shorter pause", pause(10, 249_000), nil},
		{"slow suspension", pause(50_000, 60_000), []string{"gc-slow-suspension"}}, {"faster suspension", pause(49_000, 60_000), nil},
		{"free space", heap(100e6, 50e6), []string{"gc-fragmentation"}}, {"less free space", heap(100e6, 49e6), nil},
		{"free space of a small heap", heap(99e6, 90e6), nil},
	} {
		m := newMade()
		c.make(m)
		_, _, report := reportOf(t, m.Bytes())
		var got []string
		for _, f := range report.Findings {
			got = append(got, f.Rule)
		}
		expect.Slices(t, c.name, got, c.rules)
	}
}

// TestPinnedTypes: the types are those of the collection with the most objects of each,
// in the runtime of the payload's end; a type above the limits is counted.
func TestPinnedTypes(t *testing.T) {
	m := newMade()
	pin := func(at uint64, name string, size uint64) {
		payload := []any{uint64(1), uint64(2), size}
		for _, unit := range name + "\x00" {
			payload = append(payload, uint16(unit))
		}
		m.Add(tracetest.Event{At: at, Thread: 1, ID: 33, Payload: append(payload, instance)})
	}
	m.start(10, 1, 1, 0)
	pin(11, "A", 10)
	pin(12, "A", 20)
	pin(13, "B", 5)
	m.end(20, 1, 1)
	pin(25, "C", 1) // in no collection
	m.start(30, 1, 2, 0)
	pin(31, "A", 100)
	m.end(40, 1, 2)
	for _, c := range []struct {
		name    string
		limits  analysis.Limits
		want    []gc.PinnedType
		leftOut int64
	}{
		{"all", analysis.Limits{}, []gc.PinnedType{{Type: "A", Objects: 2, Bytes: 30}, {Type: "B", Objects: 1, Bytes: 5}}, 0},
		{"rows", analysis.Limits{Rows: 1}, []gc.PinnedType{{Type: "A", Objects: 2, Bytes: 30}}, 1},
		{"bytes of names", analysis.Limits{Symbols: 1}, []gc.PinnedType{{Type: "A", Objects: 2, Bytes: 30}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			part := gc.New()
			tr, err := analysis.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime}),
				analysis.Options{Parts: []analysis.Part{part}, Limits: c.limits})
			expect.NoError(t, err)
			reports := part.Reports(tr)
			expect.Len(t, "reports", reports, 1)
			totals := reports[0].Totals.(*gc.Totals)
			expect.Slices(t, "types", totals.PinnedTypes, c.want)
			expect.Equal(t, "left out", totals.PinnedLeftOut, c.leftOut)
			expect.Equal(t, "size without GCHeapStats is unknown", reports[0].Rows.([]gc.Row)[0].PinnedBytes.IsZero(), true)
		})
	}
}
