package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/jit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// jitView prints the part jit.
var jitView = view{
	name:  jit.Name,
	short: "Print the methods of a trace that were compiled",
	long: "report jit prints the methods that the JIT compiler compiled, the longest compilation first, and the\n" +
		"totals by tier. A method is compiled again for each higher tier. Times are in milliseconds, sizes in\n" +
		"bytes; a value that the trace does not have is a dash.\n\n" +
		"  time    from the start to the end of the compilation: elapsed time, not processor time\n" +
		"  il      size of the method's IL; 0 for dynamic methods\n" +
		"  native  size of the code\n" +
		"  notes   background: beside the program, all others hold up the thread that calls the method;\n" +
		"          startup: before the runtime first compiles in the background, if the trace has the start\n" +
		"          of the runtime; dynamic: made at run time; rejected: its ReadyToRun code is not used;\n" +
		"          unfinished: the time is that up to the end of the recording",
	records: []string{clr.RuntimeProvider + ":0x3000000010:5"},
	summary: jitSummary,
	totals:  jitTotals,
	tables:  jitTables,
}

func jitSummary(r *analysis.Report) string {
	t := r.Totals.(*jit.Totals)
	switch {
	case t.Methods != nil:
		text := display.Counted(t.Methods.All.Count, "compiled method")
		if nanos, ok := t.Methods.All.DurationNs.Get(); ok {
			text += " in " + milliseconds(nanos)
		}
		return text + fmt.Sprintf(", %d of them in the background", t.Methods.Background.Count)
	case t.Tiering != nil:
		return "methods not recorded; tiered compilation compiled " + display.Counted(t.Tiering.BatchMethods, "method") + " in " + milliseconds(t.Tiering.BatchNs)
	}
	return "methods not recorded"
}

// jitTotals lists the totals.
func jitTotals(r *analysis.Report) []property {
	t := r.Totals.(*jit.Totals)
	var list []property
	if m := t.Methods; m != nil {
		list = append(list, property{"compiled", tierText(&m.All)}, property{"foreground", tierText(&m.Foreground)})
		if m.Background.Count > 0 {
			list = append(list, property{"background", tierText(&m.Background)})
		}
		for _, c := range []struct {
			count int64
			name  string
		}{
			{m.Dynamic, "dynamic methods"}, {m.ReadyToRunRejected, "ReadyToRun code rejected"}, {m.WithoutStart, "methods whose start of compilation is not in the trace"},
			{m.Unfinished, "compilations without an end"}, {m.RowsLeftOut, "methods left out because of the limit"},
		} {
			if c.count > 0 {
				list = append(list, property{"note", c.name + ": " + display.Grouped(c.count)})
			}
		}
	}
	if s := t.Startup; s != nil {
		text := display.Counted(s.Count, "method")
		if nanos, ok := s.DurationNs.Get(); ok {
			text += ", " + milliseconds(nanos) + " of the starting thread"
		}
		if end, ok := s.EndNs.Get(); ok {
			text += ", in the " + milliseconds(end-s.StartNs) + " of the start"
		} else {
			text += "; the start goes on when the recording ends"
		}
		list = append(list, property{"startup", text})
	}
	if t.ReadyToRun != nil {
		list = append(list, property{"ReadyToRun", "code of " + display.Counted(t.ReadyToRun.Used, "method") + " used"})
	}
	if g := t.Tiering; g != nil {
		list = append(list, property{"tiering", fmt.Sprintf("%s of %s in %s; paused %s, %s; at most %s pending",
			display.Counted(g.Batches, "batch"), display.Counted(g.BatchMethods, "method"), milliseconds(g.BatchNs),
			display.Counted(g.Pauses, "time"), milliseconds(g.PausedNs), display.Counted(g.MaxPending, "method"))})
	}
	return list
}

// tierText describes sums over compilations.
func tierText(t *jit.TierTotals) string {
	text := display.Counted(t.Count, "method")
	if nanos, ok := t.DurationNs.Get(); ok {
		text += fmt.Sprintf(", %s, longest %s, %s bytes of IL", milliseconds(nanos), milliseconds(t.LongestNs.Or(0)), display.Grouped(t.ILBytes.Or(0)))
	}
	return text + fmt.Sprintf(", %s bytes of code", display.Grouped(t.NativeBytes))
}

// jitTables lists the tiers and the compilations, the longest first.
func jitTables(r *analysis.Report) []table {
	tiers := table{title: "Tiers, times in ms, sizes in bytes", columns: []terminal.Column{
		{Title: "tier"}, right("methods"), right("time"), right("longest"), extra("il"), right("native"),
	}}
	if m := r.Totals.(*jit.Totals).Methods; m != nil {
		for _, t := range m.ByTier {
			tiers.rows = append(tiers.rows, []string{
				t.Tier, display.Grouped(t.Count), millionths(t.DurationNs), millionths(t.LongestNs), dash(t.ILBytes.String()), strconv.FormatInt(t.NativeBytes, 10),
			})
		}
	}
	rows := slices.Clone(r.Rows.([]jit.Row))
	slices.SortStableFunc(rows, func(a, b jit.Row) int { return cmp.Compare(b.DurationNs.Or(-1), a.DurationNs.Or(-1)) })
	return []table{tiers, listing("Compilations, the longest first, times in ms, sizes in bytes", jit.Table.Select(jit.Table.Text), rows)}
}
