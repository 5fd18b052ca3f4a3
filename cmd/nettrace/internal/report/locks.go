package report

import (
	"fmt"
	"strconv"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/locks"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/sampling"
)

// locksView prints the part locks.
var locksView = view{
	name:  locks.Name,
	short: "Print the contended locks of a trace",
	long: "report locks prints the waits for locks that other threads held. Times are in milliseconds, start in\n" +
		"seconds since the sync time. The percentage is the sum of the waits of all threads, divided by the\n" +
		"time of the recording: with several waiting threads it can be above 100.\n\n" +
		"The first table has a line for each method and its callers: a lock has no name in a trace.\n\n" +
		"  waits    number of waits; total, mean and longest are their times, over all threads\n" +
		"  at once  the highest number of threads that waited for one lock\n" +
		"  owner    the innermost method of the program in the thread that held the lock, in its first sample\n" +
		"           during the longest wait. --json has its stack (ownerStack). It is a dash if there is no\n" +
		"           sample of the thread in that time\n\n" +
		"The second table has the locks by address, each for the time in which threads waited for it without\n" +
		"interruption: objects move, and the runtime uses ids of locks again.\n\n" +
		"A deadlock candidate is a cycle of threads that wait for each other's locks at the end, each for at\n" +
		"least a second, and do nothing else. The owner of a lock is the one when the wait began. .NET 11\n" +
		"writes managed ids of owners: without the events of keyword 0x10000, and without the threads of the\n" +
		"rundown (keyword 0x80030139), owners and deadlocks cannot be known. collect records both.\n\n" +
		"A wait that began before the recording has no event, so it is not in the report, nor is a cycle with\n" +
		"such a wait. nettrace stack -p PID prints threads that wait for a lock now as blocked (lock).",
	records: []string{clr.RuntimeProvider + ":0x4000:4", sampling.Provider + ":0x0:4"},
	summary: locksSummary,
	totals:  locksTotals,
	tables:  locksTables,
	unseen: "waits that began before the recording have no event: nettrace stack -p PID shows their threads, and " +
		"report waits has them if the trace has samples",
}

func locksSummary(r *analysis.Report) string {
	t := r.Totals.(*locks.Totals)
	text := fmt.Sprintf("%s, %s in all", display.Counted(t.Count, "wait"), milliseconds(t.TotalNs))
	if t.Waits != nil {
		text += ", the longest " + milliseconds(t.Waits.MaxNs)
	}
	if t.Unfinished > 0 {
		text += fmt.Sprintf("; %s of them open at the end", display.Grouped(t.Unfinished))
	}
	if t.Deadlocks == nil {
		text += "; deadlocks cannot be known"
	}
	return text
}

// locksTotals lists the totals.
func locksTotals(r *analysis.Report) []property {
	t := r.Totals.(*locks.Totals)
	waits := fmt.Sprintf("%s: %s in all, %.2f %% of the recording of %s", display.Grouped(t.Count), milliseconds(t.TotalNs), t.WaitPercent, milliseconds(t.ObservedNs))
	list := []property{{"waits", waits}}
	if d := t.Waits; d != nil {
		list = append(list, property{"times", distribution(d)})
	}
	if t.Unfinished > 0 {
		list = append(list, property{"of them open at the end", fmt.Sprintf("%s: %s in all", display.Grouped(t.Unfinished), milliseconds(t.UnfinishedNs))})
	}
	return append(list, notes([]note{
		{t.OwnersUnknown, "rows whose owner cannot be known"},
		{t.BeganBefore, "waits that began before the trace, not counted"},
		{t.LeftOut, "waits left out because of the limit"},
		{t.RowsLeftOut, "stacks left out because of the limit"},
		{t.LocksLeftOut, "rows left out of the table By lock, which has those with the highest totals"},
	})...)
}

// distribution describes times.
func distribution(d *analysis.Distribution) string {
	return fmt.Sprintf("mean %s, median %s, p95 %s, p99 %s, longest %s",
		milliseconds(d.MeanNs), milliseconds(d.P50Ns), milliseconds(d.P95Ns), milliseconds(d.P99Ns), milliseconds(d.MaxNs))
}

// note is a remark with a number.
type note struct {
	count int64
	text  string
}

// notes lists the remarks whose number is not 0.
func notes(list []note) []property {
	var out []property
	for _, n := range list {
		if n.count > 0 {
			out = append(out, property{"note", n.text + ": " + display.Grouped(n.count)})
		}
	}
	return out
}

// locksTables lists the deadlock candidates, the stacks, and the locks.
func locksTables(r *analysis.Report) []table {
	t := r.Totals.(*locks.Totals)
	return []table{deadlockTable(t.Deadlocks), listing("By stack, times in ms", locks.Table.Select(locks.Table.Text), r.Rows.([]locks.Row)), contendedTable(t.Contended)}
}

func deadlockTable(list []locks.Deadlock) table {
	out := table{title: "Deadlock candidates", columns: []terminal.Column{
		right("cycle"), right("thread"), right("waits for"), right("ms"), extra("samples"), extraText("object"), {Title: "method", Overflow: terminal.CutMethod},
	}}
	for i, d := range list {
		for _, one := range d.Threads {
			out.rows = append(out.rows, []string{
				strconv.Itoa(i + 1), strconv.FormatInt(one.ThreadID, 10), dash(one.OwnerThreadID.String()), millionths(analysis.Known(one.DurationNs)),
				display.Grouped(one.Samples), dash(one.Object), dash(one.Method),
			})
		}
	}
	return out
}

func contendedTable(list []locks.Lock) table {
	out := table{title: "By lock, times in ms", columns: []terminal.Column{
		{Title: "object"}, right("start s"), right("ms"), right("waits"), right("total"), extra("longest"), right("at once"),
		{Title: "owner", Overflow: terminal.CutMethod},
	}}
	for _, one := range list {
		name := one.Object
		if name == "" {
			name = one.Lock
		}
		out.rows = append(out.rows, []string{
			dash(name), seconds(one.StartNs), millionths(analysis.Known(one.DurationNs)), display.Grouped(one.Count),
			millionths(analysis.Known(one.TotalNs)), millionths(analysis.Known(one.Longest.DurationNs)), display.Grouped(one.Waiters), dash(one.Longest.Owner),
		})
	}
	return out
}
