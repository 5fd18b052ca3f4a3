package runner

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// score counts the cases of one kind of block and one version.
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

// Scores returns the share of passed cases, such as "7/8", for each kind of block and each
// version. The first row has the titles of the columns, the first column the kinds of
// blocks. Unsupported cases do not count: the score of nothing else is "-", that of no case
// is empty.
func (r *Report) Scores() [][]string {
	scores := map[[2]string]*score{}
	count := func(block, version string, o Outcome) {
		key := [2]string{block, version}
		if scores[key] == nil {
			scores[key] = &score{}
		}
		scores[key].add(o)
	}
	const all = "all"
	var blocks, versions []string
	for _, result := range r.Results {
		block, version := result.Case.Block(), "v"+result.Case.Version
		blocks, versions = append(blocks, block), append(versions, version)
		for _, b := range []string{block, all} {
			for _, v := range []string{version, all} {
				count(b, v, result.Outcome)
			}
		}
	}
	blocks, versions = append(sorted(blocks), all), append(sorted(versions), all)
	rows := [][]string{append([]string{"block"}, versions...)}
	for _, b := range blocks {
		row := []string{b}
		for _, v := range versions {
			row = append(row, scores[[2]string{b, v}].String())
		}
		rows = append(rows, row)
	}
	return rows
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// Summary returns a line with the number of cases of each outcome.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%d cases: %d passed, %d failed", len(r.Results), r.Count(Passed), r.Count(Failed))
	for _, o := range []Outcome{KnownFailed, Unexpected, Unsupported} {
		if n := r.Count(o); n > 0 {
			text += fmt.Sprintf(", %d %v", n, plural(o, n))
		}
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
