package report

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// exceptionsView prints the part exceptions.
var exceptionsView = view{
	name:  exceptions.Name,
	short: "Print the exceptions of a trace",
	long: "report exceptions prints a line for the exceptions of one type and message that one method threw and\n" +
		"one method caught, the most frequent first, and the totals. A message has * in place of numbers,\n" +
		"GUIDs and hexadecimal words; JSON has one whole message as example.\n" +
		"A value that the trace does not have is a dash.\n\n" +
		"  throws      by the statement throw, or by the runtime\n" +
		"  awaits      throws again by an await; the thrower is the method that was awaiting\n" +
		"  dispatched  throws again by another call of ExceptionDispatchInfo.Throw\n" +
		"  rethrows    by the statement throw without an exception: no throws, but further catches\n" +
		"  superseded  by another exception that left a catch or finally block\n" +
		"  left        async methods that the exceptions left, by the records of the async profiler\n" +
		"  caught by   the method whose catch block took it last\n\n" +
		"A process can end by an unhandled exception before the trace has that exception: a trace without an\n" +
		"end mark does not show that there was none.",
	records:  []string{clr.RuntimeProvider + ":0x8000:4"},
	physical: "print the stacks of threads as they were, without the methods that awaited them",
	summary:  exceptionsSummary,
	totals:   exceptionsTotals,
	tables:   exceptionsTables,
}

func exceptionsSummary(r *analysis.Report) string {
	t := r.Totals.(*exceptions.Totals)
	text := display.Counted(t.Thrown, "throw")
	if again, ok := t.Rethrown.Get(); ok {
		text += fmt.Sprintf(", %d of them rethrown", again)
	} else {
		text += " (with those that an await throws again)"
	}
	return text + fmt.Sprintf(", %.1f per second", t.ThrownPerSecond)
}

// exceptionsTotals lists the totals.
func exceptionsTotals(r *analysis.Report) []property {
	t := r.Totals.(*exceptions.Totals)
	text := display.Grouped(t.Thrown)
	if again, ok := t.Rethrown.Get(); ok {
		text += fmt.Sprintf(", %d of them rethrown: by await %d, by other calls of ExceptionDispatchInfo.Throw %d",
			again, t.AwaitRethrows.Or(0), t.DispatchRethrows.Or(0))
	}
	rate := fmt.Sprintf("%.1f per second in %s", t.ThrownPerSecond, milliseconds(t.ObservedNs))
	if most, ok := t.MaxThrownPerSecond.Get(); ok {
		rate += fmt.Sprintf(", at most %d in a second", most)
	}
	switch again, known := t.Rethrown.Get(); {
	case !known:
		rate += ", with those that an await throws again"
	case again > 0:
		rate += ", without the rethrown"
	}
	list := []property{
		{"throws", text},
		{"rate", rate},
	}
	if t.EndsUnknown < t.Thrown {
		list = append(list, property{"ends", fmt.Sprintf("handled %d; superseded %d (wrapped %d, replaced %d); swallowed by a filter %d; unhandled %d; in flight %d",
			t.Handled, t.Superseded, t.Wrapped, t.Replaced, t.Swallowed, t.Unhandled, t.InFlight)})
	}
	for _, c := range []struct {
		count int64
		name  string
	}{
		{t.CatchRethrows, "rethrows by the statement throw without an exception"}, {t.EndsUnknown, "throws whose end is unknown"},
		{t.ThrowersUnknown, "throws whose stack has no names: those that an await throws again are not told apart"}, {t.BeganBefore, "catches of exceptions that were thrown before the trace or on another thread"},
		{t.ThrownAmbiguous.Or(0), "throws whose request is ambiguous"}, {t.ThrownLeftOut, "throws left out because of the limit"},
	} {
		if c.count > 0 {
			list = append(list, property{"note", c.name + ": " + display.Grouped(c.count)})
		}
	}
	if t.Truncated && t.Unhandled == 0 {
		list = append(list, property{"note", "the trace has no end mark: an unhandled exception may be missing"})
	}
	return list
}

// exceptionsTables lists the exceptions.
func exceptionsTables(r *analysis.Report) []table {
	list := listing("Exceptions", exceptions.Table.Select(exceptions.Table.Text), r.Rows.([]exceptions.Row))
	requests := table{title: "Exceptions by request", columns: []terminal.Column{
		right("throws"), right("requests"), {Title: "method"}, {Title: "path", Overflow: terminal.Cut},
	}}
	for _, q := range r.Totals.(*exceptions.Totals).Requests {
		requests.rows = append(requests.rows, []string{number(q.Thrown), number(q.Requests), q.Method, q.Path})
	}
	return []table{list, requests}
}
