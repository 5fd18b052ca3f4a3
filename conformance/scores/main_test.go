package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/runner"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

const root = "../.."

// TestScores: the quick readers have the results in SCORES.md.
func TestScores(t *testing.T) {
	tier.NeedsCheck(t) // each candidate reads hundreds of cases
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

// TestNotJudged: the section of a reader that a machine lacks is kept, and says so if the cases
// are others.
func TestNotJudged(t *testing.T) {
	const results = "\n604 cases: 498 passed.\n"
	for _, c := range []struct{ name, section, want string }{
		{"same cases", results + judged(), results + judged()},
		{"other cases", results + "\nJudged with others.\n", earlier + results + "\nJudged with others.\n"},
		{"other cases for the second time", earlier + results, earlier + results},
		{"the same cases again", earlier + results + judged(), results + judged()},
	} {
		for _, next := range []string{"", "\n## Another\n"} {
			got, err := notJudged("Reader", []byte("# Scores\n\n## Reader\n"+c.section+next))
			expect.NoError(t, err)
			expect.Equal(t, c.name, string(got), "\n## Reader\n"+c.want)
		}
	}
	if _, err := notJudged("Reader", []byte("# Scores\n")); err == nil {
		t.Error("a section that is missing is no error")
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

// TestCoverage: the valid cases have what the suite promises, and SCORES.md has the table.
func TestCoverage(t *testing.T) {
	c := measure(cases.All())
	for version, want := range map[string]int{"4": 256, "5": 256, "6": 128} {
		expect.Equal(t, "values of the flags byte of version "+version, len(c.flags[version]), want)
	}
	expect.NotZero(t, "rows with flag 2 without flag 4", c.alone)
	expect.AtLeast(t, "rows of a block", c.rows, 300)
	expect.AtLeast(t, "blocks between two points", c.blocks, 3)
	expect.AtLeast(t, "capture threads out of order", c.threads, 3)
	for kind, n := range map[wire.Kind]int{wire.KindStack: 1001, wire.KindThread: 1001, wire.KindLabelList: 1001} {
		expect.AtLeast(t, kind.String()+" rows between two points", c.tables[kind], n)
		expect.AtLeast(t, kind.String()+" blocks between two points", c.tableBlocks[kind], 2)
	}
	expect.AtLeast(t, "offset in a locator", c.locator, 32_768)
	expect.AtLeast(t, "large traces", len(c.large), 6)
	expect.AtMost(t, "bytes of all cases", cases.Size, 2<<20)
	kept, err := os.ReadFile(filepath.Join(root, scoresFile))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(kept, c.table()) {
		t.Error("SCORES.md differs: run \"make scores\"")
	}
}
