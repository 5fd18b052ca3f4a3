package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/analysis/requests"
)

// WithoutMessages returns reports without the messages of exceptions, which can
// contain secrets.
func WithoutMessages(reports []analysis.Report) []analysis.Report {
	var messages []string
	list := slices.Clone(reports)
	for i := range list {
		switch rows := list[i].Rows.(type) {
		case []exceptions.Row:
			rows = slices.Clone(rows)
			for k := range rows {
				messages = append(messages, rows[k].Message)
				rows[k].Message = ""
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
	}
	for i := range list {
		list[i].Findings = slices.Clone(list[i].Findings)
		for k := range list[i].Findings {
			for _, message := range messages {
				list[i].Findings[k].Text = replaceQuoted(list[i].Findings[k].Text, message)
			}
		}
	}
	return list
}

// replaceQuoted replaces a quoted message in a sentence.
func replaceQuoted(text, message string) string {
	if message == "" {
		return text
	}
	return strings.ReplaceAll(text, strconv.Quote(message), `"…"`)
}
