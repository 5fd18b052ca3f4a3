package browser

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// truthFile writes a trace of the folder truth into a file.
func truthFile(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".nettrace")
	if err := os.WriteFile(path, shared.TruthFile(t, name+".v4.nettrace.zst"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// request is a row of the report about requests.
type request struct {
	State               string
	StartNs, DurationNs int64
	Threads             []int64
	Timeline            []struct{ Kind string }
}

// slowest returns the slowest request of a page.
func (p *page) slowest(t *testing.T) (found request) {
	t.Helper()
	var rows []request
	p.evaluate(t, "nettrace.head().parts.requests.flatMap(r => r.rows)", &rows)
	for _, r := range rows {
		if r.State == "completed" && r.DurationNs > found.DurationNs {
			found = r
		}
	}
	expect.NotZero(t, "slowest request", found.DurationNs)
	return found
}

// atSlowest checks that the page shows the slowest request and what it waited for.
func (p *page) atSlowest(t *testing.T) {
	t.Helper()
	want := p.slowest(t)
	name, values := p.address(t)
	expect.Equal(t, "page", name, "requests")
	expect.Equal(t, "from", p.duration(t, "from"), time.Duration(want.StartNs))
	expect.Equal(t, "to", p.duration(t, "to"), time.Duration(want.StartNs+want.DurationNs))
	var threads []string
	for _, id := range want.Threads {
		threads = append(threads, strconv.FormatInt(id, 10))
	}
	expect.AtLeast(t, "threads", len(threads), 1)
	expect.Slices(t, "threads", values["thread"], threads)
	details := p.text(t, "section.row")
	expect.Contains(t, "details", details, strconv.FormatFloat(float64(want.DurationNs)/1e6, 'f', 2, 64)+" ms")
	for _, m := range want.Timeline {
		expect.Contains(t, "what it waited for", details, "kind "+m.Kind)
	}
}

// Test20: the link of the slowest request sets its range and threads.
func Test20Slowest(t *testing.T) {
	p := open(t, reportOf(t, truthFile(t, "aspnet-async")))
	p.frame(t)
	var n int
	p.evaluate(t, "[...document.querySelectorAll('.longest button')].findIndex(b => b.textContent.startsWith('Slowest request'))", &n)
	p.evaluate(t, "(document.querySelectorAll('.longest button')["+strconv.Itoa(n)+"].click(), 0)", new(int))
	p.frame(t)
	p.atSlowest(t)
}

// locksTrace writes a trace of waits for locks in three methods: a wait of 100 ms and one of
// 50 ms that is open at the end; a wait of 20 ms; a wait of 200 ms that is open at the end.
func locksTrace(t *testing.T) string {
	t.Helper()
	m := tracetest.New(wire.V4)
	for i, name := range []string{"First", "Second", "Third"} {
		m.Add(tracetest.Event{At: 1, Thread: 1, ID: 143, Version: 2, Payload: []any{
			uint64(i + 1), uint64(1), uint64(0x1000 * (i + 1)), uint32(0x100), uint32(0x06000001 + i), uint32(0), text16("Locks"), text16(name), text16("void ()"), uint16(0), uint64(0)}})
	}
	start := func(at, thread, method uint64) {
		m.Add(tracetest.Event{At: at, Thread: thread, ID: 81, Stack: []uint64{0x1000*method + 0x10}, Payload: []any{uint8(0), uint16(0), 0x900 + thread, 0xA0 + thread, uint64(9)}})
	}
	stop := func(at, thread uint64, nanos float64) {
		m.Add(tracetest.Event{At: at, Thread: thread, ID: 91, Payload: []any{uint8(0), uint16(0), nanos}})
	}
	start(100_000, 3, 3)
	start(110_000, 1, 1)
	start(120_000, 2, 2)
	stop(140_000, 2, 20e6)
	stop(210_000, 1, 100e6)
	start(250_000, 1, 1)
	m.Add(tracetest.Event{At: 300_000, Thread: 4, ID: 3, Version: 1, Payload: []any{uint16(0)}}) // the end
	path := filepath.Join(t.TempDir(), "locks.nettrace")
	expect.NoError(t, os.WriteFile(path, m.Trace().Bytes(), 0o666))
	return path
}

// TestLongestWait: the longest wait for a lock is that of any row whose longest wait has an
// end, also if other waits of the row have none.
func TestLongestWait(t *testing.T) {
	p := open(t, reportOf(t, locksTrace(t)))
	for _, place := range []string{"#/summary", "#/locks"} {
		t.Run(place, func(t *testing.T) {
			p.visit(t, place)
			var button string
			p.evaluate(t, "[...document.querySelectorAll('.longest button')].map(b => b.textContent).find(text => text.startsWith('Longest wait for a lock'))", &button)
			expect.Equal(t, "button", button, "Longest wait for a lock: 100.00 ms")
		})
	}
}

// atWaits checks that the flame graph has all the time of the threads of the slowest
// request, in which they ran or waited.
func atWaits(t *testing.T, p *page) {
	t.Helper()
	name, values := p.address(t)
	expect.Equal(t, "page", name, "flame")
	expect.Equal(t, "only some states are shown", values.Has("state"), false)
	var all, waits top
	p.evaluate(t, "nettrace.top(location.hash)", &all)
	p.evaluate(t, "nettrace.top(location.hash + '&state=waiting,blocked')", &waits)
	want := p.slowest(t)
	expect.AtLeast(t, "time of the threads", all.Total, want.DurationNs*9/10)
	expect.AtMost(t, "time of the threads", all.Total, want.DurationNs*int64(len(want.Threads)))
	t.Logf("waited %d of %d ns; most of the time in %s", waits.Total, all.Total, all.Rows[0].Name)
}

// atLongestPause checks that the page shows the collection with the longest pause.
func atLongestPause(t *testing.T, p *page) {
	t.Helper()
	var rows []struct{ Number, PauseStartNs, PauseNs int64 }
	p.evaluate(t, "nettrace.head().parts.gc.flatMap(r => r.rows)", &rows)
	want := rows[0]
	for _, r := range slices.Backward(rows) {
		if r.PauseNs >= want.PauseNs {
			want = r
		}
	}
	name, _ := p.address(t)
	expect.Equal(t, "page", name, "gc")
	expect.Equal(t, "from", p.duration(t, "from"), time.Duration(want.PauseStartNs))
	expect.Contains(t, "details", p.text(t, "section.row"), "number"+strconv.FormatInt(want.Number, 10))
}

// TestReportAddress: a report opens with the page and the filter of its flags, unless its own
// address has a fragment.
func TestReportAddress(t *testing.T) {
	address := reportOf(t, traceFile(t, "net10-mix-gc.v4"), "--page", "top", "--from", "100ms", "--hide", "^System")
	for _, c := range []struct{ name, fragment, page, from, hide, command string }{
		{"flags", "", "top", "100ms", "^System", "nettrace top"},
		{"empty fragment", "#", "top", "100ms", "^System", "nettrace top"},
		{"fragment", "#/gc?from=200ms", "gc", "200ms", "", "nettrace report gc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, address+c.fragment)
			name, values := p.address(t)
			expect.Equal(t, "page", name, c.page)
			expect.Equal(t, "from", values.Get("from"), c.from)
			expect.Equal(t, "hide", values.Get("hide"), c.hide)
			expect.Contains(t, "command", p.text(t, "#command"), c.command)
		})
	}
}
