package blocks

import "github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"

// columns are the formats of the lines. The last column of a line is shortened to the
// width of the terminal.
type columns struct {
	block     string // offset, kind, size, rows, first and last time
	row       string // offset, flags
	field     string // offset, row, name, bytes
	dump      string // offset
	fieldName int    // columns of the name of a field; 0: it is not shortened
	bytes     int    // bytes of a field that are printed
}

var (
	wideColumns = columns{
		block: "%12s  %-14s %11s %9s %18s %18s  ", row: "%14d  %-4s  ", field: "%14d  %-8s  %-34s %-35s ", dump: "%14d  ",
		bytes: 16,
	}
	narrowColumns = columns{
		block: "%10s %-13s %9s %6s %12s %12s  ", row: "%10d %-4s  ", field: "%10d %-8s %-26s %-19s ", dump: "%10d ",
		fieldName: 26, bytes: 8,
	}
)

// wideEnough is the width of a terminal on which wideColumns leave space for the last column.
const wideEnough = 110

// columnsOf returns the columns for a terminal, or for a file or a pipe.
func columnsOf(s terminal.Screen) *columns {
	if s.Width > 0 && s.Width < wideEnough {
		return &narrowColumns
	}
	return &wideColumns
}
