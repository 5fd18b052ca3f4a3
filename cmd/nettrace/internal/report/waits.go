package report

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/waits"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// waitsView prints the part waits.
var waitsView = view{
	name:  waits.Name,
	short: "Print what the threads of a trace waited for",
	long: "report waits prints the waits of threads by method and its callers. Times are in milliseconds.\n\n" +
		"  cause    what the thread waited for: a task, a lock, the end of a thread (join), a semaphore or an\n" +
		"           event of the library, a handle of the operating system, or Monitor.Wait (monitor)\n" +
		"  waits    number of waits; total, mean and longest are their times, over all threads\n" +
		"  pool     the thread is a worker of the thread pool\n\n" +
		"Waits in a contended lock are in report locks, not here. Idle workers, the timers' thread and the\n" +
		"gate thread of the pool have a table of their own.\n\n" +
		"The runtime logs no event for Thread.Sleep and for reads of files, pipes and sockets. If the trace\n" +
		"has samples, successive ones of a thread with one stack are such a wait: the column \"from\" has\n" +
		"\"samples\". So are all waits if the trace has no events about them.\n\n" +
		"A worker that waits for a task (sync over async) is a finding; Main and other threads may wait.",
	records: []string{clr.RuntimeProvider + ":0x40000004000:5"},
	summary: waitsSummary,
	totals:  waitsTotals,
	tables:  waitsTables,
}

func waitsSummary(r *analysis.Report) string {
	t := r.Totals.(*waits.Totals)
	switch {
	case t.ByTaskEvents:
		return "by samples and the events of tasks: " + causes(t)
	case t.Count.IsZero():
		return "by samples: " + causes(t)
	}
	all := waitSums(r)
	return fmt.Sprintf("%s, %s in all: %s", display.Counted(all.count, "wait"), milliseconds(all.nanos), causes(t))
}

// waitSum is the sum of the rows of a report without those of idle threads.
type waitSum struct {
	count, nanos                 int64
	sampled, sampledNanos, still int64 // of them by samples, and open at the end
}

func waitSums(r *analysis.Report) waitSum {
	var all waitSum
	for _, row := range r.Rows.([]waits.Row) {
		if row.Idle {
			continue
		}
		all.count, all.nanos, all.still = all.count+row.Count, all.nanos+row.TotalNs, all.still+row.Unfinished
		if row.Sampled {
			all.sampled, all.sampledNanos = all.sampled+row.Count, all.sampledNanos+row.TotalNs
		}
	}
	return all
}

// causes lists the sums by cause.
func causes(t *waits.Totals) string {
	text := ""
	for _, sum := range t.ByCause {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", sum.Cause, milliseconds(sum.TotalNs))
	}
	if text == "" {
		return "none of a thread that has work"
	}
	return text
}

// waitsTotals lists the totals.
func waitsTotals(r *analysis.Report) []property {
	t := r.Totals.(*waits.Totals)
	all := waitSums(r)
	list := []property{{"waits", fmt.Sprintf("%s: %s in all", display.Grouped(all.count), milliseconds(all.nanos))}}
	if all.still > 0 {
		list = append(list, property{"of them open at the end", display.Grouped(all.still)})
	}
	for _, c := range []struct {
		name         string
		count, nanos int64
	}{
		{"of them by samples", all.sampled, all.sampledNanos}, {"beside in contended locks", t.InContention.Or(0), t.InContentionNs.Or(0)},
		{"beside of idle threads", t.Idle, t.IdleNs},
	} {
		if c.count > 0 {
			list = append(list, property{c.name, fmt.Sprintf("%s: %s in all", display.Grouped(c.count), milliseconds(c.nanos))})
		}
	}
	for _, sum := range t.ByCause {
		list = append(list, property{"for " + sum.Cause, fmt.Sprintf("%s: %s in all, the longest %s",
			display.Grouped(sum.Count), milliseconds(sum.TotalNs), milliseconds(sum.MaxNs))})
	}
	return append(list, notes([]note{
		{t.BeganBefore.Or(0), "waits that began before the trace, not counted"},
		{t.LeftOut, "waits left out because of the limit"},
		{t.RowsLeftOut, "stacks left out because of the limit"},
	})...)
}

// waitsTables lists the waits, and separately those of idle threads.
func waitsTables(r *analysis.Report) []table {
	var busy, idle []waits.Row
	for _, row := range r.Rows.([]waits.Row) {
		if row.Idle {
			idle = append(idle, row)
		} else {
			busy = append(busy, row)
		}
	}
	return []table{waitsTable("By stack", busy), waitsTable("Idle threads", idle)}
}

func waitsTable(title string, rows []waits.Row) table {
	return listing(title+", times in ms", waits.Table.Select(waits.Table.Text), rows)
}
