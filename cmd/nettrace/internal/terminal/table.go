package terminal

import (
	"bytes"
	"fmt"
	"strings"
)

// Overflow is what happens to the text of a column if a table does not fit the width.
type Overflow int

// Values of Overflow.
const (
	Keep      Overflow = iota // the column keeps its width
	Cut                       // texts are shortened in the middle
	CutMethod                 // texts are names of methods, shortened in the parameters first
	Break                     // texts are wrapped into lines; for the last column only
	Whole                     // texts that do not fit are on lines of their own before the row; for the first column only
)

// Column describes a column of a table.
type Column struct {
	Title    string
	Right    bool // the texts are aligned at the right, as numbers are
	Extra    bool // the column is left out where the table does not fit otherwise
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

// Add adds a row. It has a cell for each column; cells at the end may be missing.
func (t *Table) Add(row ...Cell) { t.rows = append(t.rows, row) }

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Append appends the lines of the table for a screen. If columns are left out, the last
// line has their number.
func (t *Table) Append(b []byte, s Screen) []byte {
	fitted, widths := t.fit(s.Width)
	if !t.NoTitle {
		titles := make([]Cell, len(fitted.Columns))
		for i, c := range fitted.Columns {
			titles[i] = Cell{Text: c.Title, Color: Bold}
		}
		b = fitted.appendRow(b, s, titles, widths)
	}
	for _, row := range fitted.rows {
		b = fitted.appendRow(b, s, row, widths)
	}
	switch left := len(t.Columns) - len(fitted.Columns); left {
	case 0:
		return b
	case 1:
		return fmt.Appendf(b, "%*s1 column more (--wide shows all)\n", t.Indent, "")
	default:
		return fmt.Appendf(b, "%*s%d columns more (--wide shows all)\n", t.Indent, "", left)
	}
}

// appendRow appends the lines of a row: one, or more if a text is wrapped.
func (t *Table) appendRow(b []byte, s Screen, row []Cell, widths []int) []byte {
	used := t.Indent
	line := append([]byte(nil), strings.Repeat(" ", t.Indent)...)
	for i, cell := range row {
		if i > 0 {
			line = append(line, strings.Repeat(" ", Gap)...)
			used += Gap
		}
		if i == 0 && t.Columns[i].Overflow == Whole {
			var own []string
			if own, cell = cell.ownLines(s, used, widths[i]); len(own) > 0 {
				b = append(append(b, strings.Join(own, "\n")...), '\n')
			}
			if len(own) > 0 && len(row) == 1 {
				return b
			}
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

// ownLines returns the lines of a text that does not fit after this number of columns, and the
// cell without it. They hide nothing of the text.
func (c Cell) ownLines(s Screen, used, width int) ([]string, Cell) {
	if c.Span {
		width = s.Width - used
	}
	room := s.Width - used - c.Indent
	if s.Width == 0 || room < minWrapped || c.Indent+Columns(c.Text) <= width {
		return nil, c
	}
	var lines []string
	for text := c.Text; text != ""; {
		part := prefix(text, room)
		lines = append(lines, strings.Repeat(" ", used+c.Indent)+s.Paint(c.Color, part))
		text = text[len(part):]
	}
	c.Text = ""
	return lines, c
}

// maxAligned is the width up to which the cells of a column are aligned. One name of 64 kB
// would otherwise make each row as long.
const maxAligned = 400

// cell returns the text of a cell, as wide as its column, but not filled up beyond maxAligned.
func (t *Table) cell(s Screen, cell Cell, i, width int) string {
	indent := min(cell.Indent, max(width/2, width-Columns(cell.Text)))
	shorten := Shorten
	if t.Columns[i].Overflow == CutMethod {
		shorten = ShortenMethod
	}
	text := shorten(cell.Text, width-indent)
	blanks := strings.Repeat(" ", max(0, min(width, maxAligned)-indent-Columns(text)))
	text = s.Paint(cell.Color, text)
	if t.Columns[i].Right {
		return blanks + text
	}
	return strings.Repeat(" ", indent) + text + blanks
}
