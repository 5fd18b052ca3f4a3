package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	clrcounters "github.com/nettrace-go/nettrace/codec/clr/counters"
)

// countersView prints the part counters.
var countersView = view{
	name:  counters.Name,
	short: "Print the EventCounters and Meters in a trace over time, and what is unusual",
	long: "report counters prints a row for each counter or meter, and for each combination of its tags:\n\n" +
		"  last, min, mean, max  of the values; of a counter that only increases those of its rate in a\n" +
		"                        second; of a histogram those of the mean of each interval\n" +
		"  over time             from the first to the last value of the process; the height is from 0 to max\n" +
		"  anomaly               peak: at least ten values, the max is 5 times the median or more\n" +
		"                        growth: for a minute or longer, steadily, to twice the first values or more\n\n" +
		"Anomalies describe; a finding also requires a counter whose meaning is known and a high value for\n" +
		"five successive values. p50, p95 and p99 of histograms are the highest of all intervals.\n\n" +
		"With -p it records the EventCounters of System.Runtime. nettrace counters chooses others, and\n" +
		"Meters, and shows the values as they come.",
	counters: clrcounters.Default(),
	summary:  countersSummary,
	totals:   countersTotals,
	tables:   countersTables,
}

func countersSummary(r *analysis.Report) string {
	t, rows := r.Totals.(*counters.Totals), r.Rows.([]counters.Row)
	unusual := 0
	for i := range rows {
		if len(rows[i].Anomalies) > 0 {
			unusual++
		}
	}
	if t.Series == 0 {
		return display.Counted(int64(len(t.WithoutValue)), "instrument") + " without a value"
	}
	text := fmt.Sprintf("%s of %s, %s", display.Counted(t.Series, "time series"), strings.Join(providers(rows), ", "), display.Counted(t.Values, "value"))
	if unusual > 0 {
		text += fmt.Sprintf(", %d unusual", unusual)
	}
	return text
}

// maxProviders is how many providers a line names.
const maxProviders = 3

// providers returns the names of the first providers, each once.
func providers(rows []counters.Row) []string {
	var list []string
	for i := range rows {
		if i > 0 && rows[i].Provider == rows[i-1].Provider {
			continue
		}
		if len(list) == maxProviders {
			return append(list, "...")
		}
		list = append(list, rows[i].Provider)
	}
	return list
}

// countersTotals lists the totals.
func countersTotals(r *analysis.Report) []property {
	t := r.Totals.(*counters.Totals)
	list := []property{{"time series", display.Grouped(t.Series)}, {"values", display.Grouped(t.Values)}}
	for _, e := range t.Errors {
		what := "the session of the Meters failed"
		if e.Callback {
			what = "the callback of an instrument failed"
		}
		first, _, _ := strings.Cut(e.Text, "\n")
		list = append(list, property{"error", fmt.Sprintf("%s (%s): %s", what, display.Counted(e.Count, "event"), strings.TrimSpace(first))})
	}
	if silent := t.WithoutValue; len(silent) > 0 {
		var names []string
		for _, i := range silent {
			names = append(names, i.Provider+"/"+i.Name)
		}
		list = append(list, property{"without a value", strings.Join(names, ", ")})
	}
	for _, note := range []struct {
		is   bool
		text string
	}{
		{t.TimeSeriesLimit, "the process had more time series than the recording requested, and left some out"},
		{t.HistogramLimit, "the process had more histograms than the recording requested, and left some out"},
		{t.LeftOutValues > 0, "values without a row because of the limit: " + display.Grouped(t.LeftOutValues)},
		{t.LeftOutErrors > 0, "events with other errors: " + display.Grouped(t.LeftOutErrors)},
		{t.MalformedEvents > 0, "malformed events: " + display.Grouped(t.MalformedEvents)},
	} {
		if note.is {
			list = append(list, property{"note", note.text})
		}
	}
	return list
}

// countersTables lists the time series of each provider, and the quantiles.
func countersTables(r *analysis.Report) []table {
	rows := r.Rows.([]counters.Row)
	from, to := span(rows)
	var list []table
	for i := range rows {
		row := &rows[i]
		if i == 0 || row.Provider != rows[i-1].Provider || row.Source != rows[i-1].Source {
			list = append(list, counterTable(row))
		}
		last := &list[len(list)-1]
		last.rows = append(last.rows, counterCells(row, from, to))
	}
	for i := range list {
		list[i].dropEmptyLast()
	}
	return append(list, quantileTable(rows))
}

// dropEmptyLast removes the last column if it has no text.
func (t *table) dropEmptyLast() {
	last := len(t.columns) - 1
	for _, row := range t.rows {
		if row[last] != "" {
			return
		}
	}
	t.columns = t.columns[:last]
	for i := range t.rows {
		t.rows[i] = t.rows[i][:last]
	}
}

// span returns the time of the first and the last value.
func span(rows []counters.Row) (from, to int64) {
	for i := range rows {
		if i == 0 || rows[i].StartNs < from {
			from = rows[i].StartNs
		}
		if i == 0 || rows[i].EndNs > to {
			to = rows[i].EndNs
		}
	}
	return from, to
}

// counterTable returns the table of a provider, without rows.
func counterTable(first *counters.Row) table {
	title := first.Provider
	if first.Version != "" {
		title += " " + first.Version
	}
	title += " (" + first.Source
	if every, ok := first.IntervalNs.Get(); ok {
		title += ", every " + strconv.FormatFloat(float64(every)/1e9, 'f', -1, 64) + " s"
	}
	return table{title: title + ")", columns: []terminal.Column{
		{Title: "counter", Overflow: terminal.Whole}, right("last"), right("min"), right("mean"), right("max"), {Title: "over time"}, {Title: "anomaly"},
	}}
}

// counterCells returns the cells of a time series.
func counterCells(row *counters.Row, from, to int64) []string {
	return []string{
		counterTitle(row), numberText(row.Last), numberText(row.Min), numberText(row.Mean), numberText(row.Max), sparkline(row, from, to),
		anomalyText(row.Anomalies),
	}
}

// counterTitle names a time series, with the unit of its numbers.
func counterTitle(row *counters.Row) string {
	text, unit := row.Name, row.Unit
	if row.Display != "" {
		text = row.Display
	}
	if row.Shows == counters.Rate {
		unit += "/s"
	}
	if unit != "" {
		text += " (" + unit + ")"
	}
	if row.Tags != "" {
		text += " " + row.Tags
	}
	if row.Ended {
		text += ", ended"
	}
	return text
}

// numberText returns a number with up to four significant digits.
func numberText(x *float64) string {
	switch {
	case x == nil:
		return "-"
	case math.Abs(*x) >= 1000 && math.Abs(*x) < 1e15:
		return display.Grouped(int64(math.Round(*x)))
	}
	return strconv.FormatFloat(*x, 'g', 4, 64)
}

// anomalyText describes what is unusual.
func anomalyText(list []counters.Anomaly) string {
	var parts []string
	for _, a := range list {
		switch a.Kind {
		case counters.Peak:
			parts = append(parts, fmt.Sprintf("peak at %.1f s, usually %s", float64(a.StartNs)/1e9, numberText(&a.Usual)))
		case counters.Growth:
			parts = append(parts, "grows from "+numberText(&a.Usual)+" to "+numberText(&a.Value))
		}
	}
	return strings.Join(parts, "; ")
}

// sparkWidth is the number of characters of a sparkline.
const sparkWidth = 24

// sparks are the characters from the lowest to the highest number.
var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkline draws the numbers of a row, from 0 or the lowest one to the highest one. It
// has a space where the row has none, and a column for each part of the time.
func sparkline(row *counters.Row, from, to int64) string {
	switch {
	case row.Min == nil:
		return ""
	case from == to:
		return string(spark(*row.Max, min(0, *row.Min), *row.Max))
	}
	line := make([]rune, 0, sparkWidth)
	next, points := 0, row.Points
	for i := range int64(sparkWidth) {
		begin, end := column(from, to, i), column(from, to, i+1)
		for next < len(points) && points[next].StartNs < end {
			next++
		}
		if next == 0 || begin > row.EndNs {
			line = append(line, ' ')
			continue
		}
		line = append(line, spark(points[next-1].Value, min(0, *row.Min), *row.Max))
	}
	return strings.TrimRight(string(line), " ")
}

// column returns the time at which a column begins.
func column(from, to, i int64) int64 {
	return from + int64(float64(to-from+1)*float64(i)/sparkWidth)
}

// spark returns the character of a number.
func spark(x, lowest, highest float64) rune {
	if !(highest > lowest) {
		return sparks[0]
	}
	part := (x/2 - lowest/2) / (highest/2 - lowest/2)
	return sparks[min(max(int(part*float64(len(sparks))), 0), len(sparks)-1)]
}

// quantileTable lists the histograms.
func quantileTable(rows []counters.Row) table {
	list := table{title: "Histograms, highest of all intervals", columns: []terminal.Column{
		{Title: "histogram", Overflow: terminal.Whole}, right("measurements"), right("p50"), right("p95"), right("p99"),
	}}
	for i := range rows {
		row := &rows[i]
		if row.Type != clrcounters.Histogram.String() {
			continue
		}
		cells := []string{counterTitle(row), dash(row.Measurements.String())}
		for _, q := range []float64{0.5, 0.95, 0.99} {
			cells = append(cells, quantileText(row.Quantiles, q))
		}
		list.rows = append(list.rows, cells)
	}
	return list
}

// quantileText returns the highest value of a quantile.
func quantileText(list []counters.Quantile, of float64) string {
	for i := range list {
		if list[i].Quantile == of {
			return numberText(&list[i].Max)
		}
	}
	return "-"
}
