package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/async"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// asyncView prints the part async.
var asyncView = view{
	name:  async.Name,
	short: "Print where async code waited",
	long: "report async prints where the async code of a program waited, by the records of the async\n" +
		"profiler of .NET 11, or by the events of tasks: a line for each method, the longest sum first.\n\n" +
		"  waits      from a suspension of a chain of methods to its resumption; they include the time in the\n" +
		"             queue of the thread pool. An await that is complete at once is no wait\n" +
		"  await      the number of the await in the method, of state machines\n" +
		"  method     the innermost method of the program in the chain, or else the innermost one with a name\n\n" +
		"A chain has one dispatcher, of state machines a new one for each method that goes on. The last\n" +
		"records of a session can be missing: a dispatcher without an end need not be unfinished. By the\n" +
		"events of tasks each method of a chain has a wait; those for another method with a wait are not in\n" +
		"the table, and runtime-async methods of .NET 11 have none. With --details, which needs\n" +
		"--format json, the list waits has each wait with its frames.\n\n" +
		"Then come the longest waits, with all methods that wait, and what was not resumed in the records.",
	details: "print each wait",
	profile: "async",
	summary: asyncSummary,
	totals:  asyncTotals,
	tables:  asyncTables,
}

func asyncSummary(r *analysis.Report) string {
	t := r.Totals.(*async.Totals)
	text := display.Counted(t.Waits, "wait")
	if t.Dispatchers != nil {
		text += " of " + display.Counted(t.Dispatchers.Dispatchers, "dispatcher")
	}
	return text + ", " + milliseconds(t.SuspendedNs) + " together"
}

// asyncTotals lists the totals.
func asyncTotals(r *analysis.Report) []property {
	t := r.Totals.(*async.Totals)
	list := []property{{"waits", fmt.Sprintf("%s, %s together (%s)", display.Grouped(t.Waits), milliseconds(t.SuspendedNs), t.Source)}}
	notes := []asyncNote{
		{t.OuterWaits.Or(0), "waits for another method with a wait, not in the table"},
		{t.Ambiguous.Or(0), "waits with an unknown end: several methods awaited one task"},
		{t.Open.Or(0), "waits without an end"},
	}
	if d := t.Dispatchers; d != nil {
		list = append(list, property{"running", milliseconds(d.RunningNs)},
			property{"dispatchers", fmt.Sprintf("%s; %s recorded from creation to end: %s, of it running %s, waiting %s", display.Grouped(d.Dispatchers), display.Grouped(d.Whole),
				milliseconds(d.WholeNs), milliseconds(d.WholeRunningNs), milliseconds(d.WholeWaitingNs))},
			property{"deepest chain", deepestChain(d)})
		notes = append(notes, asyncNote{d.NotCompleted, "dispatchers without a record of their end"}, asyncNote{d.BeganBefore, "dispatchers that were created before the records"},
			asyncNote{d.Faults, "buffers that cannot be read to their end"})
	}
	notes = append(notes, asyncNote{t.Lost, "lost events of the trace, records may be among them"}, asyncNote{t.WaitsLeftOut, "waits left out of --details because of the limit"})
	for _, c := range notes {
		if c.count > 0 {
			list = append(list, property{"note", c.name + ": " + display.Grouped(c.count)})
		}
	}
	return list
}

// deepestChain describes the longest chain by its ends.
func deepestChain(d *async.Dispatchers) string {
	text := display.Counted(d.DeepestFrames, "frame")
	if n := len(d.Deepest); n > 0 {
		text += ": " + d.Deepest[0]
		if n > 1 {
			text += " < ... < " + d.Deepest[n-1]
		}
	}
	return text
}

// asyncNote is a number that is printed if it is not 0.
type asyncNote struct {
	count int64
	name  string
}

// asyncTables lists the methods.
func asyncTables(r *analysis.Report) []table {
	list := listing("Waits by method", async.Table.Select(async.Table.Text), r.Rows.([]async.Row))
	return []table{list, longestWaits(r.Totals.(*async.Totals)), waitingDispatchers(r.Totals.(*async.Totals))}
}

// longestWaits lists the longest waits with what waits.
func longestWaits(t *async.Totals) table {
	list := table{title: "Longest waits", columns: []terminal.Column{right("ms"), extra("thread"), {Title: "waiting, innermost first", Overflow: terminal.Cut}}}
	for _, w := range t.Longest {
		list.rows = append(list.rows, []string{millionths(analysis.Known(w.SuspendedNs)), strconv.FormatUint(w.ThreadID, 10), dash(strings.Join(w.Frames, " < "))})
	}
	return list
}

// waitingDispatchers lists what waited when the records ended.
func waitingDispatchers(t *async.Totals) table {
	list := table{title: "Not resumed in the records", columns: []terminal.Column{right("dispatchers"), right("since s"), {Title: "waiting, innermost first", Overflow: terminal.Cut}}}
	if t.Dispatchers != nil {
		for _, w := range t.Waiting {
			list.rows = append(list.rows, []string{display.Grouped(w.Dispatchers), seconds(w.SinceNs), dash(strings.Join(w.Frames, " < "))})
		}
	}
	return list
}
