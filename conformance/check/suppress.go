package check

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/nettrace-go/nettrace/codec/rule"
)

// Suppression marks the findings of a rule as accepted, with a reason.
type Suppression struct {
	// Rule is the rule of the findings.
	Rule  rule.ID
	Files string // pattern for the name of the file or its last part; "" for all
	// Reason is the reason, which is required.
	Reason string
}

// ParseSuppressions reads a suppression file. Each line is
//
//	RULE [PATTERN] # REASON
//
// where PATTERN selects files like in a shell. It ignores empty lines and lines
// that start with #. A suppression without a reason is an error.
func ParseSuppressions(r io.Reader) ([]Suppression, error) {
	var list []Suppression
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		s, err := parseSuppression(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, s)
	}
	return list, lines.Err()
}

func parseSuppression(line string) (s Suppression, err error) {
	head, reason, _ := strings.Cut(line, "#")
	words := strings.Fields(head)
	s.Reason = strings.TrimSpace(reason)
	switch {
	case len(words) == 0 || len(words) > 2:
		return s, fmt.Errorf("want RULE [PATTERN] # REASON, not %q", line)
	case s.Reason == "":
		return s, fmt.Errorf("%s: no reason after #", words[0])
	}
	var ok bool
	if s.Rule, ok = rule.Parse(words[0]); !ok {
		return s, fmt.Errorf("no rule %q", words[0])
	}
	if len(words) == 2 {
		s.Files = words[1]
		_, err = path.Match(s.Files, "")
	}
	return s, err
}

// matches reports whether the suppression is for a file.
func (s *Suppression) matches(name string) bool {
	if s.Files == "" {
		return true
	}
	whole, _ := path.Match(s.Files, name)
	last, _ := path.Match(s.Files, path.Base(strings.ReplaceAll(name, `\`, "/")))
	return whole || last
}

// Suppress marks the findings to which a suppression of the list applies, in
// the file with the given name.
func (r *Report) Suppress(list []Suppression, name string) {
	for i := range r.Findings {
		for j := range list {
			if list[j].Rule == r.Findings[i].Rule && list[j].matches(name) {
				r.Findings[i].Suppressed = list[j].Reason
			}
		}
	}
	r.count()
}

// count sums up the findings.
func (r *Report) count() {
	r.Errors, r.Warnings, r.Information, r.Suppressed = 0, 0, 0, 0
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case f.Suppressed != "":
			r.Suppressed++
		case f.Severity == rule.Error:
			r.Errors++
		case f.Severity == rule.Warning:
			r.Warnings++
		default:
			r.Information++
		}
	}
}
