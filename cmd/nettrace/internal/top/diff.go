package top

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// change is a row in two files. Shares are percentages of the sum of a file, so
// that recordings of different lengths can be compared.
type change struct {
	now, was             topRow
	selfShare, wasShare  float64 // of self
	totalShare, wasTotal float64 // of total
	errors               float64 // the difference of the shares of samples by its standard error
}

// changes returns the rows of two files side by side, the greatest changes of a
// share first.
func changes(after, before *topData, by string) []change {
	at := map[calltree.Name]int{}
	var list []change
	for _, row := range after.rows {
		at[row.name] = len(list)
		list = append(list, change{now: row, was: topRow{name: row.name}})
	}
	for _, row := range before.rows {
		i, ok := at[row.name]
		if !ok {
			i = len(list)
			list = append(list, change{now: topRow{name: row.name}})
		}
		list[i].was = row
	}
	for i := range list {
		list[i].compare(after, before)
	}
	slices.SortStableFunc(list, func(a, b change) int {
		self := cmp.Compare(math.Abs(b.points()), math.Abs(a.points()))
		total := cmp.Compare(math.Abs(b.totalShare-b.wasTotal), math.Abs(a.totalShare-a.wasTotal))
		if by == "total" {
			self, total = total, self
		}
		return cmp.Or(self, total, strings.Compare(a.now.name.Text, b.now.name.Text))
	})
	return list
}

// compare sets the shares of a row.
func (c *change) compare(after, before *topData) {
	c.selfShare, c.wasShare = percent(c.now.self, after.sum), percent(c.was.self, before.sum)
	c.totalShare, c.wasTotal = percent(c.now.total, after.sum), percent(c.was.total, before.sum)
	c.errors = standardErrors(c.now.samples, after.samples, c.was.samples, before.samples)
}

// points is the difference of the shares of self in percentage points.
func (c *change) points() float64 { return c.selfShare - c.wasShare }

// percent returns a part in percent, 0 for an empty whole.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// standardErrors returns the difference of two shares by its standard error, as
// if each sample were taken independently: a of m samples, and b of n.
func standardErrors(a, m, b, n int64) float64 {
	if m == 0 || n == 0 {
		return 0
	}
	both := float64(a+b) / float64(m+n)
	deviation := math.Sqrt(both * (1 - both) * (1/float64(m) + 1/float64(n)))
	if deviation == 0 {
		return 0
	}
	return (float64(a)/float64(m) - float64(b)/float64(n)) / deviation
}

// diff lists changes.
func (t *textPrinter) diff(after, before *topData) {
	t.head("before: ", before)
	t.head("after:  ", after)
	extra := terminal.Column{Right: true, Extra: true, Min: 7}
	table := terminal.Table{Columns: []terminal.Column{
		titled(amount, "self"), titled(amount, "change"), titled(extra, "share"), titled(extra, "points"), titled(extra, "SE"),
		titled(amount, "total"), titled(amount, "change"), t.o.name(),
	}}
	list := changes(after, before, t.o.sort)
	for _, c := range list[:t.o.shown(len(list))] {
		table.Add(value(c.now.self, samples.Amount(c.now.self, after.kind)), difference(c.now.self-c.was.self, after.kind),
			value(c.now.self, display.Percent(c.now.self, after.sum)), signedFloat(c.points()), signedFloat(c.errors),
			value(c.now.total, samples.Amount(c.now.total, after.kind)), difference(c.now.total-c.was.total, after.kind),
			terminal.Cell{Text: display.Printable(c.now.name.Text)})
	}
	t.table(&table, len(list)-table.Len())
}

// signedFloat returns the cell of a number with one decimal, which has a sign
// unless it is 0.
func signedFloat(v float64) terminal.Cell {
	text := strconv.FormatFloat(v, 'f', 1, 64)
	switch {
	case text == "0.0" || text == "-0.0":
		return terminal.Cell{Text: "0.0", Color: terminal.Dim}
	case v > 0:
		text = "+" + text
	}
	return terminal.Cell{Text: text}
}

// difference returns the cell of a change: more is red, less is green.
func difference(v int64, kind profile.Type) terminal.Cell {
	cell := value(v, signed(v, kind))
	switch {
	case v > 0:
		cell.Color = terminal.Red
	case v < 0:
		cell.Color = terminal.Green
	}
	return cell
}
