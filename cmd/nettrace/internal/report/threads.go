package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/threads"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// threadsView prints the part threads.
var threadsView = view{
	name:  threads.Name,
	short: "Print the threads of the thread pool in a trace, and why it added them",
	long: "report threads prints how many threads the thread pool had and why it changed their number, when it\n" +
		"had too few, the length of its queue, and the new threads of the process.\n\n" +
		"Reasons of adjustments:\n" +
		"  CooperativeBlocking  a thread of the pool waits for a task, or waits no longer (.NET 6 and later)\n" +
		"  Starvation           work waits, and no thread takes any\n" +
		"  ClimbingMove         the pool looks for the number of threads that completes most work\n" +
		"  Warmup, Initializing, RandomMove, ChangePoint, Stabilizing, ThreadTimedOut\n\n" +
		"A starvation is five adjustments within 5 seconds that add a thread because others are blocked. It\n" +
		"is a finding if half of the pool's threads were blocked in one method; stacks of waits or samples\n" +
		"show that.",
	records: []string{
		clr.RuntimeProvider + ":0x40000010000:5", "System.Runtime:0x0:4:EventCounterIntervalSec=1",
	},
	summary: threadsSummary,
	totals:  threadsTotals,
	tables:  threadsTables,
}

func threadsSummary(r *analysis.Report) string {
	t := r.Totals.(*threads.Totals)
	var parts []string
	if count, ok := t.Adjustments.Get(); ok {
		parts = append(parts, display.Counted(count, "adjustment")+" of the thread pool")
	}
	if most, ok := t.MaxWorkers.Get(); ok {
		parts = append(parts, "at most "+display.Counted(most, "thread"))
	}
	if count, ok := t.ThreadsCreated.Get(); ok {
		parts = append(parts, display.Counted(count, "new thread"))
	}
	if longest, ok := t.MaxQueueLength.Get(); ok {
		parts = append(parts, "longest queue "+display.Grouped(longest))
	}
	return strings.Join(parts, ", ")
}

// threadsTotals lists the totals.
func threadsTotals(r *analysis.Report) []property {
	t := r.Totals.(*threads.Totals)
	var list []property
	if count, ok := t.Adjustments.Get(); ok {
		text := display.Grouped(count)
		for i, reason := range t.Reasons {
			separator := ", "
			if i == 0 {
				separator = ": "
			}
			text += fmt.Sprintf("%s%s %d", separator, reason.Reason, reason.Count)
		}
		list = append(list, property{"adjustments", text})
	}
	if most, ok := t.MaxWorkers.Get(); ok {
		list = append(list, property{"pool", fmt.Sprintf("at most %s, started %v, ended %v", display.Counted(most, "thread"), t.WorkersStarted, t.WorkersStopped)})
	}
	if _, ok := t.MinThreads.Get(); ok {
		list = append(list, property{"bounds", fmt.Sprintf("%v to %v threads, as set", t.MinThreads, t.MaxThreads)})
	}
	if count, ok := t.ThreadsCreated.Get(); ok {
		list = append(list, property{"new threads", display.Grouped(count)})
	}
	if longest, ok := t.MaxQueueLength.Get(); ok {
		list = append(list, property{"longest queue", display.Grouped(longest)})
	}
	if t.RowsLeftOut > 0 {
		list = append(list, property{"note", "rows left out because of the limit: " + display.Grouped(t.RowsLeftOut)})
	}
	return list
}

// threadsTables lists the starvations, the adjustments, the counters and the new threads.
func threadsTables(r *analysis.Report) []table {
	t := r.Totals.(*threads.Totals)
	starvations := table{title: "Too few threads", columns: []terminal.Column{
		right("start s"), right("length ms"), right("added"), right("threads"), right("blocked %"), {Title: "in", Overflow: terminal.CutMethod},
	}}
	for _, s := range t.Starvations {
		starvations.rows = append(starvations.rows, []string{
			seconds(s.StartNs), millionths(analysis.Known(s.DurationNs)), strconv.FormatInt(s.Adjustments, 10), strconv.FormatInt(s.Workers, 10),
			strconv.FormatFloat(s.BlockedPercent, 'f', 0, 64), dash(s.Site),
		})
	}
	created := table{title: "New threads", columns: []terminal.Column{right("start s"), right("thread")}}
	for _, c := range t.Created {
		created.rows = append(created.rows, []string{seconds(c.StartNs), strconv.FormatInt(c.ThreadID, 10)})
	}
	return []table{
		starvations, listing("Adjustments", threads.Table.Select(threads.Table.Text), r.Rows.([]threads.Row)), pointTable("Length of the queue", "items", t.QueueLengths),
		pointTable("Threads of the pool by the counter", "threads", t.ThreadCounts), created,
	}
}

// pointTable lists the values of a counter.
func pointTable(title, unit string, points []threads.Point) table {
	list := table{title: title, columns: []terminal.Column{{Title: "start s", Right: true}, {Title: unit, Right: true}}}
	for _, p := range points {
		list.rows = append(list.rows, []string{seconds(p.StartNs), display.Grouped(p.Value)})
	}
	return list
}
