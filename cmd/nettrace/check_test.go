package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// faultFile is a file with the fault of a name.
func faultFile(t *testing.T, name string) string {
	t.Helper()
	for _, c := range gen.Faults() {
		if c.Name == name {
			return file(t, name+".nettrace", c.Inject(wire.V6, 1).Faulty)
		}
	}
	t.Fatalf("no fault %s", name)
	return ""
}

// TestCheckExit holds the exit codes of the contract, of one file and of several.
func TestCheckExit(t *testing.T) {
	good := archive(t, "net10-empty.v4")
	warning, broken, newer := faultFile(t, "weekday"), faultFile(t, "row-before-min"), faultFile(t, "major-high")
	missing := filepath.Join(t.TempDir(), "missing.nettrace")
	suppressions := file(t, "suppressions", []byte("# known\nNT-EVB-008 row-*.nettrace # the recorder is old\n"))
	for _, one := range []struct {
		want int
		args []string
	}{
		{exitDone, []string{good}},
		{exitDone, []string{warning}},
		{exitBroken, []string{"--fail-on", "warning", warning}},
		{exitDone, []string{"--profile", "reader", "--fail-on", "warning", warning}},
		{exitBroken, []string{broken}},
		{exitDone, []string{"--fail-on", "never", broken}},
		{exitDone, []string{"--ignore", "NT-EVB-008", broken}},
		{exitDone, []string{"--suppress", suppressions, broken}},
		{exitVersion, []string{newer}},
		{exitUsage, []string{missing}},
		{exitBroken, []string{newer, broken, good}},
		{exitVersion, []string{good, newer}},
		{exitUsage, []string{newer, missing, broken}},
		{exitUsage, nil},
		{exitUsage, []string{"--profile", "mild", good}},
		{exitUsage, []string{"--ignore", "NT-EVB-8", good}},
		{exitUsage, []string{"--fail-on", "doubt", good}},
		{exitUsage, []string{"--format", "prose", good}},
		{exitUsage, []string{"--suppress", missing, good}},
		{exitUsage, []string{"--suppress", broken, good}},
		{exitUsage, []string{"--explain", "NT-SEQ-009"}},
		{exitDone, []string{"--explain", "NT6-LBL-008"}},
		{exitDone, []string{"--list"}},
	} {
		t.Run(caseName(one.args...), func(t *testing.T) {
			if got := nettrace(t, nil, append([]string{"check"}, one.args...)...); got.code != one.want {
				t.Errorf("check %q: exit %d, want %d: %s%s", one.args, got.code, one.want, got.out, got.stderr)
			}
		})
	}
}

// TestCheckJSON holds the lines of the contract, from a file and from standard
// input.
func TestCheckJSON(t *testing.T) {
	name := faultFile(t, "row-before-min")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := nettrace(t, data, "check", "--json", "-")
	const want = `{"type":"finding","file":"-","rule":"NT-EVB-008","severity":"error",`
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], want) {
		t.Fatalf("%s", got.out)
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
	broken, warning, good := faultFile(t, "row-before-min"), faultFile(t, "weekday"), archive(t, "net10-empty.v4")
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
	got := nettrace(t, nil, "check", "--format", "sarif", broken, warning, good)
	if err := json.Unmarshal([]byte(got.out), &log); err != nil {
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

	got = nettrace(t, nil, "check", "--format", "junit", broken, warning, good)
	var suites JUnitSuites
	if err := xml.Unmarshal([]byte(got.out), &suites); err != nil {
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
	absent, good := filepath.Join(t.TempDir(), "absent.nettrace"), archive(t, "net10-empty.v4")
	output := func(t *testing.T, format string) string {
		r := nettrace(t, nil, "check", "--format", format, absent, good)
		if r.code != exitUsage {
			t.Errorf("exit %d, want %d", r.code, exitUsage)
		}
		return r.out
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
		expect.Equal(t, "run.Results[0].RuleID", run.Results[0].RuleID, Unreadable)
		expect.Equal(t, "run.Results[0].Level", run.Results[0].Level, "error")
	})
	t.Run("json", func(t *testing.T) {
		first, _, _ := strings.Cut(output(t, "json"), "\n")
		if want := `"complete":false,"error":"open `; !strings.Contains(first, want) {
			t.Errorf("first line %s, want %s in it", first, want)
		}
	})
	t.Run("junit", func(t *testing.T) {
		var suites JUnitSuites
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
	r := nettrace(t, nil, "check", "--format", "sarif", faultFile(t, "row-before-min"))
	if want := `"executionSuccessful": true`; !strings.Contains(r.out, want) {
		t.Errorf("no %s in %s", want, r.out)
	}
}

// TestCheckText holds the text for people: no colours where there is no
// terminal, and a table for several files.
func TestCheckText(t *testing.T) {
	broken, good := faultFile(t, "row-before-min"), archive(t, "net10-empty.v4")
	got := nettrace(t, nil, "check", broken, good)
	expect.Contains(t, "stdout", got.out, "row-before-min.nettrace: 1 error (", "  error NT-EVB-008: ", "    fix: ", "\nfile ", "no finding")
	if bytes.ContainsRune([]byte(got.out), '\x1b') {
		t.Error("colours without a terminal")
	}
}

// TestCheckRules holds that each rule is listed and explained.
func TestCheckRules(t *testing.T) {
	list := nettrace(t, nil, "check", "--list")
	lines := nettrace(t, nil, "check", "--list", "--json")
	if n := strings.Count(lines.out, "\n"); n != int(rule.Count)-1 || n != strings.Count(list.out, "\n") {
		t.Errorf("%d lines of %d rules", n, rule.Count-1)
	}
	for line := range strings.Lines(lines.out) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%s", line)
		}
	}
	for r := range rule.All() {
		if got := nettrace(t, nil, "check", "--explain", r.Name); !strings.Contains(got.out, r.Sentence) || !strings.Contains(got.out, r.Hint) {
			t.Errorf("%s: %s", r.Name, got.out)
		}
	}
}
