package report_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// sameWithWorkers compares the reports of a file with one goroutine and with several. It reports
// whether several read it.
func sameWithWorkers(t *testing.T, path string, args ...string) (divided bool) {
	t.Helper()
	return programtest.SameWithWorkers(t, 7, append(append([]string{"report"}, args...), path)...)
}

// TestWorkers: the reports do not depend on the number of goroutines.
func TestWorkers(t *testing.T) {
	divided := 0
	run := func(t *testing.T, name string, b []byte, text bool) {
		path := testfile.New(t, name, b)
		if text {
			sameWithWorkers(t, path)
		}
		if sameWithWorkers(t, path, "--json") {
			divided++
		}
	}
	streams := shared.Streams(t)
	if !tier.Check {
		streams = shared.First(streams, 20)
	}
	for _, name := range streams {
		t.Run(name, func(t *testing.T) { run(t, name, shared.Stream(t, name), false) })
	}
	traces := shared.Small(t)
	for _, entry := range shared.SmallCorpora(t) {
		if !entry.Recorded() {
			traces = append(traces, entry.Name)
		}
	}
	for _, name := range traces {
		t.Run(name, func(t *testing.T) { run(t, name, shared.Trace(t, name), true) })
	}
	expect.AtLeast(t, "files that several goroutines read", divided, 10)
}

// TestWorkersOfParts: the same for the commands of the parts.
func TestWorkersOfParts(t *testing.T) {
	for _, name := range []string{"gen-drops.v4", "net10-mix-gc.v4", "net10-mix-locks.v4"} {
		path := testfile.New(t, name, shared.Trace(t, name))
		for _, part := range parts.Names() {
			t.Run(name+"/"+part, func(t *testing.T) {
				expect.Equal(t, "several goroutines read", sameWithWorkers(t, path, part), true)
				sameWithWorkers(t, path, part, "--json")
			})
		}
	}
}

// TestWorkersRefused: flags and files that one goroutine reads.
func TestWorkersRefused(t *testing.T) {
	path := testfile.New(t, "plain", testfile.Plain(t, "gen-drops.v4"))
	summary := testfile.New(t, "old.nts", []byte("{}"))
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"process", []string{"-p", "1"}, "--workers and --process-id exclude each other"},
		{"process of a part", []string{"gc", "-p", "1"}, "--workers and --process-id exclude each other"},
		{"page", []string{path, "--format=html"}, "--workers excludes --format html"},
		{"file of a page", []string{path, "-o", "x.html"}, "--workers excludes --format html"},
		{"summary", []string{path, summary}, "one goroutine reads a summary"},
		{"two summaries", []string{"--diff", summary, summary}, "one goroutine reads a summary"},
		{"negative", []string{path, "--workers=-1"}, "--workers: a number below 0"},
		{"negative of a part", []string{"gc", path, "--workers=-1"}, "--workers: a number below 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"report", "--workers=2"}, c.args...)...)
			expect.Equal(t, "exit code", r.Code, exit.Usage)
			expect.Contains(t, "stderr", r.Stderr, c.want)
		})
	}
}

// TestOneWorker: the reason is printed if one goroutine reads the file although --workers asks for
// more.
func TestOneWorker(t *testing.T) {
	v3, drops := shared.Trace(t, "net10-netperf.v3"), testfile.Plain(t, "gen-drops.v4")
	for _, c := range []struct {
		name, path string
		stdin      []byte
		want       string
	}{
		{"version 3", testfile.New(t, "v3", v3), nil, "its format is version 3"},
		{"gzip", testfile.New(t, "gzip", testfile.Gzip(t, drops)), nil, "nettrace convert --preserve"},
		{"standard input", "-", drops, "it is not a regular file"},
		{"no sequence points", testfile.New(t, "short", shared.Stream(t, "probe-01a-v6-duplicate-sequence")), nil, "it has no sequence points between events"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, c.stdin, "report", "--workers=2", c.path)
			expect.Equal(t, "exit code", r.Code, exit.Done)
			expect.Contains(t, "stderr", r.Stderr, programtest.OneWorker, c.want)
			r = programtest.Run(t, c.stdin, "report", c.path)
			expect.Equal(t, "a note without --workers", strings.Contains(r.Stderr, programtest.OneWorker), false)
		})
	}
}
