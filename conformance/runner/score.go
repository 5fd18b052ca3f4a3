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

// Table writes the share of passed cases for each kind of block and each
// version, as a Markdown table. It leaves out Unsupported cases.
func (r *Report) Table(dst io.Writer) error {
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
	var text strings.Builder
	fmt.Fprintf(&text, "| block | %s |\n|---|%s\n", strings.Join(versions, " | "), strings.Repeat("--:|", len(versions)))
	for _, b := range blocks {
		fmt.Fprintf(&text, "| %s |", b)
		for _, v := range versions {
			fmt.Fprintf(&text, " %v |", scores[[2]string{b, v}])
		}
		text.WriteByte('\n')
	}
	_, err := io.WriteString(dst, text.String())
	return err
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
