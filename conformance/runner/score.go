package runner

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/conformance/cases"
)

// score counts the cases of a row and a basis.
type score struct{ passed, checked, unsupported int }

func (s *score) add(o Outcome) {
	switch o {
	case Unsupported:
		s.unsupported++
		return
	case Passed, Unexpected:
		s.passed++
	}
	s.checked++
}

// String is "passed/judged", "" for none and a dash for what is not supported.
func (s *score) String() string {
	switch {
	case s == nil || s.checked+s.unsupported == 0:
		return ""
	case s.checked == 0:
		return "-"
	}
	return fmt.Sprintf("%d/%d", s.passed, s.checked)
}

// Table writes the scores as a Markdown table.
func (r *Report) Table(dst io.Writer) error {
	rows := r.Scores()
	var text strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&text, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&text, "|---|%s\n", strings.Repeat("--:|", len(row)-1))
		}
	}
	_, err := io.WriteString(dst, text.String())
	return err
}

// bases are the columns of the scores. Cases of the last one are not counted.
var bases = []cases.Basis{cases.Text, cases.Runtime, cases.Choice}

// Scores returns the share of passed cases of each basis, such as "7/8", for each kind of
// block and each version. The first row has the titles of the columns. Unsupported cases
// do not count: the score of nothing else is "-", that of no case is empty.
func (r *Report) Scores() [][]string {
	type cell struct {
		row   string
		basis cases.Basis
	}
	scores := map[cell]*score{}
	const all = "all"
	var blocks, versions []string
	for _, result := range r.Results {
		block, version := result.Case.Block(), "v"+result.Case.Version
		blocks, versions = append(blocks, block), append(versions, version)
		for _, row := range []string{block, version, all} {
			key := cell{row, result.Case.Basis}
			if scores[key] == nil {
				scores[key] = &score{}
			}
			scores[key].add(result.Outcome)
		}
	}
	rows := [][]string{{"cases", "text", "runtime", "choice (not counted)"}}
	for _, name := range append(append(sorted(blocks), sorted(versions)...), all) {
		row := []string{name}
		for _, basis := range bases {
			row = append(row, scores[cell{name, basis}].String())
		}
		rows = append(rows, row)
	}
	return rows
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// Summary returns a line with the number of counted cases of each outcome, and the
// failures of basis choice.
func (r *Report) Summary() string {
	count := map[Outcome]int{}
	total, choice := 0, 0
	for _, result := range r.Results {
		switch {
		case result.Case.Basis != cases.Choice:
			total++
			count[result.Outcome]++
		case result.Outcome == Failed || result.Outcome == KnownFailed:
			choice++
		}
	}
	text := fmt.Sprintf("%d cases: %d passed, %d failed", total, count[Passed], count[Failed])
	for _, o := range []Outcome{KnownFailed, Unexpected, Unsupported} {
		if n := count[o]; n > 0 {
			text += fmt.Sprintf(", %d %v", n, plural(o, n))
		}
	}
	if n := len(r.Results) - total; n > 0 {
		text += fmt.Sprintf("; not counted: %d of basis choice, %d failed", n, choice)
	}
	if r.Unsupported() {
		text += ": the program supports none of them"
	}
	return text
}

func plural(o Outcome, n int) string {
	switch {
	case n == 1 || o == Unsupported:
		return string(o)
	case o == Unexpected:
		return string(o) + "es"
	}
	return string(o) + "s"
}
