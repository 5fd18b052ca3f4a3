package main

import (
	"regexp"
	"slices"
	"strings"
)

// maxRows is the number of rows that fit into the budget. The time of the first
// maxTimed of them is measured.
const (
	maxRows  = 40
	maxTimed = 12
)

// parseRows reads a list of rows.
func parseRows(name, text string) ([]string, error) {
	var rows []string
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case len(words) > 1:
			return nil, malformed("%s:%d: more than the name of a row", name, i+1)
		case slices.Contains(rows, words[0]):
			return nil, malformed("%s:%d: %s is listed twice", name, i+1, words[0])
		default:
			rows = append(rows, words[0])
		}
	}
	if len(rows) == 0 {
		return nil, malformed("%s: no rows", name)
	}
	return rows, tooMany(rows)
}

func tooMany(rows []string) error {
	if len(rows) > maxRows {
		return malformed("%d rows, the maximum is %d: select rows with -rows", len(rows), maxRows)
	}
	return nil
}

// pattern is the value of -test.bench for rows.
func pattern(rows []string) string {
	var alternatives []string
	for _, row := range rows {
		elements := strings.Split("Benchmark"+row, "/")
		for i, e := range elements {
			elements[i] = "^" + regexp.QuoteMeta(e) + "$"
		}
		alternatives = append(alternatives, strings.Join(elements, "/"))
	}
	return strings.Join(alternatives, "|")
}

// acceptance lets rows fail, for a reason that somebody wrote down.
type acceptance struct{ rows, reason string }

// parseAcceptances finds the lines "Bench-Accept: ROW REASON" in messages.
func parseAcceptances(messages string) ([]acceptance, error) {
	var all []acceptance
	for line := range strings.Lines(messages) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "Bench-Accept:")
		if !ok {
			continue
		}
		rows, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if reason = strings.TrimSpace(reason); reason == "" {
			return nil, malformed("%q has no reason", strings.TrimSpace(line))
		}
		all = append(all, acceptance{strings.TrimPrefix(rows, "Benchmark"), reason})
	}
	return all, nil
}

// accepts reports whether the acceptance is for a row.
func (a acceptance) accepts(row string) bool {
	below, all := strings.CutSuffix(a.rows, "/...")
	return row == a.rows || all && (row == below || strings.HasPrefix(row, below+"/"))
}
