package report_test

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/view"
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
	none := programtest.Run(t, profiletrace.Trace(), "report", "--format", "html", "--page", "heap", "-")
	none.Exits(t, exit.Broken)
	none.Complains(t, "nettrace: standard input: no heap dump: nettrace collect --profile gcdump records one")
	expect.Equal(t, "output of --page heap without a dump", none.Out, "")
	expect.Lacks(t, "page of a trace without a dump", programtest.Run(t, profiletrace.Trace(), "report", "--format", "html", "-").Out, part)
}

// headOf returns the head of the document of a page.
func headOf(t *testing.T, page string) (head view.Head) {
	t.Helper()
	_, data, _ := strings.Cut(page, `<script type="application/octet-stream" id="data">`)
	data, _, _ = strings.Cut(data, "<")
	document, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(document, make([]byte, 4)); err != nil { // the length of the head
		t.Fatal(err)
	}
	expect.NoError(t, json.NewDecoder(document).Decode(&head))
	return head
}

// TestPageAddress: the head has the address of --page and of the flags of the filter.
func TestPageAddress(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no flag", nil, ""},
		{"page", []string{"--page", "gc"}, "#/gc"},
		{"filter", []string{"--from", "1ms", "--thread", "101,102", "--hide", `^System\.`}, "#/summary?from=1ms&hide=%5ESystem%5C.&thread=101&thread=102"},
		{"page and filter", []string{"--page", "flame", "--just-my-code"}, "#/flame?just-my-code=true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, profiletrace.Trace(), append([]string{"report", "--format", "html", "-"}, c.args...)...)
			r.Exits(t, exit.Done)
			expect.Equal(t, "address", headOf(t, r.Out).Address, c.want)
		})
	}
}

// TestPageJoins: the page says how the stacks of async code are joined, and by which flag.
func TestPageJoins(t *testing.T) {
	trace := shared.File(t, "async11/async11-runtime-cpu.v4.nettrace.zst")
	r := programtest.Run(t, trace, "report", "--format", "html", "-")
	r.Exits(t, exit.Done)
	head := headOf(t, r.Out)
	expect.Equal(t, "flag", head.Joins, "")
	expect.Contains(t, "stacks", head.Joined, "async (async-profiler): the stacks of 484 samples are joined")
	r = programtest.Run(t, trace, "report", "--format", "html", "--physical", "-")
	r.Exits(t, exit.Done)
	head = headOf(t, r.Out)
	expect.Equal(t, "flag", head.Joins, "physical")
	expect.Equal(t, "stacks as recorded", head.Joined, "")
	r = programtest.Run(t, shared.Trace(t, "net10-mix-cpu.v4"), "report", "--format", "html", "--async", "-")
	r.Exits(t, exit.Broken)
	expect.Contains(t, "message", r.Stderr, "does not have the events of tasks")
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
		{"process and file", []string{"--format", "html", "-p", "1", "a"}, "--format html takes one file or one process"},
		{"diff", []string{"--diff", "a", "-"}, "--diff needs --format html"},
		{"events", []string{"--events", "-"}, "--events needs --format html"},
		{"duration of a file", []string{"--format", "html", "--duration", "30s", "-"}, "--duration needs a process"},
		{"force", []string{"--force", "-"}, "--force needs --format html"},
		{"physical", []string{"--physical", "-"}, "--physical needs --format html"},
		{"page of events", []string{"--format", "html", "--page", "events", "-"}, "--page events needs --events"},
		{"type of events", []string{"--format", "html", "--type", "event", "-"}, "--type event needs --events"},
		{"provider of events", []string{"--format", "html", "--provider", "A", "-"}, "--provider needs --events"},
		{"name of events", []string{"--format", "html", "--event", "10", "-"}, "--event needs --events"},
		{"page", []string{"--page", "gc", "-"}, "--page needs --format html"},
		{"filter", []string{"--from", "1ms", "-"}, "--from needs --format html"},
		{"filter and json", []string{"--json", "--just-my-code", "-"}, "--just-my-code needs --format html"},
		{"unknown page", []string{"--format", "html", "--page", "none", "-"}, `--page: "none" is no page`},
		{"regular expression", []string{"--format", "html", "--hide", "(", "-"}, "--hide: error parsing regexp"},
		{"empty time", []string{"--format", "html", "--from=", "-"}, "--from: the value is empty"},
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

// TestPageNothing: a page that shows nothing of what its flags choose is written, and standard
// error has the reason.
func TestPageNothing(t *testing.T) {
	const gc, cpu = "net10-mix-gc.v4", "net10-mix-cpu.v4"
	for _, c := range []struct {
		name string
		args []string
		want string // the error, "" for none
	}{
		{"all", nil, ""},
		{"period", []string{"--from", "1h"}, "are filtered out (times from 3600.000 s"},
		{"thread", []string{"--thread", "99"}, "are filtered out (threads 99)"},
		{"process", []string{"--process", "5"}, "are filtered out (processes 5)"},
		{"focus", []string{"--focus", "Nope"}, "are filtered out (focus (?:Nope))"},
		{"ignore", []string{"--ignore", "."}, "are filtered out (ignore (?:.))"},
		{"class", []string{"--class", "Foo"}, "are filtered out (class (?:Foo))"},
		{"class that matches", []string{"--class", "Fin"}, ""},
		{"state", []string{"--state", "waiting"}, "nothing to show: the trace has no events of Microsoft-DotNETCore-SampleProfiler"},
		{"locks", []string{"--type", "lock"}, "nothing to show: the trace has no events ContentionStart"},
		{"wall", []string{"--type", "wall"}, "nothing to show: the trace has no events of Microsoft-DotNETCore-SampleProfiler"},
		{"page of a part", []string{"--page", "locks"}, "--page locks: no events: Microsoft-Windows-DotNETRuntime:0x4000:4"},
		{"counters", []string{"--page", "counters"}, "--page counters: no events: "},
		{"page with events", []string{"--page", "gc"}, ""},
		{"page of samples", []string{"--page", "flame"}, ""},
		{"event", []string{"--events", "--event", "Nope"}, "nothing to show: no event matches: of "},
		{"provider", []string{"--events", "--provider", "Nope"}, "nothing to show: no event matches: of "},
		{"events without stacks", []string{"--events", "--page", "events", "--event", "ProcessInfo"}, ""},
		{"events", []string{"--events", "--event", "GCAllocationTick"}, ""},
		{"older trace", []string{"--diff", testfile.Archive(t, cpu)}, " alloc-size: --type chooses"},
		{"type of the older trace", []string{"--type", "gc", "--diff", testfile.Archive(t, cpu)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"report", "--format", "html", testfile.Archive(t, gc)}, c.args...)...)
			expect.Contains(t, "the end of the page", r.Out[max(0, len(r.Out)-20):], "</html>")
			if c.want == "" {
				r.Exits(t, exit.Done)
				expect.Equal(t, "the errors", r.Stderr, "")
				return
			}
			r.Exits(t, exit.Broken)
			expect.Contains(t, "the error", r.Stderr, c.want)
		})
	}
}

// TestPagePeriod: a period that ends before it begins is a wrong command line.
func TestPagePeriod(t *testing.T) {
	r := programtest.Run(t, profiletrace.Trace(), "report", "--format", "html", "--from", "2s", "--to", "1s", "-")
	r.Exits(t, exit.Usage)
	r.Complains(t, "nettrace: standard input: --to is a time before --from")
	expect.Equal(t, "the page", r.Out, "")
}
