package report_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPage writes the page to a file and to standard output.
func TestPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	programtest.Run(t, profiletrace.Trace(), "report", "-o", path, "-").Exits(t, exit.Done)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := programtest.Run(t, profiletrace.Trace(), "report", "--format", "html", "-")
	r.Exits(t, exit.Done)
	expect.Equal(t, "standard output", r.Out, string(file))
	expect.Contains(t, "page", r.Out[:100], "<!doctype html>")
}

// TestPageEvents: the page has the events only with --events.
func TestPageEvents(t *testing.T) {
	parts := []string{`<script type="application/octet-stream" id="events">`, `<script type="application/octet-stream" id="stacks">`}
	with := programtest.Run(t, profiletrace.Trace(), "report", "--format", "html", "--events", "-")
	with.Exits(t, exit.Done)
	expect.Contains(t, "page", with.Out, parts...)
	expect.Lacks(t, "page without --events", programtest.Run(t, profiletrace.Trace(), "report", "--format", "html", "-").Out, parts...)
}

// TestPageHeap: the page has what the command heap prints only if the trace has a dump.
func TestPageHeap(t *testing.T) {
	const part = `<script type="application/octet-stream" id="heap">`
	with := programtest.Run(t, testfile.Plain(t, "net10-mix-gcheap.v4"), "report", "--format", "html", "-")
	with.Exits(t, exit.Done)
	expect.Contains(t, "page", with.Out, part)
	expect.Lacks(t, "page of a trace without a dump", programtest.Run(t, profiletrace.Trace(), "report", "--format", "html", "-").Out, part)
}

// TestPageMistakes lists flags that do not go together.
func TestPageMistakes(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"output without html", []string{"-o", "report.txt", "-"}, "--output is for --format html"},
		{"json", []string{"--json", "-o", "report.html", "-"}, "excludes other formats than html"},
		{"two files", []string{"--format", "html", "a", "b"}, "--format html takes one file"},
		{"process", []string{"--format", "html", "-p", "1"}, "--format html takes one file"},
		{"diff", []string{"--diff", "a", "-"}, "--diff needs --format html"},
		{"events", []string{"--events", "-"}, "--events needs --format html"},
		{"command line", []string{"--command-line", "-"}, "--command-line needs --format html"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, profiletrace.Trace(), append([]string{"report"}, c.args...)...)
			r.Exits(t, exit.Usage)
			expect.Contains(t, "the error", r.Stderr, c.want)
		})
	}
}

// TestPageTruncated: the page of a truncated trace is complete, and the exit code and
// standard error report what is missing, as for other formats.
func TestPageTruncated(t *testing.T) {
	r := programtest.Run(t, testfile.Plain(t, "net10-killed-cut.v4"), "report", "--format", "html", "-")
	r.Exits(t, exit.Broken)
	r.Complains(t, "nettrace: standard input: truncated stream: NT-EOS-006 at offset 682020")
	expect.Contains(t, "the end of the page", r.Out[len(r.Out)-20:], "</html>")
}
