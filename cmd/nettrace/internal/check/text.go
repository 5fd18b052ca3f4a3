package check

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// maxPlaces bounds the places of one rule that are printed.
const maxPlaces = 5

// textPrinter prints findings as text, and a table if there are several files.
type textPrinter struct {
	p       *run.Program
	screen  terminal.Screen
	several bool
	table   terminal.Table
}

func newText(p *run.Program, o *options, files int) printer {
	return &textPrinter{p: p, screen: o.display.Screen(p.Stdout), several: files > 1, table: terminal.Table{Columns: []terminal.Column{
		{Title: "file", Overflow: terminal.Cut}, {Title: "errors", Right: true}, {Title: "warnings", Right: true}, {Title: "information", Right: true}, {},
	}}}
}

// severityColors are the colours of severities, and of no finding.
var severityColors = map[rule.Severity]terminal.Color{
	rule.Error: terminal.Red, rule.Warning: terminal.Yellow, rule.Information: terminal.Cyan, 0: terminal.Green,
}

// paint colours text by a severity.
func (c *textPrinter) paint(s rule.Severity, text string) string {
	return c.screen.Paint(severityColors[s], text)
}

// line appends a line. If it is broken, the lines after the first one are indented.
func (c *textPrinter) line(b *bytes.Buffer, indent int, format string, args ...any) {
	b.WriteString(c.screen.Wrap(fmt.Sprintf(format, args...), indent))
	b.WriteByte('\n')
}

func (c *textPrinter) file(r *checked) error {
	name := display.Printable(r.name)
	if r.report == nil {
		c.table.Add(terminal.Cells(name, "-", "-", "-", "not read")...)
		return nil
	}
	var b bytes.Buffer
	rep := r.report
	c.line(&b, 2, "%s: %s (%s, %s)", name, c.summary(r),
		display.Counted(int64(rep.Blocks), "block"), display.Counted(rep.Events, "event"))
	for s := rule.Error; s >= rule.Information; s-- {
		c.group(&b, rep.Findings, s)
	}
	c.suppressed(&b, rep.Findings)
	c.command(&b, r)
	complete := "complete"
	switch {
	case r.err != nil:
		complete = "not read"
	case !rep.Complete:
		complete = "incomplete"
	}
	c.table.Add(terminal.Cell{Text: name}, number(rep.Errors, rule.Error), number(rep.Warnings, rule.Warning), number(rep.Information, rule.Information),
		terminal.Cell{Text: complete})
	_, err := c.p.Stdout.Write(b.Bytes())
	return err
}

// number returns the cell of a number of findings.
func number(n int, s rule.Severity) terminal.Cell {
	cell := terminal.Cell{Text: display.Grouped(int64(n))}
	if n > 0 {
		cell.Color = severityColors[s]
	}
	return cell
}

// summary counts the findings of a file. It does not report "no finding" for a file that
// could not be read to its end.
func (c *textPrinter) summary(r *checked) string {
	text := c.paint(r.report.Worst(), countsText(r.report))
	switch {
	case r.err == nil:
		return text
	case len(r.report.Findings) == 0:
		return c.paint(rule.Error, "not read to its end")
	}
	return text + ", not read to its end"
}

// countsText returns the numbers of findings as text.
func countsText(r *check.Report) string {
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{
		{r.Errors, display.Counted(int64(r.Errors), "error")}, {r.Warnings, display.Counted(int64(r.Warnings), "warning")},
		{r.Information, display.Grouped(int64(r.Information)) + " of information"}, {r.Suppressed, display.Grouped(int64(r.Suppressed)) + " suppressed"},
	} {
		if part.n > 0 {
			parts = append(parts, part.text)
		}
	}
	if len(parts) == 0 {
		return "no finding"
	}
	return strings.Join(parts, ", ")
}

// group prints the findings of a severity, grouped by rule.
func (c *textPrinter) group(b *bytes.Buffer, findings []check.Finding, s rule.Severity) {
	done := map[rule.ID]bool{}
	for i := range findings {
		f := &findings[i]
		if f.Severity != s || f.Suppressed != "" || done[f.Rule] {
			continue
		}
		done[f.Rule] = true
		b.WriteByte('\n')
		c.line(b, 4, "  %s %v: %s", c.paint(s, s.String()), f.Rule, f.Rule.Rule().Sentence)
		c.places(b, findings[i:], f)
		c.line(b, 9, "    fix: %s", f.Hint)
	}
}

// places prints the positions at which a rule is violated.
func (c *textPrinter) places(b *bytes.Buffer, findings []check.Finding, of *check.Finding) {
	shown, more := 0, int64(0)
	for i := range findings {
		f := &findings[i]
		if f.Rule != of.Rule || f.Severity != of.Severity || f.Suppressed != "" {
			continue
		}
		if shown++; shown > maxPlaces {
			more++
			continue
		}
		times := ""
		if f.Count > 1 {
			times = fmt.Sprintf("; %s times in total", display.Grouped(f.Count))
		}
		c.line(b, 7, "    at %s%s", place(f), times)
		if text := difference(f); text != "" {
			c.line(b, 8, "      %s", display.Printable(text))
		}
	}
	if more > 0 {
		fmt.Fprintf(b, "    and %s like it\n", display.Counted(more, "cause"))
	}
}

// suppressed lists the suppressed findings with their reasons.
func (c *textPrinter) suppressed(b *bytes.Buffer, findings []check.Finding) {
	for i := range findings {
		if f := &findings[i]; f.Suppressed != "" {
			b.WriteByte('\n')
			c.line(b, 4, "  suppressed %v at offset %s: %s", f.Rule, display.Grouped(f.Offset), display.Printable(f.Suppressed))
		}
	}
}

// command prints the command that shows the fields at the first finding of the highest severity.
func (c *textPrinter) command(b *bytes.Buffer, r *checked) {
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		if r.name != "-" && f.Severity == r.report.Worst() && f.Suppressed == "" && f.Block.Ordinal >= 0 && f.Block.Ordinal < r.report.Blocks {
			at := f.Offset
			if f.Rule == rule.EOS006 {
				at-- // the end of the stream has no field: the last byte has one
			}
			fmt.Fprintf(b, "\n  to print what is there: nettrace blocks --offset %d %s\n", at, display.Printable(r.name))
			return
		}
	}
}

// end prints the table.
func (c *textPrinter) end() error {
	if !c.several {
		return nil
	}
	b := c.table.Append([]byte{'\n'}, c.screen)
	_, err := c.p.Stdout.Write(b)
	return err
}
