package heapdump

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// Tables is what is shown of a dump.
type Tables struct {
	of     *Dump
	tables []*table
}

// table is a table whose rows have a value for each column.
type table struct {
	key, title string // in JSON and CSV; in text
	columns    []column
	rows       [][]any
	rest       int // rows that are left out
}

// column is a column of a table. key is its name in JSON and CSV.
type column struct {
	key, title string
	unit       unit
}

// unit is how the values of a column are written: text is a string, steps a []string, depth
// a number of levels by which the next column is indented, and the others are numbers.
type unit int

const (
	text unit = iota
	steps
	depth
	count
	size
	share // in JSON and CSV a fraction of 1
	growth
	sizeGrowth
)

// percentage is a value of a column of shares.
type percentage struct{ part, whole uint64 }

// cut leaves out rows after the limit.
func (t *table) cut(limit uint64) {
	if limit > 0 && uint64(len(t.rows)) > limit {
		t.rest += len(t.rows) - int(limit)
		t.rows = t.rows[:limit]
	}
}

func (t *table) add(values ...any) { t.rows = append(t.rows, values) }

// Text returns the tables for users.
func (x *Tables) Text(s terminal.Screen) []byte {
	b := head(x.of, s)
	for i, t := range x.tables {
		if i > 0 {
			b = append(b, '\n')
		}
		if t.title != "" {
			b = append(append(b, t.title...), '\n')
		}
		b = t.text(b, s)
	}
	return b
}

// head returns the lines above the tables.
func head(d *Dump, s terminal.Screen) (b []byte) {
	x := &d.Dump
	line := func(format string, args ...any) {
		b = append(append(b, s.Wrap(fmt.Sprintf(format, args...), 2)...), '\n')
	}
	process := ""
	if x.Process != 0 {
		process = fmt.Sprintf(" of process %d", x.Process)
	}
	contents := fmt.Sprintf("%s of %s, %s, %s", display.Counted(x.Objects, "object"), display.Bytes(int64(d.Retained(d.Root()))),
		display.Counted(x.Edges, "reference"), display.Counted(int64(len(d.Roots)), "root"))
	if d.GCDump != nil {
		line("dump%s: %s", process, contents)
		if tool := d.GCDump.Tool; tool != nil && *tool == dotnetGCDump {
			line("roots are the groups of the .gcdump file: dotnet-gcdump makes the values of dependent handles (weak tables) roots")
		}
	} else {
		line("dump of collection %d%s: %s; made in %s", x.Collection, process, contents, display.Milliseconds(x.Duration.Seconds()))
	}
	if n := d.UnreachedObjects(); n > 0 {
		line("not reached by a root: %s of %s", display.Counted(n, "object"), display.Bytes(int64(d.Retained(d.Unreached()))))
	}
	if d.Unresolved > 0 {
		line("references and roots to addresses without an object: %s", display.Grouped(d.Unresolved))
	}
	return b
}

// text appends the table as text.
func (t *table) text(b []byte, s terminal.Screen) []byte {
	out := terminal.Table{}
	for i, c := range t.columns {
		switch {
		case c.unit == depth:
		case c.unit == text:
			out.Columns = append(out.Columns, terminal.Column{Title: c.title, Overflow: terminal.Cut})
		case c.unit == steps:
			out.Columns = append(out.Columns, terminal.Column{Title: c.title, Overflow: terminal.Break})
		default:
			out.Columns = append(out.Columns, terminal.Column{Title: t.columns[i].title, Right: true})
		}
	}
	for _, row := range t.rows {
		var cells []terminal.Cell
		indent := 0
		for i, c := range t.columns {
			if c.unit == depth {
				indent = 2 * row[i].(int)
				continue
			}
			cell := terminal.Cell{Text: c.unit.print(row[i]), Indent: indent}
			if cell.Text == "0" || strings.HasPrefix(cell.Text, "0 ") {
				cell.Color = terminal.Dim
			}
			cells, indent = append(cells, cell), 0
		}
		out.Add(cells...)
	}
	b = out.Append(b, s)
	if t.rest > 0 {
		b = fmt.Appendf(b, "%s more (--limit 0 shows all)\n", display.Counted(int64(t.rest), "row"))
	}
	return b
}

// print returns a value for users.
func (u unit) print(v any) string {
	switch v := v.(type) {
	case string:
		return display.Printable(v)
	case []string:
		return display.Printable(strings.Join(v, " > "))
	case percentage:
		return display.Percent(int64(v.part), int64(v.whole))
	case int64:
		switch {
		case u == size:
			return display.Bytes(v)
		case u == sizeGrowth && v < 0:
			return "-" + display.Bytes(-v)
		case u == sizeGrowth && v > 0:
			return "+" + display.Bytes(v)
		case u == growth && v > 0:
			return "+" + display.Grouped(v)
		}
		return display.Grouped(v)
	}
	return fmt.Sprint(v)
}

// JSON returns an object on one line: the dump, the rows of each table, and the number of
// rows that are left out.
func (x *Tables) JSON() []byte {
	var j jsontext.Builder
	j.Open('{')
	j.Key("file").Text(x.of.File)
	j.Key("dump")
	putDump(&j, x.of)
	j.Key("collections").Open('[')
	for _, n := range x.of.collections() {
		j.Number(int64(n))
	}
	j.Close(']')
	left := 0
	for _, t := range x.tables {
		j.Key(t.key)
		t.putJSON(&j)
		left += t.rest
	}
	if left > 0 {
		j.Key("rowsLeftOut").Number(int64(left))
	}
	j.Close('}')
	return append(j.Bytes, '\n')
}

// putDump appends the description of a dump.
func putDump(j *jsontext.Builder, d *Dump) {
	x := &d.Dump
	trace := d.GCDump == nil // otherwise the file does not say when, in which collection, and whether all is there
	j.Open('{')
	if trace || x.Process != 0 {
		j.Key("process").Number(int64(x.Process))
	}
	if trace {
		j.Key("collection").Number(int64(x.Collection))
	}
	if !x.Begin.IsZero() {
		j.Key("begin").Text(x.Begin.UTC().Format(time.RFC3339Nano))
	}
	if trace {
		j.Key("durationNs").Number(int64(x.Duration))
		j.Key("complete").Bool(x.Complete())
	}
	for _, n := range []struct {
		key   string
		known bool
		value int64
	}{
		{"objects", true, x.Objects}, {"bytes", true, int64(d.Retained(d.Root()))}, {"references", true, x.Edges}, {"roots", true, int64(len(d.Roots))},
		{"dependentHandles", trace, x.WeakEdges}, {"staticFields", trace, x.Statics},
		{"unreachedObjects", true, d.UnreachedObjects()}, {"unreachedBytes", true, int64(d.Retained(d.Unreached()))}, {"unresolved", true, d.Unresolved},
	} {
		if n.known {
			j.Key(n.key).Number(n.value)
		}
	}
	if f := d.GCDump; f != nil {
		j.Key("sampled").Bool(f.Sampled())
		j.Key("countMultiplier").Float(float64(f.CountMultiplier))
		j.Key("sizeMultiplier").Float(float64(f.SizeMultiplier))
	}
	j.Close('}')
}

// putJSON appends the rows.
func (t *table) putJSON(j *jsontext.Builder) {
	j.Open('[')
	for _, row := range t.rows {
		j.Open('{')
		for i, c := range t.columns {
			j.Key(c.key)
			putJSON(j, row[i])
		}
		j.Close('}')
	}
	j.Close(']')
}

// putJSON appends a value.
func putJSON(j *jsontext.Builder, v any) {
	switch v := v.(type) {
	case string:
		j.Text(v)
	case []string:
		j.Open('[')
		for _, s := range v {
			j.Text(s)
		}
		j.Close(']')
	case percentage:
		j.Float(v.fraction())
	case int64:
		j.Number(v)
	case int:
		j.Number(int64(v))
	}
}

func (p percentage) fraction() float64 {
	if p.whole == 0 {
		return 0
	}
	return float64(p.part) / float64(p.whole)
}

// CSV returns each table as comma-separated values with a line of titles.
func (x *Tables) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for n, t := range x.tables {
		if n > 0 {
			w.Flush()
			b.WriteByte('\n')
		}
		var line []string
		for _, c := range t.columns {
			line = append(line, c.key)
		}
		if err := w.Write(line); err != nil {
			return nil, err
		}
		for _, row := range t.rows {
			line = line[:0]
			for _, value := range row {
				line = append(line, plain(value))
			}
			if err := w.Write(line); err != nil {
				return nil, err
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// plain returns a value for programs.
func plain(v any) string {
	switch v := v.(type) {
	case []string:
		return strings.Join(v, " > ")
	case percentage:
		return strconv.FormatFloat(v.fraction(), 'g', 6, 64)
	}
	return fmt.Sprint(v)
}
