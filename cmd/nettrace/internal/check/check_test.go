package check_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/check"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCheckExit holds the exit codes of the contract, of one file and of several.
func TestCheckExit(t *testing.T) {
	good := testfile.Archive(t, "net10-empty.v4")
	warning, broken, newer := testfile.Fault(t, "weekday"), testfile.Fault(t, "row-before-min"), testfile.Fault(t, "major-high")
	missing := filepath.Join(t.TempDir(), "missing.nettrace")
	suppressions := testfile.New(t, "suppressions", []byte("# known\nNT-EVB-008 row-*.nettrace # the recorder is old\n"))
	for _, one := range []struct {
		want int
		args []string
	}{
		{exit.Done, []string{good}},
		{exit.Done, []string{warning}},
		{exit.Broken, []string{"--fail-on", "warning", warning}},
		{exit.Done, []string{"--rules", "reader", "--fail-on", "warning", warning}},
		{exit.Broken, []string{broken}},
		{exit.Done, []string{"--fail-on", "never", broken}},
		{exit.Done, []string{"--ignore", "NT-EVB-008", broken}},
		{exit.Done, []string{"--suppress", suppressions, broken}},
		{exit.Version, []string{newer}},
		{exit.Usage, []string{missing}},
		{exit.Broken, []string{newer, broken, good}},
		{exit.Version, []string{good, newer}},
		{exit.Usage, []string{newer, missing, broken}},
		{exit.Usage, nil},
		{exit.Usage, []string{"--rules", "mild", good}},
		{exit.Usage, []string{"--ignore", "NT-EVB-8", good}},
		{exit.Usage, []string{"--fail-on", "doubt", good}},
		{exit.Usage, []string{"--format", "prose", good}},
		{exit.Usage, []string{"--suppress", missing, good}},
		{exit.Usage, []string{"--suppress", broken, good}},
		{exit.Usage, []string{"--explain", "NT-SEQ-009"}},
		{exit.Done, []string{"--explain", "NT6-LBL-008"}},
		{exit.Done, []string{"--list"}},
	} {
		t.Run(testfile.CaseName(one.args...), func(t *testing.T) {
			if got := programtest.Run(t, nil, append([]string{"check"}, one.args...)...); got.Code != one.want {
				t.Errorf("check %q: exit %d, want %d: %s%s", one.args, got.Code, one.want, got.Out, got.Stderr)
			}
		})
	}
}

// TestCheckJSON holds the lines of the contract, from a file and from standard
// input.
func TestCheckJSON(t *testing.T) {
	name := testfile.Fault(t, "row-before-min")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := programtest.Run(t, data, "check", "--json", "-")
	const want = `{"type":"finding","file":"-","rule":"NT-EVB-008","severity":"error",`
	lines := strings.Split(strings.TrimSpace(got.Out), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], want) {
		t.Fatalf("%s", got.Out)
	}
	if lines[1] != `{"type":"file","file":"-","errors":1,"warnings":0,"information":0,"complete":true}` {
		t.Errorf("%s", lines[1])
	}
	var finding struct {
		Offset int64
		Block  struct {
			Ordinal int
			Kind    string
			Offset  int64
		}
		Row                    *int
		Expected, Actual, Hint string
		Count                  int64
	}
	if err := json.Unmarshal([]byte(lines[0]), &finding); err != nil {
		t.Fatal(err)
	}
	expect.NotZero(t, "finding.Offset", finding.Offset)
	expect.Equal(t, "finding.Block.Kind", finding.Block.Kind, "Event")
	expect.NotZero(t, "finding.Row", finding.Row)
	expect.NotZero(t, "finding.Expected", finding.Expected)
	expect.Equal(t, "finding.Count", finding.Count, 1)
	expect.NotZero(t, "finding.Hint", finding.Hint)
}

// TestCheckLogs holds what other programs read of SARIF and JUnit.
func TestCheckLogs(t *testing.T) {
	broken, warning, good := testfile.Fault(t, "row-before-min"), testfile.Fault(t, "weekday"), testfile.Archive(t, "net10-empty.v4")
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ ByteOffset int }
					}
				}
			}
		}
	}
	got := programtest.Run(t, nil, "check", "--format", "sarif", broken, warning, good)
	if err := json.Unmarshal([]byte(got.Out), &log); err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "log.Version", log.Version, "2.1.0")
	expect.Len(t, "log.Runs", log.Runs, 1)
	expect.Equal(t, "len(log.Runs[0].Results)", len(log.Runs[0].Results), 2)
	expect.Equal(t, "len(log.Runs[0].Tool.Driver.Rules)", len(log.Runs[0].Tool.Driver.Rules), 2)
	expect.Stop(t)
	for i, want := range []struct{ rule, level string }{{"NT-EVB-008", "error"}, {"NT-TRC-003", "warning"}} {
		t.Run(want.rule, func(t *testing.T) {
			r := log.Runs[0].Results[i]
			expect.Equal(t, "RuleID", r.RuleID, want.rule)
			expect.Equal(t, "Level", r.Level, want.level)
			expect.Len(t, "Locations", r.Locations, 1)
			expect.NotZero(t, "Locations[0].PhysicalLocation.Region.ByteOffset", r.Locations[0].PhysicalLocation.Region.ByteOffset)
			if !strings.HasPrefix(r.Locations[0].PhysicalLocation.ArtifactLocation.URI, "file:///") {
				t.Errorf("Locations[0].PhysicalLocation.ArtifactLocation.URI: got %q, want the prefix %q", r.Locations[0].PhysicalLocation.ArtifactLocation.URI, "file:///")
			}
		})
	}

	got = programtest.Run(t, nil, "check", "--format", "junit", broken, warning, good)
	var suites check.JUnitSuites
	if err := xml.Unmarshal([]byte(got.Out), &suites); err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "suites.Tests", suites.Tests, 3)
	expect.Equal(t, "suites.Failures", suites.Failures, 1)
	expect.Len(t, "suites.Suites", suites.Suites, 3)
	expect.Equal(t, "suites.Suites[2].Cases[0].Name", suites.Suites[2].Cases[0].Name, "conforms")
}

// TestCheckUnreadable: every format reports a file that cannot be read, beside
// one that can.
func TestCheckUnreadable(t *testing.T) {
	absent, good := filepath.Join(t.TempDir(), "absent.nettrace"), testfile.Archive(t, "net10-empty.v4")
	output := func(t *testing.T, format string) string {
		r := programtest.Run(t, nil, "check", "--format", format, absent, good)
		if r.Code != exit.Usage {
			t.Errorf("exit %d, want %d", r.Code, exit.Usage)
		}
		return r.Out
	}
	t.Run("sarif", func(t *testing.T) {
		var log struct {
			Runs []struct {
				Invocations []struct {
					ExecutionSuccessful        bool
					ToolExecutionNotifications []struct{ Message struct{ Text string } }
				}
				Results []struct{ RuleID, Level string }
			}
		}
		if err := json.Unmarshal([]byte(output(t, "sarif")), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if len(run.Invocations) != 1 || run.Invocations[0].ExecutionSuccessful {
			t.Fatalf("invocations %+v, want one that failed", run.Invocations)
		}
		if n := run.Invocations[0].ToolExecutionNotifications; len(n) != 1 || !strings.Contains(n[0].Message.Text, "absent.nettrace") {
			t.Errorf("notifications %+v, want one that names the file", n)
		}
		expect.Len(t, "run.Results", run.Results, 1)
		expect.Equal(t, "run.Results[0].RuleID", run.Results[0].RuleID, check.Unreadable)
		expect.Equal(t, "run.Results[0].Level", run.Results[0].Level, "error")
	})
	t.Run("json", func(t *testing.T) {
		first, _, _ := strings.Cut(output(t, "json"), "\n")
		if want := `"complete":false,"error":"open `; !strings.Contains(first, want) {
			t.Errorf("first line %s, want %s in it", first, want)
		}
	})
	t.Run("github", func(t *testing.T) {
		expect.Contains(t, "stdout", output(t, "github"), "::error file=", "absent.nettrace,title="+check.Unreadable+"::open ")
	})
	t.Run("junit", func(t *testing.T) {
		var suites check.JUnitSuites
		if err := xml.Unmarshal([]byte(output(t, "junit")), &suites); err != nil {
			t.Fatal(err)
		}
		if suites.Errors != 1 {
			t.Errorf("%d errors, want 1", suites.Errors)
		}
	})
}

// TestCheckSuccessful: the invocation of a check that read all files succeeded,
// also when there are findings.
func TestCheckSuccessful(t *testing.T) {
	r := programtest.Run(t, nil, "check", "--format", "sarif", testfile.Fault(t, "row-before-min"))
	if want := `"executionSuccessful": true`; !strings.Contains(r.Out, want) {
		t.Errorf("no %s in %s", want, r.Out)
	}
}

// TestCheckText compares the text for users: no colours where there is no
// terminal, and a table for several files.
func TestCheckText(t *testing.T) {
	broken, good := testfile.Fault(t, "row-before-min"), testfile.Archive(t, "net10-empty.v4")
	got := programtest.Run(t, nil, "check", broken, good)
	expect.Contains(t, "stdout", got.Out, "row-before-min.nettrace: 1 error (", "  error NT-EVB-008: ", "    fix: ", "\nfile ", "no finding")
	if bytes.ContainsRune([]byte(got.Out), '\x1b') {
		t.Error("colours without a terminal")
	}
}

// TestExplainBasis: --explain names the basis of each version where it differs.
func TestExplainBasis(t *testing.T) {
	for name, want := range map[string]string{
		"NT-PAY-002": "  Basis:     6: a sentence of the format specification\n             3,4,5: a reader in use fails or misreads\n",
		"NT-STK-011": "  Basis:     4,5: a sentence of the format specification\n             6: an observation\n",
		"NT-ORD-001": "  Basis:     6: a sentence of the format specification\n             4,5: a reader in use fails or misreads\n",
		"NT-EVB-001": "  Basis:     a sentence of the format specification\n",
	} {
		t.Run(name, func(t *testing.T) {
			expect.Contains(t, "output", programtest.Run(t, nil, "check", "--explain", name).Out, want)
		})
	}
}

// TestListJSON: a rule whose basis differs between versions has the key except.
func TestListJSON(t *testing.T) {
	out := programtest.Run(t, nil, "check", "--list", "--json").Out
	expect.Contains(t, "output", out, `"rule":"NT-STK-011","severity":"warning","also":"information","basis":"text","except":{"versions":"6","basis":"fact"}`)
	excepted := 0
	for r := range rule.All() {
		if r.Except != (rule.Exception{}) {
			excepted++
		}
	}
	expect.NotZero(t, "rules with except", excepted)
	expect.Equal(t, "rules with except", strings.Count(out, `"except":`), excepted)
}

// TestCheckRules holds that each rule is listed and explained.
func TestCheckRules(t *testing.T) {
	list := programtest.Run(t, nil, "check", "--list")
	lines := programtest.Run(t, nil, "check", "--list", "--json")
	if n := strings.Count(lines.Out, "\n"); n != int(rule.Count)-1 || n != strings.Count(list.Out, "\n") {
		t.Errorf("%d lines of %d rules", n, rule.Count-1)
	}
	for line := range strings.Lines(lines.Out) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%s", line)
		}
	}
	for r := range rule.All() {
		if got := programtest.Run(t, nil, "check", "--explain", r.Name); !strings.Contains(got.Out, r.Sentence) || !strings.Contains(got.Out, r.Hint) {
			t.Errorf("%s: %s", r.Name, got.Out)
		}
	}
}
