package check

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// mostPlaces bounds the places of one rule that are printed.
const mostPlaces = 5

// textPrinter prints findings as text, and a table if there are several files.
type textPrinter struct {
	p       *run.Program
	colours bool
	several bool
	table   [][]string
}

func newText(p *run.Program, _ *options, files int) printer {
	_, plain := os.LookupEnv("NO_COLOR")
	return &textPrinter{p: p, colours: terminal.IsTerminal(p.Stdout) && !plain, several: files > 1}
}

// paint colours text by a severity.
func (c *textPrinter) paint(s rule.Severity, text string) string {
	if !c.colours {
		return text
	}
	colour := map[rule.Severity]string{rule.Error: "31", rule.Warning: "33", rule.Information: "36", 0: "32"}[s]
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

func (c *textPrinter) file(r *checked) error {
	name := display.Printable(r.name)
	if r.report == nil {
		c.table = append(c.table, []string{name, "-", "-", "-", "not read"})
		return nil
	}
	var b bytes.Buffer
	rep := r.report
	fmt.Fprintf(&b, "%s: %s (%s, %s)\n", name, c.summary(r),
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
	c.table = append(c.table, []string{
		name, display.Grouped(int64(rep.Errors)), display.Grouped(int64(rep.Warnings)), display.Grouped(int64(rep.Information)), complete,
	})
	_, err := c.p.Stdout.Write(b.Bytes())
	return err
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
		fmt.Fprintf(b, "\n  %s %v: %s\n", c.paint(s, s.String()), f.Rule, f.Rule.Rule().Sentence)
		c.places(b, findings[i:], f)
		fmt.Fprintf(b, "    fix: %s\n", f.Hint)
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
		if shown++; shown > mostPlaces {
			more++
			continue
		}
		fmt.Fprintf(b, "    at %s", place(f))
		if f.Count > 1 {
			fmt.Fprintf(b, "; %s times in total", display.Grouped(f.Count))
		}
		b.WriteByte('\n')
		if text := difference(f); text != "" {
			fmt.Fprintf(b, "      %s\n", display.Printable(text))
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
			fmt.Fprintf(b, "\n  suppressed %v at offset %s: %s\n", f.Rule, display.Grouped(f.Offset), display.Printable(f.Suppressed))
		}
	}
}

// command prints the command that shows the fields at the first finding of the highest severity.
func (c *textPrinter) command(b *bytes.Buffer, r *checked) {
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		if r.name != "-" && f.Severity == r.report.Worst() && f.Suppressed == "" && f.Block.Ordinal >= 0 {
			fmt.Fprintf(b, "\n  to print the fields there: nettrace blocks --offset %d %s\n", f.Offset, display.Printable(r.name))
			return
		}
	}
}

// end prints the table.
func (c *textPrinter) end() error {
	if !c.several {
		return nil
	}
	rows := append([][]string{{"file", "errors", "warnings", "information", ""}}, c.table...)
	var widths [4]int
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], len([]rune(row[i])))
		}
	}
	b := []byte{'\n'}
	for _, row := range rows {
		b = append(b, row[0]...)
		b = display.AppendSpaces(b, widths[0]-len([]rune(row[0])))
		for i := 1; i < len(widths); i++ {
			b = display.AppendRight(append(b, "  "...), []byte(row[i]), widths[i])
		}
		b = append(bytes.TrimRight(append(append(b, "  "...), row[4]...), " "), '\n')
	}
	_, err := c.p.Stdout.Write(b)
	return err
}
