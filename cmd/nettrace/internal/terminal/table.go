package terminal

import (
	"bytes"
	"math"
	"strings"
)

// Overflow is what happens to the text of a column if a table does not fit the width.
type Overflow int

// Values of Overflow.
const (
	Keep      Overflow = iota // the column keeps its width
	Cut                       // texts are shortened in the middle
	CutMethod                 // texts are names of methods, shortened in the parameters first
	Break                     // texts are broken into lines; for the last column only
)

// Column describes a column of a table.
type Column struct {
	Title    string
	Right    bool // the texts are aligned at the right, as numbers are
	Min      int  // min width
	Overflow Overflow
}

// Cell is the text of a row in a column.
type Cell struct {
	Text   string // printable
	Indent int    // columns before the text; a table that is too wide has fewer
	Span   bool   // the text covers the rest of the row and does not widen its column
	Color  Color
}

// Cells returns plain texts as the cells of a row.
func Cells(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, text := range texts {
		row[i].Text = text
	}
	return row
}

// Table prints rows in aligned columns.
type Table struct {
	Columns []Column
	NoTitle bool // no row with the titles
	Indent  int  // columns before each row
	rows    [][]Cell
}

// Gap is the number of columns between two columns of a table.
const Gap = 2

// minCut is the least width to which a column is shortened.
const minCut = 8

// Add adds a row. It has a cell for each column; cells at the end may be missing.
func (t *Table) Add(row ...Cell) { t.rows = append(t.rows, row) }

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Append appends the lines of the table for a screen.
func (t *Table) Append(b []byte, s Screen) []byte {
	widths := t.widths(s.Width)
	if !t.NoTitle {
		titles := make([]Cell, len(t.Columns))
		for i, c := range t.Columns {
			titles[i] = Cell{Text: c.Title, Color: Bold}
		}
		b = t.appendRow(b, s, titles, widths)
	}
	for _, row := range t.rows {
		b = t.appendRow(b, s, row, widths)
	}
	return b
}

// widths returns the width of each column in a table that has at most this width, if the
// columns that may be shortened or broken allow it. With the width 0 no column is shortened.
func (t *Table) widths(width int) []int {
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
	if width > 0 {
		t.narrow(widths, width)
	}
	return widths
}

// narrow takes columns from the widest column that may become narrower, one after
// another, until the table fits.
func (t *Table) narrow(widths []int, width int) {
	total := t.Indent + Gap*(len(widths)-1)
	for _, w := range widths {
		total += w
	}
	for ; total > width; total-- {
		widest := -1
		for i, c := range t.Columns {
			if widths[i] > max(c.Min, c.Overflow.min()) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// min returns the least width of a column.
func (o Overflow) min() int {
	switch o {
	case Cut, CutMethod:
		return minCut
	case Break:
		return minWrapped
	}
	return math.MaxInt
}

// appendRow appends the lines of a row: one, or more if a text is broken.
func (t *Table) appendRow(b []byte, s Screen, row []Cell, widths []int) []byte {
	used := t.Indent
	line := append([]byte(nil), strings.Repeat(" ", t.Indent)...)
	for i, cell := range row {
		if i > 0 {
			line = append(line, strings.Repeat(" ", Gap)...)
			used += Gap
		}
		if cell.Span {
			line = append(line, strings.Repeat(" ", cell.Indent)+s.Paint(cell.Color, s.Shorten(cell.Text, used+cell.Indent))...)
			break
		}
		if t.Columns[i].Overflow == Break {
			lines := wrap(cell.Text, widths[i], widths[i])
			for n := range lines {
				lines[n] = s.Paint(cell.Color, lines[n])
			}
			line = append(line, strings.Join(lines, "\n"+strings.Repeat(" ", used))...)
			break
		}
		line = append(line, t.cell(s, cell, i, widths[i])...)
		used += widths[i]
	}
	return append(append(b, bytes.TrimRight(line, " ")...), '\n')
}

// cell returns the text of a cell, as wide as its column.
func (t *Table) cell(s Screen, cell Cell, i, width int) string {
	indent := min(cell.Indent, max(width/2, width-Columns(cell.Text)))
	shorten := Shorten
	if t.Columns[i].Overflow == CutMethod {
		shorten = ShortenMethod
	}
	text := shorten(cell.Text, width-indent)
	blanks := strings.Repeat(" ", width-indent-Columns(text))
	text = s.Paint(cell.Color, text)
	if t.Columns[i].Right {
		return blanks + text
	}
	return strings.Repeat(" ", indent) + text + blanks
}
