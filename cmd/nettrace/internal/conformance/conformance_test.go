package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/rows"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// underTest makes this test binary a program under test.
const underTest = "NETTRACE_TEST_PROGRAM"

func init() {
	switch os.Getenv(underTest) {
	case "":
		return
	case "reader":
		adapter.Main(adapter.Codec)
	case "credulous":
		adapter.Main(func(trace []byte, out io.Writer) adapter.Exit {
			var lines bytes.Buffer
			adapter.Codec(trace, &lines)
			for line := range bytes.Lines(lines.Bytes()) {
				if !bytes.HasPrefix(line, []byte(`{"type":"defect"`)) {
					_, _ = out.Write(line)
				}
			}
			return adapter.Read
		})
	case "none":
		adapter.Main(func([]byte, io.Writer) adapter.Exit { return adapter.Unsupported })
	case "late":
		adapter.Main(func(trace []byte, out io.Writer) adapter.Exit {
			var lines strings.Builder
			exit := adapter.Codec(trace, &lines)
			for n := range 30 {
				fmt.Fprintf(os.Stderr, "complaint %d\n", n)
			}
			_, _ = io.WriteString(out, strings.ReplaceAll(lines.String(), `"time":"17`, `"time":"18`))
			return exit
		})
	case "writer":
		text, _ := io.ReadAll(os.Stdin)
		lines, err := rows.Parse(text)
		if err != nil || rows.Write(os.Stdout, lines) != nil {
			os.Exit(1)
		}
	}
	os.Exit(0)
}

// judgeProgram runs nettrace conformance with this binary as the program.
func judgeProgram(t *testing.T, how string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv(underTest, how)
	command := []string{"--", os.Args[0]}
	if slices.Contains(args, adapter.StreamFlag) {
		command = append(command, adapter.StreamFlag)
	}
	r := conformance(t, append(args, command...)...)
	return r.Code, r.Out, r.Stderr
}

func TestConformanceRun(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(known, []byte("# it believes all\ninvalid/stack/stack-not-whole.v6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, how string
		args      []string
		code      int
		want      string // in either output
	}{
		{"all", "reader", []string{"run", "--stream"}, exit.Done, " 0 failed"},
		{"one-process-each", "reader", []string{"run", "--only", "stack-not-whole", "--parallel", "2"}, exit.Done, "2 passed"},
		{"table", "reader", []string{"run", "--stream", "--only", "valid/stack"}, exit.Done, "| stack | "},
		{"failures", "credulous", []string{"run", "--stream", "--only", "invalid/stack"}, exit.Broken, "fail invalid/stack/stack-past-block.v6: read to its end"},
		{"known", "credulous", []string{"run", "--stream", "--only", "invalid/stack/stack-not-whole.v6", "--known-failures", known}, exit.Done, "1 known failure"},
		{"unexpected-pass", "reader", []string{"run", "--stream", "--only", "stack-not-whole", "--known-failures", known}, exit.Broken, "unexpected pass invalid/stack/stack-not-whole.v6"},
		{"nothing-supported", "none", []string{"run", "--stream", "--only", "valid/stack"}, exit.Broken, "the program supports none of them"},
		{"key-and-values", "late", []string{"run", "--stream", "--only", "valid/stack/leaf-first.v6"}, exit.Broken, `, event: time is "18`},
		{"stderr", "late", []string{"run", "--only", "valid/stack/leaf-first.v6"}, exit.Broken, "  stderr: (10 lines before; --json prints all)\n  stderr: complaint 10\n"},
		{"no-such-case", "reader", []string{"run", "--only", "valid/nothing"}, exit.Usage, `no case matches "valid/nothing"`},
		{"no-such-file", "reader", []string{"run", "--known-failures", known + "x"}, exit.Usage, "known.txtx"},
		{"writer", "writer", []string{"write", "--only", "valid/stack,nothing-wrong"}, exit.Done, " 0 failed"},
		{"no-writer", "reader", []string{"write", "--only", "leaf-first"}, exit.Broken, "fail valid/stack/leaf-first.v6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, complaints := judgeProgram(t, c.how, c.args...)
			if code != c.code || !strings.Contains(out+complaints, c.want) {
				t.Errorf("exit %d, want %d with %q\n%s%s", code, c.code, c.want, out, complaints)
			}
		})
	}
}

func TestConformanceJSON(t *testing.T) {
	_, out, _ := judgeProgram(t, "credulous", "run", "--json", "--stream", "--only", "stack-not-whole")
	for line := range strings.Lines(out) {
		var result struct{ Case, Outcome, Why string }
		err := json.Unmarshal([]byte(line), &result)
		expect.NoError(t, err)
		expect.Equal(t, "Outcome", result.Outcome, "fail")
		expect.NotZero(t, "Why", result.Why)
	}
	if strings.Count(out, "\n") != 2 {
		t.Errorf("%s", out)
	}
}

// TestConformanceMismatch: with --json, a failure has its key, both values and all of
// stderr.
func TestConformanceMismatch(t *testing.T) {
	_, out, _ := judgeProgram(t, "late", "run", "--json", "--only", "valid/stack/leaf-first.v6")
	var result struct{ Key, Got, Want, Stderr string }
	expect.NoError(t, json.Unmarshal([]byte(out), &result))
	expect.Equal(t, "Key", result.Key, "time")
	expect.Equal(t, "Got", result.Got, "18"+strings.TrimPrefix(result.Want, "17"))
	expect.Equal(t, "lines of Stderr", strings.Count(result.Stderr, "\n"), 30)
}

// conformance runs the program without another one.
func conformance(t *testing.T, args ...string) programtest.Result {
	t.Helper()
	return programtest.Run(t, nil, append([]string{"conformance"}, args...)...)
}

func TestConformanceUsage(t *testing.T) {
	for _, args := range [][]string{{"run"}, {"write"}, {"copy"}, {"list", "nothing-like-it"}, {"run", "--", "/no/such/program"}} {
		t.Run(testfile.CaseName(args...), func(t *testing.T) {
			if r := conformance(t, args...); r.Code != exit.Usage || r.Stderr == "" {
				t.Errorf("exit %d, %q", r.Code, r.Stderr)
			}
		})
	}
}

func TestConformanceList(t *testing.T) {
	r := conformance(t, "list")
	out := r.Out
	r.Exits(t, exit.Done)
	expect.Equal(t, "lines of stdout", strings.Count(out, "\n"), len(cases.All()))
	expect.Contains(t, "stdout", out, "invalid/stack/stack-not-whole.v6\ttext\tNT-STK-003 @")
	expect.Contains(t, "stdout", out, "valid/stack/empty.v6\ttext\t-\tA stack has no addresses.\n")
}

// TestConformanceListOnly: list chooses cases by patterns and by --only, as run does.
func TestConformanceListOnly(t *testing.T) {
	want := conformance(t, "list", "invalid/stack*.v6")
	want.Exits(t, exit.Done)
	expect.Equal(t, "lines of stdout", strings.Count(want.Out, "\n"), len(cases.Match("invalid/stack*.v6")))
	got := conformance(t, "list", "--only", "invalid/stack*.v6")
	expect.Equal(t, "stdout", got.Out, want.Out)
}

// TestConformanceCopy: the script judges a reader by what copy wrote.
func TestConformanceCopy(t *testing.T) {
	tier.NeedsCheck(t) // it starts a program for each of many cases
	dir := filepath.Join(t.TempDir(), "cases")
	if r := conformance(t, "copy", dir); r.Code != exit.Done {
		t.Fatalf("exit %d: %s", r.Code, r.Stderr)
	}
	again := conformance(t, "copy", dir)
	again.Exits(t, exit.Usage)
	expect.Contains(t, "stderr", again.Stderr, "delete the folder "+dir+", or choose another one")
	script := conformance(t, "script").Out
	for _, grade := range []string{"valid", "invalid"} { // a few of each will do
		kinds, err := os.ReadDir(filepath.Join(dir, grade))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range kinds {
			if kind.Name() != "stack" {
				os.RemoveAll(filepath.Join(dir, grade, kind.Name()))
			}
		}
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell: the script is not run")
	}
	for how, want := range map[string]string{"reader": ", 0 failed", "credulous": "FAIL invalid/stack/stack-not-whole.v6: read, want reported"} {
		t.Run(how, func(t *testing.T) {
			cmd := exec.Command(shell, "-s", "--", os.Args[0])
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(script)
			cmd.Env = append(os.Environ(), underTest+"="+how)
			out, err := cmd.CombinedOutput()
			if (err == nil) != (how == "reader") || !strings.Contains(string(out), want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
