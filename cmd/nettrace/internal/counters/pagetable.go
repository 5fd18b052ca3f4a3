package counters

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// Widths of the screen from which the table has all columns of numbers, and the widths of
// its line of values.
const (
	fullWidth = 110
	minSpark  = 16
	maxSpark  = historySize
)

// table returns the lines of the table, of which the first one has the titles.
func (p *page) table(s terminal.Screen) []string {
	numbers := 2
	if s.Width == 0 || s.Width >= fullWidth {
		numbers = len(tableColumns)
	}
	spark := maxSpark
	if s.Width > 0 {
		spark = max(min((s.Width-numbers*numberWidth)/3, maxSpark), minSpark)
	}
	table := terminal.Table{Columns: []terminal.Column{{Title: "NAME", Overflow: terminal.Whole}}}
	for _, title := range tableColumns[:numbers] {
		table.Columns = append(table.Columns, terminal.Column{Title: title, Right: true, Min: numberWidth - terminal.Gap})
	}
	table.Columns = append(table.Columns, terminal.Column{Title: "LAST VALUES", Min: spark})
	kept := p.kept()
	for i := range kept {
		var before *counters.Series
		if i > 0 {
			before = &kept[i-1]
		}
		p.add(&table, &kept[i], before, spark)
	}
	addSilent(&table, slices.DeleteFunc(slices.Clone(p.shown.silent), func(name string) bool { return !p.Matches(name) }))
	return strings.Split(strings.TrimSuffix(string(table.Append(nil, s)), "\n"), "\n")
}

// kept returns the series that the filter keeps, in the order of the page.
func (p *page) kept() []counters.Series {
	var kept []counters.Series
	for i := range p.shown.series {
		if p.Matches(fullName(&p.shown.series[i].Last)) {
			kept = append(kept, p.shown.series[i])
		}
	}
	switch p.sort {
	case "name":
		slices.SortStableFunc(kept, func(a, b counters.Series) int {
			return strings.Compare(strings.ToLower(fullName(&a.Last)), strings.ToLower(fullName(&b.Last)))
		})
	case "value":
		slices.SortStableFunc(kept, func(a, b counters.Series) int { return compare(b.Value, a.Value) })
	case "a second":
		slices.SortStableFunc(kept, func(a, b counters.Series) int { return compare(b.Last.Rate(), a.Last.Rate()) })
	}
	return kept
}

// compare orders numbers; one that was not measured is less than all others.
func compare(a, b counters.Number) int {
	of := func(n counters.Number) float64 {
		if !n.Valid {
			return math.Inf(-1)
		}
		return n.Float64
	}
	return cmp.Compare(of(a), of(b))
}

// fullName returns the provider, the name and the tags of a series.
func fullName(v *counters.Value) string {
	name := v.Provider + "/" + displayName(v)
	if v.Tags != "" {
		name += " " + v.Tags
	}
	return name
}

// addHeadings adds a heading before the first series of a source, and the name before the
// first one with tags. It returns the rest of the label of the series.
func (p *page) addHeadings(table *terminal.Table, v *counters.Value, before *counters.Series) terminal.Cell {
	first := before == nil || before.Last.Provider != v.Provider || before.Last.Source != v.Source
	if first {
		title := heading(v, false)
		title[0].Span = true
		table.Add(title...)
	}
	name := terminal.Cell{Text: display.Printable(displayName(v)), Indent: 2}
	if v.Unit != "" {
		name.Text += " (" + display.Printable(v.Unit) + ")"
	}
	if v.Tags == "" {
		return name
	}
	if first || before.Last.Name != v.Name || before.Last.ID != v.ID {
		name.Span = true
		table.Add(name)
	}
	return terminal.Cell{Text: v.Tags, Indent: 4}
}

// add adds a series as a row, with the headings before it if the order is that of sources.
func (p *page) add(table *terminal.Table, s, before *counters.Series, spark int) {
	v := &s.Last
	label := terminal.Cell{Text: fullName(v)}
	if p.sort == pageSorts[0] {
		label = p.addHeadings(table, v, before)
	} else if v.Unit != "" {
		label.Text += " (" + v.Unit + ")"
	}
	if s.Ended {
		label.Text += " (ended)"
	}
	label.Text = display.Printable(label.Text)
	row := []terminal.Cell{label}
	if v.Type == counters.Histogram {
		row = append(row, terminal.Cell{Text: "p50=" + cellText(median(v))}, terminal.Cell{Text: cellText(rateOf(v))})
	} else {
		row = append(row, terminal.Cell{Text: cellText(s.Value)}, terminal.Cell{Text: cellText(v.Rate())})
	}
	if len(table.Columns) > 4 {
		row = append(row, terminal.Cell{Text: cellText(s.Min)}, terminal.Cell{Text: cellText(s.Max)})
	}
	past := p.shown.history[v.Key()]
	row = append(row, terminal.Cell{Text: sparkline(past[max(len(past)-spark, 0):]), Color: terminal.Green})
	if s.Ended {
		for i := range row {
			row[i].Color = terminal.Dim
		}
	}
	table.Add(row...)
}

// median returns the quantile 0.5 of a histogram, or else its first quantile.
func median(v *counters.Value) counters.Number {
	for i, q := range v.Quantiles {
		if q.Quantile == 0.5 || i == len(v.Quantiles)-1 {
			return counters.Number{Float64: q.Value, Valid: true}
		}
	}
	return counters.Number{}
}

// rateOf returns the number of measurements of a histogram in a second.
func rateOf(v *counters.Value) counters.Number {
	if !v.Count.Valid || v.Interval <= 0 {
		return counters.Number{}
	}
	return counters.Number{Float64: v.Count.Float64 / v.Interval.Seconds(), Valid: true}
}

// graphed returns the number of a value for the line of values: a rate, a value, or the
// median of a histogram. It is NaN if none was measured.
func graphed(v *counters.Value) float64 {
	n := v.Shown()
	if v.Type == counters.Histogram {
		n = median(v)
	}
	if !n.Valid {
		return math.NaN()
	}
	return n.Float64
}

// levels are the characters of a line of values, from the lowest to the highest value.
var levels = []rune("▁▂▃▄▅▆▇█")

// sparkline returns a character for each value. The lowest value has the lowest one and the
// highest value the highest one. Equal values are in the middle, zeros at the bottom.
func sparkline(past []float64) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range past {
		if !math.IsNaN(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	line := make([]rune, len(past))
	for i, x := range past {
		level := len(levels) / 2
		switch {
		case math.IsNaN(x):
			line[i] = ' '
			continue
		case high > low:
			level = int((x - low) / (high - low) * float64(len(levels)-1))
		case x == 0:
			level = 0
		}
		line[i] = levels[max(min(level, len(levels)-1), 0)]
	}
	return string(line)
}
