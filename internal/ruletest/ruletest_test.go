package ruletest

import (
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestFaults: a rule needs a report with its finding and one without.
func TestFaults(t *testing.T) {
	report := func(rules ...string) analysis.Report {
		r := analysis.Report{Totals: 1}
		for _, name := range rules {
			r.Findings = append(r.Findings, analysis.Finding{Rule: name})
		}
		return r
	}
	var r Rules
	r.Saw([]analysis.Report{report("always", "sometimes", "sometimes"), report("always", "unknown"), {}})
	expect.Slices(t, "faults", r.faults([]string{"always", "sometimes", "never"}), []string{
		"always: no trace of the tests is without this finding",
		"never: no trace of the tests has this finding",
		"unknown: a finding of no rule of the package",
	})
	expect.Len(t, "faults without rules", new(Rules).faults(nil), 1)
}

// TestNamed reads the rules of a part.
func TestNamed(t *testing.T) {
	names, err := named("../../analysis/locks")
	expect.NoError(t, err)
	expect.Slices(t, "rules", names, []string{"lock-deadlock", "lock-contention", "lock-queue"})
}
