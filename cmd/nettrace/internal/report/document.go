package report

import (
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// document is a text for the terminal or in Markdown.
type document struct {
	screen   terminal.Screen
	markdown bool
	limit    int // of the rows of a table, 0 for none
	text     []byte
}

// table is a table of a part.
type table struct {
	title   string
	columns []terminal.Column
	rows    [][]string
}

// property is a name and its value.
type property struct{ name, value string }

// line adds a line. It is printable: text comes from the trace.
func (d *document) line(text string) {
	d.text = append(append(d.text, d.screen.Wrap(display.Printable(text), 2)...), '\n')
}

// note adds a line below a table. In Markdown an empty line ends the table.
func (d *document) note(text string) {
	if d.markdown {
		d.line("")
	}
	d.line(text)
}

// heading adds a heading.
func (d *document) heading(text string) {
	if d.markdown {
		d.line("## " + escape(text))
		d.line("")
		return
	}
	line := d.screen.Paint(terminal.Bold, display.Printable(text))
	d.text = append(append(d.text, d.screen.Wrap(line, 2)...), '\n')
}

// table adds a table, with the first rows.
func (d *document) table(t table) {
	if len(t.rows) == 0 {
		return
	}
	rest := 0
	if d.limit > 0 && len(t.rows) > d.limit {
		rest = len(t.rows) - d.limit
		t.rows = t.rows[:d.limit]
	}
	d.line("")
	if d.markdown {
		d.markdownTable(t)
	} else {
		d.textTable(t)
	}
	if rest > 0 {
		d.note(display.Counted(int64(rest), "row") + " more (--limit 0 shows all)")
	}
}

// textTable adds a table for the terminal.
func (d *document) textTable(t table) {
	if t.title != "" {
		d.line(t.title)
	}
	out := terminal.Table{Columns: t.columns, Indent: 2}
	for _, row := range t.rows {
		cells := make([]terminal.Cell, len(row))
		for i, text := range row {
			cells[i].Text = display.Printable(text)
		}
		out.Add(cells...)
	}
	d.text = out.Append(d.text, d.screen)
}

// markdownTable adds a table in Markdown.
func (d *document) markdownTable(t table) {
	if t.title != "" {
		d.line("### " + escape(t.title))
		d.line("")
	}
	titles, rules := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i], rules[i] = c.Title, "---"
		if c.Right {
			rules[i] = "---:"
		}
	}
	for _, row := range append([][]string{titles, rules}, t.rows...) {
		var b strings.Builder
		b.WriteString("|")
		for _, text := range row {
			b.WriteString(" " + escape(text) + " |")
		}
		d.text = append(append(d.text, display.Printable(b.String())...), '\n')
	}
}

// properties adds names and values.
func (d *document) properties(list []property) {
	if d.markdown {
		for _, p := range list {
			d.text = append(append(d.text, display.Printable("- "+escape(p.name)+": "+escape(p.value))...), '\n')
		}
		return
	}
	out := terminal.Table{Columns: []terminal.Column{{}, {Overflow: terminal.Break}}, NoTitle: true, Indent: 2}
	for _, p := range list {
		out.Add(terminal.Cells(display.Printable(p.name), display.Printable(p.value))...)
	}
	d.text = out.Append(d.text, d.screen)
}

// severities are the colours of findings.
var severities = map[analysis.Severity]terminal.Color{analysis.High: terminal.Red, analysis.Medium: terminal.Yellow}

// findings adds findings: a sentence and the advice, and with details the command that
// prints them.
func (d *document) findings(list []analysis.Finding, details bool) {
	if d.markdown {
		for _, f := range list {
			command := ""
			if details {
				command = " `" + f.Command + "`"
			}
			d.text = append(append(d.text, display.Printable("- **"+f.Severity.String()+"** "+escape(f.Text)+". "+escape(f.Advice)+command)...), '\n')
		}
		return
	}
	out := terminal.Table{Columns: []terminal.Column{{}, {Overflow: terminal.Break}}, NoTitle: true, Indent: 2}
	for _, f := range list {
		out.Add(terminal.Cell{Text: f.Severity.String(), Color: severities[f.Severity]}, terminal.Cell{Text: display.Printable(f.Text)})
		out.Add(terminal.Cells("", display.Printable(f.Advice))...)
		if details {
			out.Add(terminal.Cells("", display.Printable(f.Command))...)
		}
	}
	d.text = out.Append(d.text, d.screen)
}

// missing adds what the trace does not have, what records it, and what has no events.
func (d *document) missing(r *analysis.Report) {
	for _, n := range r.None {
		d.item(n.What + ": none in this time")
	}
	for _, n := range r.NotRecorded {
		d.item(n.String())
	}
	if text := viewOf(r.Part).unseen; text != "" && !r.Recorded() {
		d.item(text)
	}
}

// item adds an entry of a list.
func (d *document) item(text string) {
	if d.markdown {
		d.line("- " + escape(text))
		return
	}
	d.line("  " + text)
}

// markdownEscapes are the characters of Markdown that have a meaning in a table or a list.
var markdownEscapes = strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`)

// escape returns text for Markdown.
func escape(text string) string { return markdownEscapes.Replace(text) }
