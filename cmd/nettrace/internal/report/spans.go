package report

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
)

// spansView prints the part spans.
var spansView = view{
	name:  spans.Name,
	short: "Print the times between starts and stops of event sources",
	long: "report spans prints the times between the starts and stops that event sources write, such as the\n" +
		"targets and tasks of MSBuild or what your program calls its own: a line for each name and key. Times\n" +
		"are in milliseconds.\n\n" +
		"  name        of the events, without Start and Stop\n" +
		"  key         the values of the start's fields that name the span, such as targetName or url\n" +
		"  self        total without the spans within these, on the same thread or of their activity\n" +
		"  cpu         processor time of the thread in them by samples, of spans on one thread (only of FILE)\n" +
		"  wait        what the thread waited in them, for handles and locks; exceptions: thrown there. Both\n" +
		"              are of spans on one thread, and need the runtime's events\n" +
		"  joined      why a start and a stop belong together: an activity id, fields of equal name and value\n" +
		"              (key), or nesting on the thread; of several the weakest one\n\n" +
		"Where several spans of a name are open and nothing tells them apart, none is joined: their stops are\n" +
		"counted as ambiguous. The provider " + activityIDs + " adds activity\n" +
		"ids. The runtime's own intervals are in the other parts. -p records the event sources of requests.",
	profile: "requests",
	summary: spansSummary,
	totals:  spansTotals,
	tables:  spansTables,
}

// activityIDs is the provider that makes the runtime write activity ids.
const activityIDs = "System.Threading.Tasks.TplEventSource:0x80:4"

func spansSummary(r *analysis.Report) string {
	t := r.Totals.(*spans.Totals)
	text := display.Counted(t.Pairs, "span")
	rows := r.Rows.([]spans.Row)
	if len(rows) > 0 {
		longest := rows[0]
		for _, row := range rows {
			if row.MaxNs > longest.MaxNs {
				longest = row
			}
		}
		text += fmt.Sprintf(", the longest %s: %s", milliseconds(longest.MaxNs), spanName(&longest))
	}
	if t.Ambiguous > 0 {
		text += ", ambiguous " + display.Grouped(t.Ambiguous)
	}
	return text
}

// spanName names a row for users.
func spanName(row *spans.Row) string {
	if row.Key == "" {
		return row.Name
	}
	return row.Name + " " + row.Key
}

// spansTotals lists the totals.
func spansTotals(r *analysis.Report) []property {
	t := r.Totals.(*spans.Totals)
	return append([]property{{"spans", display.Grouped(t.Pairs)}}, notes([]note{
		{t.Ambiguous, "ambiguous stops, of one of several open spans: not in the table (" + activityIDs + " records activity ids)"},
		{t.Unfinished, "starts without a stop, not in the table"},
		{t.BeganBefore, "stops of spans that began before the trace, not in the table"},
		{t.LeftOut, "starts and stops left out because of the limit"},
		{t.InsideLeftOut, "exceptions and waits left out because of the limit"},
	})...)
}

// spansTables lists the spans.
func spansTables(r *analysis.Report) []table {
	return []table{listing("Spans, times in ms", spans.Table.Select(spans.Table.Text), r.Rows.([]spans.Row))}
}
