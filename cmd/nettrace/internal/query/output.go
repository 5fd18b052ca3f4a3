package query

import (
	"bufio"
	"database/sql"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// sink prints rows in one format.
type sink interface {
	row(values []any) error
	end() error
}

// writer prints the rows of a query.
type writer struct {
	sink
	p        *run.Program
	limit    uint64 // max number of rows, 0 for all
	count    uint64
	stopped  bool // there are more rows
	values   []any
	pointers []any
}

// newWriter returns a writer for the columns of a result.
func newWriter(p *run.Program, o *options, rows *sql.Rows) (*writer, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	w := &writer{p: p, limit: o.rows(), values: make([]any, len(names))}
	for i := range w.values {
		w.pointers = append(w.pointers, &w.values[i])
	}
	w.sink, err = newSink(p, o, names)
	return w, err
}

// newSink returns a sink for columns.
func newSink(p *run.Program, o *options, names []string) (sink, error) {
	switch o.format.Name() {
	case formatCSV:
		c := &csvSink{w: csv.NewWriter(p.Stdout)}
		return c, c.w.Write(names)
	case choice.JSON:
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return nil, fmt.Errorf("JSON: two columns have the name %q: rename one with AS", name)
			}
		}
		return &jsonSink{w: bufio.NewWriter(p.Stdout), names: names}, nil
	}
	t := &tableSink{p: p, screen: o.display.Screen(p.Stdout)}
	for _, name := range names {
		t.table.Columns = append(t.table.Columns, terminal.Column{Title: printable(name), Overflow: terminal.CutMethod})
	}
	return t, nil
}

// more reports whether another row is printed.
func (w *writer) more() bool {
	w.stopped = w.limit > 0 && w.count == w.limit
	return !w.stopped
}

// scan reads the values of a row.
func (w *writer) scan(rows *sql.Rows) error { return rows.Scan(w.pointers...) }

// write prints the row.
func (w *writer) write() error {
	w.count++
	return w.row(w.values)
}

// end ends the output.
func (w *writer) end() error {
	if err := w.sink.end(); err != nil {
		return err
	}
	if w.stopped {
		w.p.Complain("%d rows printed, there are more (--limit 0 prints all)", w.count)
	}
	return nil
}

// text returns a value as a text, "" for NULL.
func text(value any) string {
	switch x := value.(type) {
	case nil:
		return ""
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		return x
	case []byte:
		return hex.EncodeToString(x)
	}
	return fmt.Sprint(value)
}

// printable replaces the control characters of a text by spaces.
func printable(s string) string {
	letters := []rune(s)
	for i, c := range letters {
		if c < ' ' || c >= 0x7f && c < 0xa0 {
			letters[i] = ' '
		}
	}
	return string(letters)
}

// tableRows is the number of rows that a table aligns, and has in memory, at once.
const tableRows = 10_000

// tableSink prints a table for users.
type tableSink struct {
	p      *run.Program
	screen terminal.Screen
	table  terminal.Table
}

func (t *tableSink) row(values []any) error {
	cells := make([]terminal.Cell, len(values))
	for i, v := range values {
		switch v.(type) {
		case int64, float64:
			t.table.Columns[i].Right = true
		}
		cells[i].Text = printable(text(v))
	}
	t.table.Add(cells...)
	if t.table.Len() < tableRows {
		return nil
	}
	err := t.end()
	t.table = terminal.Table{Columns: t.table.Columns, NoTitle: true}
	return err
}

// end prints the rows since the last call.
func (t *tableSink) end() error {
	_, err := t.p.Stdout.Write(t.table.Append(nil, t.screen))
	return err
}

// csvSink prints CSV. NULL is an empty field.
type csvSink struct {
	w    *csv.Writer
	line []string
}

func (c *csvSink) row(values []any) error {
	c.line = c.line[:0]
	for _, v := range values {
		c.line = append(c.line, text(v))
	}
	return c.w.Write(c.line)
}

func (c *csvSink) end() error {
	c.w.Flush()
	return c.w.Error()
}

// jsonSink prints an object for each row.
type jsonSink struct {
	w     *bufio.Writer
	names []string
}

func (j *jsonSink) row(values []any) error {
	var b jsontext.Builder
	b.Open('{')
	for i, v := range values {
		b.Key(j.names[i])
		switch x := v.(type) {
		case nil:
			b.Bytes = append(b.Bytes, "null"...)
		case int64:
			b.Bytes = strconv.AppendInt(b.Bytes, x, 10)
		case float64:
			if math.IsNaN(x) || math.IsInf(x, 0) {
				b.Bytes = append(b.Bytes, "null"...)
				break
			}
			b.Bytes = strconv.AppendFloat(b.Bytes, x, 'g', -1, 64)
		default:
			b.Text(text(v))
		}
	}
	b.Close('}')
	_, err := j.w.Write(append(b.Bytes, '\n'))
	return err
}

func (j *jsonSink) end() error { return j.w.Flush() }
