package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/runner"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

const root = "../.."

// TestScores: the quick readers have the results in SCORES.md.
func TestScores(t *testing.T) {
	kept, err := os.ReadFile(filepath.Join(root, scoresFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range candidates("") {
		if c.module == "" || len(c.args) > 0 { // TestConformance of package events tests the program
			continue
		}
		section, err := c.section(root, t.TempDir())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if !bytes.Contains(kept, section) {
			t.Errorf("%s: SCORES.md differs: run \"make scores\"", c.name)
		}
	}
}

// TestForeign: a few cases have the results that the .NET reader's list of known
// failures expects.
func TestForeign(t *testing.T) {
	te := shared.OtherReader(t)
	list := candidates(te)
	foreign := list[len(list)-1]
	report, err := foreign.run(root, "", cases.Match("gap", "text-utf8", "netperf", "lost-at-the-end", "stack-slack"))
	if err != nil {
		t.Fatal(err)
	}
	if err := unexpected(report); err != nil {
		t.Error(err)
	}
	expect.NotZero(t, "report.Count(runner.Passed)", report.Count(runner.Passed))
	expect.NotZero(t, "report.Count(runner.KnownFailed)", report.Count(runner.KnownFailed))
	expect.AtMost(t, "report.Count(runner.Unsupported)", report.Count(runner.Unsupported), 0)
}
