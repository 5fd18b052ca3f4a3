package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/analysis/requests"
)

// WithoutMessages returns reports without the messages of exceptions and the errors of
// counters, which can contain secrets.
func WithoutMessages(reports []analysis.Report) []analysis.Report {
	var messages, lines []string
	list := slices.Clone(reports)
	for i := range list {
		switch rows := list[i].Rows.(type) {
		case []exceptions.Row:
			rows = slices.Clone(rows)
			for k := range rows {
				messages = append(messages, rows[k].Message, rows[k].Example)
				rows[k].Message, rows[k].Example = "", ""
			}
			list[i].Rows = rows
		case []requests.Row:
			rows = slices.Clone(rows)
			for k := range rows {
				messages = append(messages, rows[k].Failure)
				rows[k].Failure = ""
			}
			list[i].Rows = rows
		}
		if totals, ok := list[i].Totals.(*counters.Totals); ok {
			blank, of := withoutErrors(*totals)
			lines = append(lines, of...)
			list[i].Totals = &blank
		}
	}
	for i := range list {
		list[i].Findings = slices.Clone(list[i].Findings)
		for k := range list[i].Findings {
			for _, message := range messages {
				list[i].Findings[k].Text = replaceQuoted(list[i].Findings[k].Text, message)
			}
			for _, line := range lines {
				if list[i].Findings[k].Rule == "counters-callback-error" {
					list[i].Findings[k].Text = strings.ReplaceAll(list[i].Findings[k].Text, line, "…")
				}
			}
		}
	}
	return list
}

// withoutErrors returns totals without the texts of errors, and the first lines of these,
// which a finding can contain.
func withoutErrors(t counters.Totals) (blank counters.Totals, lines []string) {
	t.Errors = slices.Clone(t.Errors)
	for i := range t.Errors {
		line, _, _ := strings.Cut(t.Errors[i].Text, "\n")
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
		t.Errors[i].Text = ""
	}
	return t, lines
}

// replaceQuoted replaces a quoted message in a sentence.
func replaceQuoted(text, message string) string {
	if message == "" {
		return text
	}
	return strings.ReplaceAll(text, strconv.Quote(message), `"…"`)
}
