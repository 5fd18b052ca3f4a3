package browser

import (
	"encoding/json"
	"fmt"
	"slices"
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

// TestReportCharts: the charts of the parts have the values of their rows, or the sums of
// their samples.
func TestReportCharts(t *testing.T) {
	p := open(t, reported(t, "net10-mix-gc.v4"))
	for part, want := range map[string]string{
		"gc": "heap after, MB: 9 values from ", "alloc": "alloc, sum of each 11.05 ms, MB: 100 values from 0 to 13.75", "exceptions": "exceptions, sum of each 11.05 ms: 100 values from 0 to 2",
	} {
		t.Run(part, func(t *testing.T) {
			p.visit(t, "#/"+part)
			expect.Contains(t, "chart", p.text(t, ".chart"), want)
		})
	}
	p.visit(t, "#/jit")
	expect.Lacks(t, "page without rows", p.text(t, "main"), "values from")
}
