package view

import "encoding/binary"

// maxExact is the largest integer that a page holds exactly, as all smaller
// ones.
const maxExact = 1<<53 - 1

// exact reports whether a page can hold a number.
func exact(n int64) bool { return -maxExact <= n && n <= maxExact }

// column is a named list of integers.
type column struct {
	name string
	// usual is the value that the rows of a column that is left out have.
	usual int64
	rows  []byte
	other bool // a row has another value than usual
}

// add appends a value.
func (c *column) add(n int64) {
	c.rows = binary.AppendVarint(c.rows, n)
	c.other = c.other || n != c.usual
}

// differences is a column of differences to the row before.
type differences struct {
	column
	last int64
}

// add appends the difference of a value to the one before.
func (d *differences) add(n int64) {
	d.column.add(n - d.last)
	d.last = n
}

// restart makes the next value a difference to 0.
func (d *differences) restart() { d.last = 0 }
