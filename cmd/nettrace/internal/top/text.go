package top

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// textPrinter prints samples as text for users.
type textPrinter struct {
	terminal.Screen
	o *options
	b []byte
}

// head prints the measurement: its sum and its time, and the missing or
// estimated values. mark is before it.
func (t *textPrinter) head(mark string, d *topData) {
	if d.summary != nil {
		t.summaryHead(mark, d)
		return
	}
	line := fmt.Sprintf("%s%s: %s %s, %s of %s", mark, display.Printable(calltree.ProcessName(d.Profile, d.kind)), samples.Amount(d.sum, d.kind), d.kind,
		display.Counted(d.samples, "sample"), display.Counted(int64(d.threads), "thread"))
	if d.kind == profile.Wall || d.kind == profile.CPUApprox {
		line += fmt.Sprintf(", each every %s (median)", display.Milliseconds(float64(d.Interval)/1e9))
	}
	t.line(line)
	switch {
	case d.kind == profile.CPUApprox && d.HasThreadTimes():
		t.line("cpu~ is the processor time of each thread as the system measured it, divided among its samples")
	case d.kind == profile.CPUApprox:
		t.line("cpu~ is wall time in managed code, an approximation")
	}
	if text := d.WindowText(); text != "" {
		t.line(fmt.Sprintf("times %s of a recording %s", text, d.RecordingText()))
	}
	shown := []profile.Type{d.kind}
	texts := []string{d.NotSampledText(shown), d.UnfinishedText(shown), d.CutText(shown), samples.JoinsText(d.Profile, d.kind), samples.FaultText(d.Profile)}
	texts = slices.DeleteFunc(append(append(texts, d.StatesTexts(shown)...), d.PollsText(shown), samples.OneCodeText(d.Profile, shown)), func(s string) bool { return s == "" })
	if t.o.by == "line" {
		texts = append(texts, samples.LineTexts(d.Profile, d.kind)...)
	}
	if t.o.view.around() != nil && len(texts) > 0 {
		t.line("about all samples, also those without the method:")
	}
	for _, text := range texts {
		t.line(text)
	}
	if others := d.others(); others != "" && t.o.Kind == "" {
		t.line("other types: " + others)
	}
}

// line prints a line, wrapped if it does not fit.
func (t *textPrinter) line(text string) {
	t.b = append(append(t.b, t.Wrap(text, 2)...), '\n')
}

// others returns the types of samples that are not shown.
func (d *topData) others() string {
	var names []string
	for _, name := range profile.TypeNames() {
		if types := profile.TypesByName(name); !slices.Contains(types, d.kind) && slices.ContainsFunc(types, d.has) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// has reports whether there are samples of a type.
func (d *topData) has(t profile.Type) bool {
	if d.summary != nil {
		return d.hasSummary(t)
	}
	return slices.Contains(d.Kinds, t)
}

// signed returns a change with its sign.
func signed(v int64, t profile.Type) string {
	if v > 0 {
		return "+" + samples.Amount(v, t)
	}
	return samples.Amount(v, t)
}

// Columns of the tables.
var (
	amount = terminal.Column{Right: true, Min: 10}
	share  = terminal.Column{Right: true, Min: 7}
)

// titled returns a column with another title.
func titled(c terminal.Column, title string) terminal.Column {
	c.Title = title
	return c
}

// name returns the column of names.
func (o *options) name() terminal.Column {
	return terminal.Column{Title: o.by, Overflow: terminal.CutMethod}
}

// value returns the cell of a value or of its share. The cell of 0 is dim.
func value(v int64, text string) terminal.Cell {
	if v == 0 {
		return terminal.Cell{Text: text, Color: terminal.Dim}
	}
	return terminal.Cell{Text: text}
}

// one prints one file: a tree, or rows.
func (t *textPrinter) one(d *topData) {
	t.head("", d)
	t.table(t.o.tableOf(d))
}

// tableOf returns the table of a file, and the number of rows that are left out.
func (o *options) tableOf(d *topData) (table *terminal.Table, rest int) {
	if o.isTree() {
		return o.treeTable(d, func(calltree.Name) bool { return true })
	}
	shown := d.rows[:o.shown(len(d.rows))]
	return o.rowsTable(d, shown), len(d.rows) - len(shown)
}

// rowsTable returns a table of rows.
func (o *options) rowsTable(d *topData, shown []topRow) *terminal.Table {
	table := &terminal.Table{Columns: []terminal.Column{titled(amount, "self"), share, titled(amount, "total"), share}}
	modules := alike(shown)
	if modules {
		table.Columns = append(table.Columns, terminal.Column{Title: "module", Overflow: terminal.Cut})
	}
	table.Columns = append(table.Columns, o.name())
	for _, row := range shown {
		cells := []terminal.Cell{
			value(row.self, samples.Amount(row.self, d.kind)), value(row.self, display.Percent(row.self, d.sum)),
			value(row.total, samples.Amount(row.total, d.kind)), value(row.total, display.Percent(row.total, d.sum)),
		}
		if modules {
			cells = append(cells, terminal.Cell{Text: display.Printable(row.name.Module)})
		}
		table.Add(append(cells, terminal.Cell{Text: display.Printable(row.name.Text)})...)
	}
	return table
}

// alike reports whether two rows have the same name in different modules.
func alike(rows []topRow) bool {
	modules := map[string]string{}
	for _, row := range rows {
		if module, ok := modules[row.name.Text]; ok && module != row.name.Module {
			return true
		}
		modules[row.name.Text] = row.name.Module
	}
	return false
}

// table prints a table, and the number of rows that are left out.
func (t *textPrinter) table(table *terminal.Table, rest int) {
	t.b = table.Append(t.b, t.Screen)
	if rest > 0 {
		t.b = fmt.Appendf(t.b, "%s more (--limit 0 shows all)\n", display.Counted(int64(rest), "row"))
	}
}
