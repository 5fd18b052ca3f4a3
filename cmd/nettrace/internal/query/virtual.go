package query

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"modernc.org/sqlite/vtab"
)

// fileColumn is the hidden column of each table.
const fileColumn = "file_id"

// module makes the virtual tables of SQLite. Its argument is the name of a table.
type module struct{ source *source }

// Create implements vtab.Module.
func (m *module) Create(ctx vtab.Context, args []string) (made vtab.Table, err error) {
	defer chunks.Recover(&err) // a panic must not pass through SQLite, which releases nothing then
	t, err := m.source.find(args[2])
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("no table %s", args[2])
	}
	var b strings.Builder
	b.WriteString("CREATE TABLE x(")
	for _, c := range t.columns {
		fmt.Fprintf(&b, "%s %s, ", quoteName(c.Name), sqlTypes[c.Type])
	}
	b.WriteString(fileColumn + " INTEGER HIDDEN)")
	return t, ctx.Declare(b.String())
}

// Connect implements vtab.Module.
func (m *module) Connect(ctx vtab.Context, args []string) (vtab.Table, error) {
	return m.Create(ctx, args)
}

// sqlTypes are the types of columns in SQL.
var sqlTypes = map[columns.Type]string{
	columns.Int: "INTEGER", columns.Bool: "INTEGER", columns.Time: "INTEGER", columns.Float: "REAL", columns.Text: "TEXT",
}

// quoteName returns a name for SQL.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// reversed is the end of the plan of a scan from the last row to the first one.
const reversed = "-"

// BestIndex implements vtab.Table. It answers equality on a number that other tables refer
// to, or else bounds of a column in the order of rows. SQLite checks each condition again.
// The rows are in the order of their ids, or in the reverse order if the query asks for it.
func (t *table) BestIndex(info *vtab.IndexInfo) error {
	t.wanted = true
	for i := range t.used {
		t.used[i] = t.used[i] || info.ColUsed>>min(i, 63)&1 != 0
	}
	t.estimate(info, costAll, t.usualRows())
	if i := t.bestKey(info.Constraints); i >= 0 {
		c := &info.Constraints[i]
		t.used[c.Column] = true
		c.ArgIndex = 0
		info.IdxNum, info.IdxStr = int64(c.Column)+1, "="
		t.estimateKey(info, c.Column)
	} else {
		t.bounds(info)
	}
	if len(info.OrderBy) > 0 && t.isID(info.OrderBy[0].Column) { // what follows an id has no effect
		info.OrderByConsumed = true
		if info.OrderBy[0].Desc {
			info.IdxStr += reversed
		}
	}
	return nil
}

// isID reports whether a column has the ids of the table's rows.
func (t *table) isID(column int) bool {
	return column >= 0 && column < len(t.columns) && t.columns[column].Name == "id"
}

// bestKey returns the position of an equality with a number that rows are found by, -1 for
// none. The id of the table is the best one.
func (t *table) bestKey(list []vtab.Constraint) int {
	best := -1
	for i := range list {
		c := &list[i]
		if !c.Usable || c.Op != vtab.OpEQ || c.Column < 0 || c.Column >= len(t.columns) || !t.columns[c.Column].Key {
			continue
		}
		if best < 0 || t.isID(c.Column) {
			best = i
		}
	}
	return best
}

// bounds passes the bounds of the first sorted column to Filter.
func (t *table) bounds(info *vtab.IndexInfo) {
	signs := map[vtab.ConstraintOp]string{vtab.OpGT: ">", vtab.OpGE: ">", vtab.OpLT: "<", vtab.OpLE: "<"}
	column, n := -1, 0
	for i := range info.Constraints {
		c := &info.Constraints[i]
		if signs[c.Op] == "" || !c.Usable || c.Column < 0 || c.Column >= len(t.columns) || !t.columns[c.Column].Sorted {
			continue
		}
		if column < 0 {
			column = c.Column
		}
		if c.Column != column {
			continue
		}
		c.ArgIndex = n
		n++
		info.IdxStr += signs[c.Op]
	}
	if n > 0 {
		t.used[column] = true
		info.IdxNum = int64(column) + 1
		t.estimate(info, costAll, t.usualRows()/rangeShare)
	}
}

// Open implements vtab.Table.
func (t *table) Open() (vtab.Cursor, error) { return &cursor{table: t}, nil }

// Disconnect implements vtab.Table.
func (t *table) Disconnect() error { return nil }

// Destroy implements vtab.Table.
func (t *table) Destroy() error { return nil }

// cursor walks through the rows of all files.
type cursor struct {
	table *table
	begun int     // number of files whose rows were begun
	file  int     // position of the current one
	row   int     // first row of the rest of a range, or position in list
	end   int     // of the range or the list
	list  []int32 // rows, if key is set
	key   bool

	column   int     // of the condition, -1 for none
	signs    string  // of args
	args     []int64 // of the condition
	backward bool    // the last row comes first
}

// errClosed is the error of a table that is read before its columns were requested.
var errClosed = errors.New("the table was not prepared")

// Filter implements vtab.Cursor.
func (c *cursor) Filter(column int, signs string, args []vtab.Value) (err error) {
	defer chunks.Recover(&err)
	if err := c.table.source.load(); err != nil {
		return err
	}
	if c.table.parts[0].vectors == nil {
		return errClosed
	}
	c.column, c.args = column-1, c.args[:0]
	c.signs, c.backward = strings.CutSuffix(signs, reversed)
	for _, a := range args {
		n, ok := a.(int64)
		if !ok { // SQLite compares other values
			c.column, c.signs = -1, ""
			break
		}
		c.args = append(c.args, n)
	}
	c.begun = 0
	c.nextFile()
	return nil
}

// nextFile goes to the first row of the next file that has one.
func (c *cursor) nextFile() {
	files := len(c.table.parts)
	c.row, c.end = 0, 0
	for ; c.row >= c.end && c.begun < files; c.begun++ {
		c.file = c.begun
		if c.backward {
			c.file = files - 1 - c.begun
		}
		c.begin(c.table.parts[c.file])
	}
}

// begin finds the rows of a file.
func (c *cursor) begin(p *part) {
	c.row, c.end, c.key = 0, p.rows(), false
	if c.column < 0 || c.end == 0 || p.vectors[c.column] == nil {
		return
	}
	base := int64(0)
	if p.table.Columns[p.at[c.column]].Of != "" {
		base = int64(c.file) * numbersPerFile
	}
	v := p.vectors[c.column]
	if c.signs != "=" && !p.isSorted(c.column) {
		return // SQLite checks the bounds of each row
	}
	for i, n := range c.args {
		n = max(n, math.MinInt64+base) - base
		switch c.signs[i] {
		case '=':
			c.equal(p, n)
		case '>':
			c.row = max(c.row, sort.Search(p.rows(), func(row int) bool { return v.Int(row) >= n }))
		case '<':
			c.end = min(c.end, sort.Search(p.rows(), func(row int) bool { return v.Int(row) > n }))
		}
	}
}

// equal finds the rows with a number. The id of a row is its number in most tables.
func (c *cursor) equal(p *part, n int64) {
	c.row, c.end = 0, 0
	v, isID := p.vectors[c.column], c.table.isID(c.column)
	switch {
	case isID && n >= 1 && n <= int64(p.rows()) && v.Int(int(n-1)) == n:
		c.row, c.end = int(n-1), int(n)
	case isID && v.Ints == nil: // there are no other numbers
	default:
		c.list, c.key = p.find(c.column, n), true
		c.end = len(c.list)
	}
}

// at returns the current row.
func (c *cursor) at() int {
	i := c.row
	if c.backward {
		i = c.end - 1
	}
	if c.key {
		return int(c.list[i])
	}
	return i
}

// Next implements vtab.Cursor.
func (c *cursor) Next() error {
	if c.backward {
		c.end--
	} else {
		c.row++
	}
	if c.row >= c.end {
		c.nextFile()
	}
	return nil
}

// Eof implements vtab.Cursor.
func (c *cursor) Eof() bool { return c.row >= c.end }

// Column implements vtab.Cursor.
func (c *cursor) Column(column int) (v vtab.Value, err error) {
	defer chunks.Recover(&err)
	if column == len(c.table.columns) {
		return int64(c.file) + 1, nil
	}
	return c.table.value(c.file, c.at(), column), nil
}

// Rowid implements vtab.Cursor.
func (c *cursor) Rowid() (int64, error) {
	return int64(c.file)*numbersPerFile + int64(c.at()) + 1, nil
}

// Close implements vtab.Cursor.
func (c *cursor) Close() error { return nil }
