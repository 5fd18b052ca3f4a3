package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestThreadTimes: the table of threads is that of "nettrace threadtime", also in a range, and a
// double-click on a thread chooses it. The command bar has its command.
func TestThreadTimes(t *testing.T) {
	trace := traceOnce(t, "net10-mix-cpu.v4")
	p := open(t, reported(t, "net10-mix-cpu.v4"))
	for _, flags := range [][]string{{}, {"--from", "100ms", "--to", "1500ms"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			p.visit(t, "#/threads"+strings.TrimPrefix(addressOf(append(flags, "--type", "wall")), "#/top"))
			rows := p.copied(t)
			expect.Slices(t, "first columns", rows[0][:4], []string{"thread", "name", "share", "observedNs"})
			var want struct{ Threads []map[string]any }
			decoder := json.NewDecoder(strings.NewReader(command(t, slices.Concat([]string{"threadtime", "--json", "--limit", "0"}, flags, []string{trace})...)))
			decoder.UseNumber()
			expect.NoError(t, decoder.Decode(&want))
			expect.Equal(t, "threads", len(rows)-1, len(want.Threads))
			for i, row := range rows[1:] {
				for column, key := range rows[0] {
					if strings.HasSuffix(key, "Ns") {
						expect.Equal(t, key+" of "+row[0], row[column], fmt.Sprint(want.Threads[i][key]))
					}
				}
				expect.Equal(t, "thread", row[0], fmt.Sprint(want.Threads[i]["threadId"]))
			}
			expect.Contains(t, "command", p.text(t, "#command"), "nettrace threadtime "+strings.Join(append(flags, "net10-mix-cpu"), " "), "; nettrace report threads net10-mix-cpu")
		})
	}
	thread := p.text(t, "main tbody tr td")
	p.run(t, chromedp.DoubleClick("main tbody tr", chromedp.ByQuery))
	p.frame(t)
	_, values := p.address(t)
	expect.Equal(t, "thread", values.Get("thread"), thread)
}

// TestThreadTimesMerged: of several processes, a thread is shown with the id of its process
// and is stopped by the pauses of its process only, and a double-click chooses this thread only.
func TestThreadTimesMerged(t *testing.T) {
	p := open(t, reportOf(t, mergedTrace(t))+"#/threads?type=wall")
	p.frame(t)
	rows := p.copied(t)
	stopped := slices.Index(rows[0], "stoppedNs")
	var got []string
	for _, row := range rows[1:] {
		got = append(got, row[0]+" stopped "+row[stopped])
	}
	slices.Sort(got)
	expect.Slices(t, "threads", got, []string{"100/1 stopped 100000", "100/2 stopped 100000", "100/3 stopped 0", "101/1 stopped 0", "101/2 stopped 0"})
	process, thread, _ := strings.Cut(p.text(t, "main tbody tr td"), "/")
	p.run(t, chromedp.DoubleClick("main tbody tr", chromedp.ByQuery))
	p.frame(t)
	_, values := p.address(t)
	expect.Equal(t, "process", values.Get("process"), process)
	expect.Equal(t, "thread", values.Get("thread"), thread)
}

// TestReportCharts: what has a length is drawn with it, what is counted as a sum or a number
// over time.
func TestReportCharts(t *testing.T) {
	p := open(t, reported(t, "net10-mix-gc.v4"))
	for part, want := range map[string]string{
		"gc": "pauses (bars), and the heap before and after each collection, MB: 18 values from ", "alloc": "alloc, sum of each 11.05 ms, MB: 100 values from 0 to 13.75", "exceptions": "exceptions, sum of each 11.05 ms: 100 values from 0 to 2",
	} {
		t.Run(part, func(t *testing.T) {
			p.visit(t, "#/"+part)
			expect.Contains(t, "chart", p.text(t, ".chart"), want)
		})
	}
	p.visit(t, "#/jit")
	expect.Lacks(t, "page without rows", p.text(t, "main"), "values from")
	p = open(t, reported(t, "net10-mix-locks.v4")+"#/locks")
	p.frame(t)
	// 728 ms of the 730.74 in which threads waited are before 0.4 s: at most seven threads.
	expect.Contains(t, "chart of locks", p.text(t, ".chart"), "threads that wait at a time, means of 16.45 ms: 100 values from 0 to 4.128")
}

// TestRequestBars: each request is a bar from its start to its end, those at the same time are
// one above the other; a click selects the row of a bar.
func TestRequestBars(t *testing.T) {
	p := open(t, reportOf(t, truthFile(t, "aspnet-async"))+"#/requests")
	p.frame(t)
	expect.Contains(t, "chart", p.text(t, ".chart"), "requests from start to end", "at most 8 at a time")
	want, head := p.slowest(t), struct{ StartNs, EndNs float64 }{}
	p.evaluate(t, "nettrace.head()", &head)
	b := p.place(t, ".chart canvas")
	middle, lanes := (float64(want.StartNs+want.DurationNs/2)-head.StartNs)/(head.EndNs-head.StartNs), 8
	for lane := range lanes {
		p.run(t, chromedp.MouseClickXY(b.Left+140+middle*(b.Width-140), b.Top+8+(float64(lane)+0.5)*50/float64(lanes)))
		p.frame(t)
		if strings.Contains(p.text(t, "section.row"), "duration"+strconv.FormatFloat(float64(want.DurationNs)/1e6, 'f', 2, 64)+" ms") {
			return
		}
	}
	t.Error("no bar in the middle of the slowest request selects it")
}

// TestFigures: a part shows at most eight figures, percentiles among them; those of nothing
// and lists are behind buttons.
func TestFigures(t *testing.T) {
	p := open(t, reported(t, "net10-mix-gc.v4")+"#/gc")
	p.frame(t)
	var names []string
	p.evaluate(t, "[...document.querySelector('.totals').querySelectorAll('dt')].map(e => e.textContent)", &names)
	expect.Slices(t, "figures", names, []string{"count", "pause", "pause %", "pauses p50", "pauses p99", "pauses max", "count by generation", "allocated bytes per second"})
	var folded []string
	p.evaluate(t, "[...document.querySelectorAll('.folded summary')].map(e => e.textContent)", &folded)
	expect.Slices(t, "folded", folded, []string{"26 more figures", "pinned types (2)"})
	p.run(t, chromedp.Click(".folded details:last-child summary", chromedp.ByQuery))
	p.frame(t)
	expect.Contains(t, "list", p.text(t, ".folded .list"), "System.Byte[]", "1.5 kB")
}

// TestRowSamples: a row shows its samples: of an allocation the site with the type, of a lock
// the waiters, of a request its time and threads, of an exception the thrower.
func TestRowSamples(t *testing.T) {
	for _, c := range []struct{ name, report, part, button, want string }{
		{"alloc", reported(t, "net10-mix-gc.v4"), "alloc", "Samples of this site", "#/flame?type=alloc&class=%5ESystem%5C.Byte%5C%5B%5C%5D%24&focus="},
		{"locks", reported(t, "net10-mix-locks.v4"), "locks", "Samples of the waiters", "#/flame?type=lock&focus="},
		{"requests", reportOf(t, truthFile(t, "aspnet-async")), "requests", "Samples of its time and threads", "#/flame?type=wall&from="},
		{"exceptions", reported(t, "aspnet-net10.v4"), "exceptions", "Samples of the thrower", "#/flame?type=exceptions&focus="},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := actions{p: open(t, c.report+"#/"+c.part)}
			a.p.run(t, chromedp.EmulateViewport(1280, 800))
			a.p.frame(t)
			a.click(t, "section.row button", c.button)
			var address string
			var samples int
			a.p.evaluate(t, "location.hash", &address)
			expect.Contains(t, "address", address, c.want)
			a.p.evaluate(t, "nettrace.top(location.hash).samples", &samples)
			expect.AtLeast(t, "samples", samples, 1)
		})
	}
}
