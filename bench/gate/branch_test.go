package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/tier"
)

// The benchmarks of a module that the gate has never seen.
const (
	beforeBenchmarks = `package p
import "testing"
var sink, kept = uint64(1), []byte(nil)
func spin(b *testing.B, n int) {
	for b.Loop() {
		for range n { sink = sink*6364136223846793005 + 1 }
	}
}
func BenchmarkSteady(b *testing.B) { spin(b, 1000) }
func BenchmarkRead(b *testing.B) {
	b.Run("size=small", func(b *testing.B) { spin(b, 1000) })
}
func BenchmarkKeep(b *testing.B) {
	for b.Loop() {
		kept = nil
		for range 1000 { sink = sink*6364136223846793005 + 1 }
	}
}
func BenchmarkGone(b *testing.B) { spin(b, 10) }
`
	oldBenchmarks = `package p
import "testing"
func BenchmarkRead(b *testing.B) { for range b.N {} }
`
	failingBenchmarks = `package p
import "testing"
func BenchmarkRead(b *testing.B) { b.Fatal("the trace is not there") }
`
)

// afterwards are the benchmarks of the next commit.
var afterwards = strings.NewReplacer(
	`size=small", func(b *testing.B) { spin(b, 1000)`, `size=small", func(b *testing.B) { spin(b, 1500)`,
	"kept = nil", "kept = make([]byte, 100)",
	"Gone", "Came",
)

// repository makes a git repository in a folder that becomes the current one. The gate
// builds and measures its commits.
func repository(t *testing.T) {
	t.Helper()
	tier.NeedsCheck(t)
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	t.Chdir(t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "a tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@example.org")
	}
	must(t, "git", "init", "-q", "-b", "main")
	write(t, "go.mod", "module example.org/p\n\ngo 1.24\n")
}

// commit commits a version of the benchmarks, which are in a subfolder.
func commit(t *testing.T, benchmarks, message string) {
	t.Helper()
	write(t, filepath.Join("p", "p_test.go"), benchmarks)
	must(t, "git", "add", "-A")
	must(t, "git", "commit", "-q", "-m", message)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// gate runs the program and returns its output and exit code.
func gate(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, &stdout, &stderr)
	t.Logf("gate %q: exit %d\n%s%s", args, code, stdout.Bytes(), stderr.Bytes())
	return stdout.String() + stderr.String(), code
}

// enough are flags with which a measurement ends after a number of pairs, not
// after a time.
var enough = []string{"-pkg", "./p", "-time", "100h", "-budget", "10000h", "-pairs", "40"}

// TestBranch evaluates two commits. Its differences are so large that no noise
// hides them.
func TestBranch(t *testing.T) {
	repository(t)
	commit(t, beforeBenchmarks, "Begin")
	commit(t, afterwards.Replace(beforeBenchmarks), "Go on\n\nBench-Accept: Gone nobody reads it any more")
	out, code := gate(t, append(enough, "-base", "HEAD~1", "-o", "gate.txt")...)
	if code != exitRegression {
		t.Errorf("exit %d, want %d", code, exitRegression)
	}
	for row, want := range map[string]outcome{"Read/size=small": slower, "Keep": grown, "Gone": accepted, "Came": added} {
		t.Run(row, func(t *testing.T) {
			if got := lineOf(out, row); !strings.Contains(got, outcomeNames[want]) {
				t.Errorf("%q, want %s", got, outcomeNames[want])
			}
		})
	}
	if got := lineOf(out, "Steady"); strings.Contains(got, "SLOWER") || strings.Contains(got, "GROWN") {
		t.Errorf("nothing was changed: %q", got)
	}
	if out, code := gate(t, "-evaluate", "gate.txt"); code != exitRegression || !strings.Contains(lineOf(out, "Gone"), outcomeNames[vanished]) {
		t.Errorf("evaluated again: exit %d, want %d, and Gone not accepted", code, exitRegression)
	}
	if left, _ := command(t.Context(), "", "git", "worktree", "list"); strings.Count(left, "\n") != 1 {
		t.Errorf("worktrees are left:\n%s", left)
	}
}

// lineOf is the line of a report that begins with a row.
func lineOf(out, row string) string {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, row+" ") {
			return line
		}
	}
	return ""
}

// TestBranchBroken: each fault of the input ends with the code for it.
func TestBranchBroken(t *testing.T) {
	repository(t)
	commit(t, beforeBenchmarks, "Begin")
	commit(t, failingBenchmarks, "Break")
	write(t, "rows.txt", "Read/size=small\nElsewhere\n")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no such base", []string{"-base", "nowhere"}, "nowhere"},
		{"no such package", []string{"-base", "HEAD", "-pkg", "./q"}, "q"},
		{"no such file of rows", []string{"-base", "HEAD", "-rows", "none.txt"}, "none.txt"},
		{"a benchmark that fails", []string{"-base", "HEAD~1", "-pkg", "./p", "-rows", "rows.txt"}, "the trace is not there"},
		{"no flags", nil, "-base"},
		{"too few pairs", []string{"-base", "HEAD", "-pairs", "7"}, "30 pairs"},
		{"an argument", []string{"-base", "HEAD", "all"}, "all"},
		{"an unknown flag", []string{"-fast"}, "fast"},
		{"no such record", []string{"-evaluate", "none.txt"}, "none.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if out, code := gate(t, c.args...); code != exitMalformed || !strings.Contains(out, c.want) {
				t.Errorf("exit %d, want %d and %q", code, exitMalformed, c.want)
			}
		})
	}
}

// TestBranchWithoutLoop: the gate can only measure benchmarks that call b.Loop.
func TestBranchWithoutLoop(t *testing.T) {
	repository(t)
	commit(t, oldBenchmarks, "Begin")
	out, code := gate(t, append(enough, "-base", "HEAD")...)
	if code != exitMalformed {
		t.Errorf("exit %d, want %d", code, exitMalformed)
	}
	if !strings.Contains(out, "b.Loop") {
		t.Error("the error does not name b.Loop")
	}
}

// TestBranchBudget: without time for a row, nothing fails and nothing passes.
func TestBranchBudget(t *testing.T) {
	repository(t)
	commit(t, beforeBenchmarks, "Begin")
	out, code := gate(t, "-base", "HEAD", "-pkg", "./p", "-budget", "1ns")
	if code != exitUnmeasured {
		t.Errorf("exit %d, want %d", code, exitUnmeasured)
	}
	if got := lineOf(out, "Steady"); !strings.Contains(got, noTime) {
		t.Errorf("%q, want %q in it", got, noTime)
	}
}

// TestBranchStale: a row that neither side has is a fault of the list.
func TestBranchStale(t *testing.T) {
	repository(t)
	commit(t, beforeBenchmarks, "Begin")
	write(t, "rows.txt", "Read/size=small\nElsewhere\n")
	if out, code := gate(t, "-base", "HEAD", "-pkg", "./p", "-rows", "rows.txt"); code != exitMalformed || !strings.Contains(out, "Elsewhere") {
		t.Errorf("exit %d, want %d and the row's name", code, exitMalformed)
	}
}

// TestBranchGone: a row that only base's list names, and neither side has, is no fault: base has
// removed the benchmark, and head its row.
func TestBranchGone(t *testing.T) {
	repository(t)
	write(t, "rows.txt", "Read/size=small\nElsewhere\n")
	commit(t, beforeBenchmarks, "Begin")
	write(t, "rows.txt", "Read/size=small\n")
	commit(t, beforeBenchmarks+"\n", "Remove a row")
	if out, code := gate(t, "-base", "HEAD~1", "-pkg", "./p", "-rows", "rows.txt", "-budget", "1ns"); code != exitUnmeasured || strings.Contains(out, "Elsewhere") {
		t.Errorf("exit %d, want %d and nothing of the row", code, exitUnmeasured)
	}
}
