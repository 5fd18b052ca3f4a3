package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/symbols"
)

// listing returns the table of rows with the fields of their declaration.
func listing[R any](title string, fields []analysis.Field[R], rows []R) table {
	list := table{title: title}
	var shown []analysis.Field[R]
	for _, f := range fields {
		if f.Show == nil {
			f.Show = f.Of
		}
		if f.Seldom && !slices.ContainsFunc(rows, func(r R) bool { return cellOf(&f, &r) != none }) {
			continue
		}
		shown = append(shown, f)
		list.columns = append(list.columns, columnOf(&f))
	}
	for i := range rows {
		cells := make([]string, len(shown))
		for k := range shown {
			cells[k] = cellOf(&shown[k], &rows[i])
		}
		list.rows = append(list.rows, cells)
	}
	return list
}

// columnOf returns the column of a field. Numbers are at the right.
func columnOf[R any](f *analysis.Field[R]) terminal.Column {
	c := terminal.Column{Title: f.Head, Extra: f.Wide}
	switch f.Show(new(R)).(type) {
	case analysis.Number, analysis.Counted, int64, float64:
		c.Right = true
	}
	switch f.Form {
	case analysis.Cut:
		c.Overflow = terminal.Cut
	case analysis.Method:
		c.Overflow = terminal.CutMethod
	}
	return c
}

// none is what a cell without a value has.
const none = "-"

// cellOf returns the text of a row's value.
func cellOf[R any](f *analysis.Field[R], row *R) string {
	switch v := f.Show(row).(type) {
	case analysis.Number:
		if n, ok := v.Get(); ok {
			return numberCell(n, f.Form)
		}
	case int64:
		return numberCell(v, f.Form)
	case float64:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case bool:
		if v {
			return "yes"
		}
	case analysis.Counted:
		if v.Open != 0 {
			return fmt.Sprintf("%s (%s open)", display.Grouped(v.Count), display.Grouped(v.Open))
		}
		return display.Grouped(v.Count)
	case analysis.Site:
		if v.Method == "" && len(v.Stack) > 0 {
			v.Method = v.Stack[0]
		}
		if v.Place.Line == 0 {
			return dash(v.Method)
		}
		return dash(v.Method) + "  " + samples.LineText(&symbols.Location{File: v.Place.File, Line: int(v.Place.Line)})
	case string:
		if f.Blank {
			return v
		}
		return dash(v)
	default:
		panic(fmt.Sprintf("report: a column of %T", v))
	}
	return none
}

// numberCell returns a number as its form has it.
func numberCell(n int64, form analysis.Form) string {
	switch form {
	case analysis.Grouped:
		return display.Grouped(n)
	case analysis.Million:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 3, 64)
	case analysis.Seconds:
		return seconds(n)
	case analysis.Instant:
		return strconv.FormatFloat(float64(n)/1e9, 'f', 3, 64)
	}
	return strconv.FormatInt(n, 10)
}
