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

// TestThreadTimes: the time of each thread by state is that of "nettrace top --by thread",
// also in a range, and a double-click on a thread chooses it.
func TestThreadTimes(t *testing.T) {
	trace := traceOnce(t, "net10-mix-cpu.v4")
	p := open(t, reported(t, "net10-mix-cpu.v4"))
	for _, flags := range [][]string{{}, {"--from", "100ms", "--to", "1500ms"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			p.visit(t, "#/threads"+strings.TrimPrefix(addressOf(append(flags, "--type", "wall")), "#/top"))
			rows := p.copied(t)
			expect.Equal(t, "columns", strings.Join(rows[0], " "), "thread name runningNs waitingNs blockedNs notSampledNs lifetimeNs gcNs share")
			for _, row := range rows[1:] {
				var sum int64
				for _, text := range row[2:6] {
					value, err := strconv.ParseInt(text, 10, 64)
					expect.NoError(t, err)
					sum += value
				}
				expect.Equal(t, "lifetime of "+row[0], row[6], number(sum))
			}
			for column, states := range map[int]string{2: "running,native,spinning", 3: "waiting,idle", 4: "blocked"} {
				var want top
				expect.NoError(t, json.Unmarshal([]byte(command(t, append(append([]string{"top", "--json", "--limit", "0", "--by", "thread", "--type", "wall", "--state", states}, flags...), trace)...)), &want))
				times := map[string]string{}
				for _, row := range want.Rows {
					times[row.Name] = fmt.Sprint(row.Self)
				}
				for _, row := range rows[1:] {
					expected, name := "0", strings.TrimSpace(row[0]+" "+row[1])
					if has, ok := times[name]; ok {
						expected = has
					}
					expect.Equal(t, states+" of "+name, row[column], expected)
				}
			}
		})
	}
	thread := p.text(t, "main tbody tr td")
	p.run(t, chromedp.DoubleClick("main tbody tr", chromedp.ByQuery))
	p.frame(t)
	_, values := p.address(t)
	expect.Equal(t, "thread", values.Get("thread"), thread)
}

// TestThreadTimesMerged: of several processes, a thread is shown with the id of its process
// and has only the pauses of its process, and a double-click chooses this thread only.
func TestThreadTimesMerged(t *testing.T) {
	p := open(t, reportOf(t, mergedTrace(t))+"#/threads?type=wall")
	p.frame(t)
	var got []string
	for _, row := range p.copied(t)[1:] {
		got = append(got, row[0]+" GC "+row[7])
	}
	slices.Sort(got)
	expect.Slices(t, "threads", got, []string{"100/1 GC 100000", "100/2 GC 100000", "101/1 GC 0", "101/2 GC 0"})
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
