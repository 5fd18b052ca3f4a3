package program_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// pictured is a real trace with long names.
const pictured = "sarif-net8.v4"

// process returns the program as a process whose terminal has colours. Variables of env
// replace those of the test.
func process(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := programtest.Process(t, args...)
	cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "COLUMNS" || name == "NO_COLOR"
	})
	cmd.Env = append(append(cmd.Env, "TERM=xterm-256color"), env...)
	return cmd
}

// TestTerminalGolden compares what the commands print on terminals of several widths with
// golden files. No line is wider than the terminal.
func TestTerminalGolden(t *testing.T) {
	tier.NeedsCheck(t) // each case is a process
	file := testfile.Archive(t, pictured)
	all := []int{80, 120, 200}
	for _, c := range []struct {
		name    string
		columns []int
		args    []string
	}{
		{"top", all, []string{"top", "--limit", "15", file}},
		{"top-tree", all, []string{"top", "--tree", "--limit", "40", file}},
		{"top-diff", []int{80}, []string{"top", "--diff", file, "--limit", "5", testfile.Archive(t, "azmcp-net10-cpu.v4")}},
		{"info", all, []string{"info", file}},
		{"events", all, []string{"events", "--limit", "15", file}},
		{"events-fields", all, []string{"events", "--fields", "--event", "ResolutionAttempted", "--limit", "3", file}},
		{"stacks", all, []string{"stacks", "--limit", "10", file}},
		{"threadtime", all, []string{"threadtime", "--spans", "--limit", "5", testfile.Archive(t, "aspnet-net10.v4")}},
		{"blocks", []int{80, 120}, []string{"blocks", testfile.Archive(t, "net10-types.v4")}},
		{"counters", []int{80, 120}, []string{"counters", testfile.Archive(t, "net10-counters.v4")}},
		{"heap", []int{80, 120}, []string{"heap", "--limit", "12", testfile.Archive(t, "net10-mix-gcheap.v4")}},
		{"heap-paths", []int{80}, []string{"heap", "--paths", "System.String", "--limit", "6", testfile.Archive(t, "net10-mix-gcheap.v4")}},
		{"heap-dominators", []int{80}, []string{"heap", "--dominators", "--min", "1", testfile.Archive(t, "net10-mix-gcheap.v4")}},
	} {
		for _, columns := range c.columns {
			t.Run(fmt.Sprintf("%s/%d", c.name, columns), func(t *testing.T) {
				got := fits(t, columns, exit.Done, c.args...)
				testfile.Golden(t, filepath.Join("testdata", fmt.Sprintf("terminal.%s.%d.txt", c.name, columns)), got)
			})
		}
	}
}

// TestTerminalLines checks the lines of commands whose texts other tests compare.
func TestTerminalLines(t *testing.T) {
	tier.NeedsCheck(t) // each case is a process
	for _, c := range []struct {
		name    string
		columns int
		code    int
		args    []string
	}{
		{"check", 80, exit.Broken, []string{"check", "--rules", "lint", testfile.Archive(t, "net10-killed-cut.v4"), testfile.Archive(t, pictured)}},
		{"blocks-rows", 80, exit.Done, []string{"blocks", "--rows", testfile.Archive(t, "net10-types.v4")}},
		{"blocks-hex", 80, exit.Done, []string{"blocks", "--hex", testfile.Archive(t, "net10-empty.v4")}},
		{"blocks-fields", 80, exit.Done, []string{"blocks", "--fields", testfile.Archive(t, "net10-types.v4")}},
		{"check-list", 80, exit.Done, []string{"check", "--list"}},
		{"check-explain", 80, exit.Done, []string{"check", "--explain", "NT6-LBL-008"}},
		{"list-profiles", 80, exit.Done, []string{"list-profiles"}},
		{"conformance-list", 80, exit.Done, []string{"conformance", "list", "invalid"}},
		{"conformance-run", 45, exit.Broken, []string{"conformance", "run", "--only", "valid/stack", "--", "false"}},
		{"report", 80, exit.Done, []string{"report", testfile.Archive(t, "net10-mix-gc.v4")}},
		{"report-gc", 80, exit.Done, []string{"report", "gc", testfile.Archive(t, "net10-mix-gc.v4")}},
		{"report-gc-120", 120, exit.Done, []string{"report", "gc", testfile.Archive(t, "net10-mix-gc.v4")}},
		{"report-gc-200", 200, exit.Done, []string{"report", "gc", testfile.Archive(t, "net10-mix-gc.v4")}},
	} {
		t.Run(c.name, func(t *testing.T) { fits(t, c.columns, c.code, c.args...) })
	}
}

// TestTerminalDiff checks the table of diff. The lines of the first events that differ are
// complete on every terminal.
func TestTerminalDiff(t *testing.T) {
	cmd := process(t, nil, "diff", testfile.Archive(t, "net10-types.v4"), testfile.Archive(t, "net10-empty.v4"))
	got := proctest.RunInTerminal(t, cmd, 60)
	_, table, found := strings.Cut(got, "events of\n")
	expect.Equal(t, "a table", found, true)
	expect.Contains(t, "table", table, "…")
	for line := range strings.SplitSeq(table, "\n") {
		expect.AtMost(t, "columns of the line "+line, terminal.Columns(line), 60)
	}
}

// fits runs the program without colours on a terminal and returns what it printed. It
// reports lines that are wider than the terminal.
func fits(t *testing.T, columns, code int, args ...string) string {
	t.Helper()
	cmd := process(t, []string{"NO_COLOR=1"}, args...)
	got := proctest.RunInTerminal(t, cmd, columns)
	expect.Equal(t, "exit code", cmd.ProcessState.ExitCode(), code)
	expect.NotZero(t, "bytes of output", len(got))
	for line := range strings.SplitSeq(got, "\n") {
		if !strings.Contains(line, ": nettrace ") { // a command to copy
			expect.AtMost(t, "columns of the line "+line, terminal.Columns(line), columns)
		}
	}
	return got
}

// TestTerminalWidth compares the longest line of top on a terminal of 80 columns with the
// width that the flags and the environment ask for.
func TestTerminalWidth(t *testing.T) {
	tier.NeedsCheck(t) // each case is a process
	longest := func(text string) (n int) {
		for line := range strings.SplitSeq(text, "\n") {
			n = max(n, terminal.Columns(line))
		}
		return n
	}
	args := []string{"top", "--color", "never", testfile.Archive(t, pictured)}
	all, err := process(t, nil, args...).Output()
	expect.NoError(t, err)
	for _, c := range []struct {
		name string
		env  []string
		args []string
		want int
	}{
		{"terminal", nil, nil, 80},
		{"COLUMNS", []string{"COLUMNS=100"}, nil, 100},
		{"COLUMNS-malformed", []string{"COLUMNS=wide"}, nil, 80},
		{"COLUMNS-zero", []string{"COLUMNS=0"}, nil, 80},
		{"wide", nil, []string{"--wide"}, longest(string(all))},
		{"wide-COLUMNS", []string{"COLUMNS=100"}, []string{"--wide"}, longest(string(all))},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := proctest.RunInTerminal(t, process(t, c.env, append(slices.Clone(args), c.args...)...), 80)
			expect.Equal(t, "columns of the longest line", longest(got), c.want)
		})
	}
	t.Run("pipe-COLUMNS", func(t *testing.T) {
		got, err := process(t, []string{"COLUMNS=80"}, args...).Output()
		expect.NoError(t, err)
		expect.Bytes(t, "output", got, all)
	})
}

// TestColors looks for escape sequences in the output of info, in all situations that
// decide about them.
func TestColors(t *testing.T) {
	file := testfile.Archive(t, pictured)
	for _, c := range []struct {
		name   string
		env    []string
		args   []string
		pipe   bool
		colors bool
	}{
		{name: "terminal", colors: true},
		{name: "empty-NO_COLOR", env: []string{"NO_COLOR="}, colors: true},
		{name: "NO_COLOR", env: []string{"NO_COLOR=1"}},
		{name: "never", args: []string{"--color", "never"}},
		{name: "dumb", env: []string{"TERM=dumb"}},
		{name: "pipe", pipe: true},
		{name: "pipe-auto", args: []string{"--color", "auto"}, pipe: true},
		{name: "pipe-always", args: []string{"--color", "always"}, pipe: true, colors: true},
		{name: "always-NO_COLOR", env: []string{"NO_COLOR=1"}, args: []string{"--color=always"}, colors: true},
		{name: "always-dumb", env: []string{"TERM=dumb"}, args: []string{"--color=always"}, colors: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := process(t, c.env, append([]string{"info", file}, c.args...)...)
			checkColors(t, cmd, c.pipe, c.colors)
		})
	}
}

// TestColorsOfCommands looks for escape sequences in the output of the other commands that
// have colours.
func TestColorsOfCommands(t *testing.T) {
	tier.NeedsCheck(t) // each case is a process
	file := testfile.Archive(t, pictured)
	for _, args := range [][]string{
		{"top", "--limit", "2", file},
		{"events", "--limit", "2", file},
		{"counters", testfile.Archive(t, "net10-counters.v4")},
		{"check", file},
		{"report", testfile.Archive(t, "net10-mix-gc.v4")},
		{"list-profiles"},
	} {
		t.Run(args[0]+"/terminal", func(t *testing.T) { checkColors(t, process(t, nil, args...), false, true) })
		t.Run(args[0]+"/pipe", func(t *testing.T) { checkColors(t, process(t, nil, args...), true, false) })
		t.Run(args[0]+"/pipe-always", func(t *testing.T) {
			checkColors(t, process(t, nil, append(slices.Clone(args), "--color", "always")...), true, true)
		})
	}
}

// checkColors runs cmd with a pipe or a terminal as standard output and looks for escape
// sequences.
func checkColors(t *testing.T, cmd *exec.Cmd, pipe, colors bool) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	got := ""
	if pipe {
		out, err := cmd.Output()
		expect.NoError(t, err)
		got = string(out)
	} else {
		got = proctest.RunInTerminal(t, cmd, 80)
	}
	expect.NotZero(t, "bytes of output", len(got))
	expect.Equal(t, "escape sequence in the output", strings.Contains(got, "\x1b"), colors)
	expect.Equal(t, "escape sequence as text", strings.Contains(got, `\u{1b}`), false)
	expect.Equal(t, "escape sequence in standard error", strings.Contains(stderr.String(), "\x1b"), false)
}

// TestColorValue gives --color a value that it does not have.
func TestColorValue(t *testing.T) {
	r := programtest.Run(t, nil, "info", "--color", "red", "a.nettrace")
	r.Exits(t, exit.Usage)
	r.Complains(t, `"red" is not auto, always or never`)
}
