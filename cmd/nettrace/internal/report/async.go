package report

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/async"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// asyncView prints the part async.
var asyncView = view{
	name:  async.Name,
	short: "Print where async code waited, on .NET 11",
	long: "report async prints where the async code of a program on .NET 11 waited, by the records of the async\n" +
		"profiler: a line for each method, the longest sum first, and the totals.\n\n" +
		"  waits      from a suspension of a chain of methods to its resumption; they include the time in the\n" +
		"             queue of the thread pool. An await that is complete at once is no wait\n" +
		"  await      the number of the await in the method, of state machines\n" +
		"  method     the innermost method of the program in the chain, or else the innermost one with a name\n\n" +
		"A chain has one dispatcher, of state machines a new one for each method that goes on. The last\n" +
		"records of a session can be missing: a dispatcher without an end need not be unfinished. With\n" +
		"--details, which needs --format json, the list waits has each wait with its frames.",
	profile: "async",
	summary: asyncSummary,
	totals:  asyncTotals,
	tables:  asyncTables,
}

func asyncSummary(r *analysis.Report) string {
	t := r.Totals.(*async.Totals)
	return fmt.Sprintf("%s of %s, %s together", display.Counted(t.Waits, "wait"), display.Counted(t.Dispatchers, "dispatcher"), milliseconds(t.SuspendedNs))
}

// asyncTotals lists the totals.
func asyncTotals(r *analysis.Report) []property {
	t := r.Totals.(*async.Totals)
	list := []property{
		{"waits", fmt.Sprintf("%s, %s together", display.Grouped(t.Waits), milliseconds(t.SuspendedNs))},
		{"running", milliseconds(t.RunningNs)},
		{"dispatchers", fmt.Sprintf("%s; %s recorded from creation to end: %s, of it running %s, waiting %s", display.Grouped(t.Dispatchers), display.Grouped(t.Whole),
			milliseconds(t.WholeNs), milliseconds(t.WholeRunningNs), milliseconds(t.WholeWaitingNs))},
		{"deepest chain", display.Counted(t.DeepestFrames, "frame")},
	}
	for _, c := range []struct {
		count int64
		name  string
	}{
		{t.NotCompleted, "dispatchers without a record of their end"}, {t.BeganBefore, "dispatchers that were created before the records"},
		{t.Faults, "buffers that cannot be read to their end"}, {t.Lost, "lost events of the trace, records may be among them"},
		{t.WaitsLeftOut, "waits left out of --details because of the limit"},
	} {
		if c.count > 0 {
			list = append(list, property{"note", c.name + ": " + display.Grouped(c.count)})
		}
	}
	return list
}

// asyncTables lists the methods.
func asyncTables(r *analysis.Report) []table {
	list := table{title: "Waits by method", columns: []terminal.Column{
		right("waits"), right("total ms"), right("max ms"), right("await"), {Title: "method", Overflow: terminal.CutMethod},
	}}
	for _, row := range r.Rows.([]async.Row) {
		await := "-"
		if n, ok := row.Await.Get(); ok {
			await = display.Grouped(n)
		}
		list.rows = append(list.rows, []string{display.Grouped(row.Waits), millionths(analysis.Known(row.SuspendedNs)), millionths(analysis.Known(row.MaxNs)), await, dash(row.Method)})
	}
	return []table{list}
}
