package counters

import (
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// counterTable prints the last values at the end.
type counterTable struct {
	w     *watcher
	dst   io.Writer
	flags *terminal.Flags
}

func (t *counterTable) value(*counters.Message) error { return nil }
func (t *counterTable) pause() error                  { return nil }
func (t *counterTable) lists() bool                   { return true }

// end prints the table.
func (t *counterTable) end() error {
	if t.w.empty() {
		return nil // reportEmpty prints the reason
	}
	for _, line := range t.lines(t.flags.Screen(t.dst)) {
		if _, err := io.WriteString(t.dst, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// tableWidth is the width of the table in a file or a pipe, if its names are short.
const tableWidth = 120

// tableColumns are the columns of numbers, after that of names.
var tableColumns = [...]string{"VALUE", "A SECOND", "MIN", "MAX"}

// extraColumns is the number of tableColumns that narrow terminals have too.
const extraColumns = 2

// numberWidth is the minimum width of a column of numbers, with the gap before it.
const numberWidth = 13

// lines returns the table: a heading for each source, a line for each series.
func (t *counterTable) lines(screen terminal.Screen) []string {
	var lines []string
	if t.w.title != "" {
		lines = append(lines, screen.Shorten(t.w.title, 0))
	}
	t.w.mu.Lock() // --listen may still answer a request, and Series sorts
	defer t.w.mu.Unlock()
	all := t.w.latest.Series()
	names := terminal.Column{Overflow: terminal.Whole}
	if screen.Width == 0 {
		names.Min = tableWidth - len(tableColumns)*numberWidth
	}
	table := terminal.Table{NoTitle: true, Columns: []terminal.Column{names}}
	for i := range tableColumns {
		table.Columns = append(table.Columns, terminal.Column{Right: true, Min: numberWidth - terminal.Gap, Extra: i >= extraColumns})
	}
	var last *counters.Series
	for i, s := range all {
		if last == nil || last.Last.Provider != s.Last.Provider || last.Last.Source != s.Last.Source {
			table.Add(heading(&s.Last, i == 0)...)
			last = nil
		}
		addSeries(&table, s, last)
		last = s
	}
	addSilent(&table, t.w.silent())
	text := strings.TrimSuffix(string(table.Append(nil, screen)), "\n")
	return append(lines, strings.Split(text, "\n")...)
}

// heading returns the row of a source with the interval in use. The first row has the
// titles of the columns too.
func heading(v *counters.Value, first bool) []terminal.Cell {
	text := display.Printable(v.Provider)
	if v.Version != "" {
		text += " " + display.Printable(v.Version)
	}
	text += " (" + v.Source.String()
	if v.Asked > 0 {
		text += ", every " + secondsText(v.Asked) + " s"
	}
	row := []terminal.Cell{{Text: text + ")", Span: !first, Color: terminal.Bold}}
	if first {
		for _, title := range tableColumns {
			row = append(row, terminal.Cell{Text: title, Color: terminal.Bold})
		}
	}
	return row
}

// addSeries adds the row of a series: the name and the numbers. Tags have a row of their
// own; the name is in a row before them, once.
func addSeries(table *terminal.Table, s, before *counters.Series) {
	v := &s.Last
	label := terminal.Cell{Text: display.Printable(displayName(v)), Indent: 2}
	if v.Unit != "" {
		label.Text += " (" + display.Printable(v.Unit) + ")"
	}
	if v.Tags != "" {
		if before == nil || before.Last.Name != v.Name || before.Last.ID != v.ID {
			name := label
			name.Span = true
			table.Add(name)
		}
		label = terminal.Cell{Text: display.Printable(v.Tags), Indent: 4}
	}
	if s.Ended {
		label.Text += " (ended)"
	}
	row := append([]terminal.Cell{label}, numbers(s)...)
	if s.Ended {
		for i := range row {
			row[i].Color = terminal.Dim
		}
	}
	table.Add(row...)
}

// addSilent adds the names of the instruments without a value.
func addSilent(table *terminal.Table, names []string) {
	if len(names) == 0 {
		return
	}
	table.Add(terminal.Cell{Text: "Instruments without a value", Span: true, Color: terminal.Bold})
	for _, name := range names {
		table.Add(terminal.Cell{Text: display.Printable(name), Indent: 2, Span: true})
	}
}

// numbers returns the cells of numbers, or one with the statistics of a histogram.
func numbers(s *counters.Series) (row []terminal.Cell) {
	if s.Last.Type == counters.Histogram {
		return []terminal.Cell{{Text: histogramText(s), Span: true}}
	}
	for _, n := range [...]counters.Number{s.Value, s.Last.Rate(), s.Min, s.Max} {
		row = append(row, terminal.Cell{Text: cellText(n)})
	}
	return row
}

func displayName(v *counters.Value) string {
	if v.Display != "" {
		return v.Display
	}
	return v.Name
}

// histogramText returns the statistics of all measurements. Of several intervals the quantiles are bounds.
func histogramText(s *counters.Series) string {
	is := "="
	if s.Values > 1 {
		is = "<="
	}
	var words []string
	for _, q := range s.Quantiles {
		words = append(words, "p"+numberText(q.Quantile*100)+is+cellText(counters.Number{Float64: q.Value, Valid: true}))
	}
	known := s.Last.Count.Valid
	for _, n := range []struct {
		name string
		of   counters.Number
	}{
		{"min", s.Min}, {"max", s.Max}, {"count", counters.Number{Float64: s.Count, Valid: known}}, {"sum", counters.Number{Float64: s.Sum, Valid: known}},
	} {
		if n.of.Valid {
			words = append(words, n.name+"="+cellText(n.of))
		}
	}
	return strings.Join(words, " ")
}

// cellText returns a number for users: at most six decimals, with commas
// between thousands.
func cellText(n counters.Number) string {
	x := n.Float64
	switch {
	case !n.Valid:
		return ""
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return display.Grouped(int64(x))
	case math.Abs(x) >= 1e5 && math.Abs(x) < 1e15:
		return display.Grouped(int64(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
