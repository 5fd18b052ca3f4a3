package terminal

import (
	"math"
	"slices"
)

// Widths to which a column is shortened: readableCut before extra columns are left out,
// minCut after that.
const (
	readableCut = 16
	minCut      = 8
)

// fit returns the table with the columns that fit a width, and their widths. It leaves
// out extra columns, the last one first, if shortening other columns is not enough. The
// width 0 is that of all columns.
func (t *Table) fit(width int) (*Table, []int) {
	widths := t.widths()
	if width == 0 {
		return t, widths
	}
	for i, c := range slices.Backward(t.Columns) {
		if !c.Extra {
			continue
		}
		if t.narrow(widths, width, readableCut) {
			return t, widths
		}
		return t.without(i).fit(width)
	}
	t.narrow(widths, width, minCut)
	return t, widths
}

// without returns the table without a column.
func (t *Table) without(column int) *Table {
	other := *t
	other.Columns = slices.Delete(slices.Clone(t.Columns), column, column+1)
	other.rows = nil
	for _, row := range t.rows {
		if column < len(row) {
			row = slices.Delete(slices.Clone(row), column, column+1)
		}
		other.rows = append(other.rows, row)
	}
	return &other
}

// widths returns the width of each column in which no text is shortened or broken.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = c.Min
		if !t.NoTitle {
			widths[i] = max(widths[i], Columns(c.Title))
		}
		for _, row := range t.rows {
			if i < len(row) && !row[i].Span {
				widths[i] = max(widths[i], row[i].Indent+Columns(row[i].Text))
			}
		}
	}
	return widths
}

// narrow takes columns from the widest column that may become narrower, one after
// another, until the table fits. It reports whether it does. cut is the least width of
// columns that are shortened.
func (t *Table) narrow(widths []int, width, cut int) bool {
	total := t.Indent + Gap*(len(widths)-1)
	for _, w := range widths {
		total += w
	}
	for ; total > width; total-- {
		widest := -1
		for i, c := range t.Columns {
			if widths[i] > max(c.Min, c.Overflow.min(cut)) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return false
		}
		widths[widest]--
	}
	return true
}

// min returns the least width of a column. cut is that of a column that is shortened.
func (o Overflow) min(cut int) int {
	switch o {
	case Cut, CutMethod, Whole:
		return cut
	case Break:
		return minWrapped
	}
	return math.MaxInt
}
