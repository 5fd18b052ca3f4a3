package program_test

import (
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// The traces of the tests of filters.
const (
	gcTrace     = "net10-mix-gc.v4"    // has no samples of the sample profiler
	cpuTrace    = "net10-mix-cpu.v4"   // has only these
	locksTrace  = "net10-mix-locks.v4" // has no samples of the sample profiler
	killedTrace = "net10-killed.v4"    // has no names of methods
)

// TestFiltersChooseTypes: --state and --class never show samples of a type that they do not
// select, and the reason for no samples names the filter that left them out.
func TestFiltersChooseTypes(t *testing.T) {
	const states, classes = "; only samples of --type wall and cpu have a state\n", "; only samples of --type alloc are selected by class\n"
	for _, c := range []struct {
		name, trace string
		args        []string
		code        int
		want        string
	}{
		{"state, no sampler", gcTrace, []string{"top", "--state", "waiting"}, exit.Broken, "nothing to show: the trace has no events of Microsoft-DotNETCore-SampleProfiler" + states},
		{"state, only locks", locksTrace, []string{"top", "--state", "blocked"}, exit.Broken, "nothing to show: the trace has no events of Microsoft-DotNETCore-SampleProfiler" + states},
		{"state of a thread", cpuTrace, []string{"top", "--thread", "12419", "--state", "blocked"}, exit.Broken, "samples of type wall are filtered out (threads 12419, states blocked)" + states},
		{"state without names", killedTrace, []string{"top", "--state", "waiting"}, exit.Broken, "nothing to show: all 3389 samples of type wall are filtered out (states waiting)"},
		{"class, no match", gcTrace, []string{"top", "--class", "Foo"}, exit.Broken, "nothing to show: all 243 samples of type alloc-size are filtered out (class (?:Foo))" + classes},
		{"class, no allocations", cpuTrace, []string{"top", "--class", "Foo"}, exit.Broken, "nothing to show: the trace has no event AllocationTick"},
		{"class and type", cpuTrace, []string{"top", "--class", "Foo", "--type", "wall"}, exit.Usage, "--class: only samples of --type alloc are selected by class"},
		{"class and events", gcTrace, []string{"top", "--class", "Foo", "--event", "GCAllocationTick"}, exit.Usage, "--class: only samples of --type alloc are selected by class"},
		{"state and class", gcTrace, []string{"top", "--class", "Foo", "--state", "idle"}, exit.Usage, "--state and --class exclude each other"},
		{"state of events", gcTrace, []string{"top", "--event", "GCAllocationTick", "--state", "idle"}, exit.Broken, "samples of type event are filtered out (states idle)"},
		{"thread", gcTrace, []string{"top", "--thread", "1"}, exit.Broken, "nothing to show: all 243 samples of type alloc-size are filtered out (threads 1); all "},
		{"focus", gcTrace, []string{"top", "--focus", "Nope"}, exit.Broken, "all 243 samples of type alloc-size are filtered out (focus (?:Nope))"},
		{"period", gcTrace, []string{"top", "--from", "1h"}, exit.Broken, "all 243 samples of type alloc-size are filtered out (times from 3600.000 s"},
		{"period of the sampler", cpuTrace, []string{"top", "--from", "1h"}, exit.Broken, "s to 5.485 s)\n"},
		{"convert by state", gcTrace, []string{"convert", "-o", "-", "--format", "folded", "--state", "waiting"}, exit.Broken, "no events of Microsoft-DotNETCore-SampleProfiler" + states},
		{"convert by frames", gcTrace, []string{"convert", "-o", "-", "--format", "folded", "--focus", "Nope"}, exit.Broken, "all 243 samples of type alloc-size are filtered out (focus (?:Nope))"},
		{"convert with marks", gcTrace, []string{"convert", "-o", "-", "--format", "speedscope", "--class", "Foo"}, exit.Broken, "are filtered out (class (?:Foo))" + classes},
		{"convert with marks by frames", gcTrace, []string{"convert", "-o", "-", "--format", "chromium", "--focus", "Nope"}, exit.Broken, "are filtered out (focus (?:Nope))"},
		{"stacks by state", gcTrace, []string{"stacks", "--state", "waiting"}, exit.Broken, "samples of type event are filtered out (states waiting)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append(c.args, testfile.Archive(t, c.trace))...)
			r.Exits(t, c.code)
			expect.Contains(t, "the error", r.Stderr, c.want)
			expect.Lacks(t, "the error", r.Stderr, "no filter", "other types have no samples")
			expect.Equal(t, "the output", r.Out, "")
		})
	}
}

// TestFiltersOfSummaries: --state chooses the types of a summary, and a summary without samples
// has no list of types.
func TestFiltersOfSummaries(t *testing.T) {
	folder := t.TempDir()
	summary := func(name, trace string) string {
		path := filepath.Join(folder, name)
		programtest.Run(t, nil, "summarize", testfile.Archive(t, trace), "-o", path).Exits(t, exit.Done)
		return path
	}
	gc, none := summary("gc.nts", gcTrace), summary("none.nts", "net10-empty.v4")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"state", []string{gc, "--state", "waiting"}, "nothing to show: the summary has no samples of this type; it has alloc, exceptions, gc; only samples of --type wall and cpu have a state\n"},
		{"type", []string{gc, "--type", "lock"}, "nothing to show: the summary has no samples of this type; it has alloc, exceptions, gc\n"},
		{"no samples", []string{none}, "nothing to show: the summary has no samples\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"top"}, c.args...)...)
			r.Exits(t, exit.Broken)
			expect.Contains(t, "the error", r.Stderr, c.want)
		})
	}
}

// TestTopNamesMissing: each command that shows samples says that methods have no names, also where
// that leads to no samples or to no frames.
func TestTopNamesMissing(t *testing.T) {
	const missing = "100.0 % of the frames (in 100.0 % of the samples) have no name: the trace has no rundown, in which the runtime names its methods when a session ends"
	trace, folder := testfile.Archive(t, killedTrace), t.TempDir()
	summary := filepath.Join(folder, "k.nts")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"top", []string{"top", trace}, exit.Broken, missing},
		{"just my code", []string{"top", "--just-my-code", trace}, exit.Broken, missing},
		{"groups", []string{"top", "--group", "module", trace}, exit.Broken, missing},
		{"focus", []string{"top", "--focus", "Main", trace}, exit.Broken, "are filtered out (focus (?:Main)); " + missing},
		{"state", []string{"top", "--state", "waiting", trace}, exit.Broken, "are filtered out (states waiting); " + missing},
		{"convert", []string{"convert", "--just-my-code", "-o", "-", "--format", "folded", trace}, exit.Broken, missing},
		{"stacks", []string{"stacks", "--focus", "Main", trace}, exit.Broken, "are filtered out (focus (?:Main)); " + missing},
		{"query", []string{"query", trace, "top-self"}, exit.Broken, missing},
		{"report", []string{"report", "--format", "html", trace}, exit.Broken, missing},
		{"summarize", []string{"summarize", "-o", summary, trace}, exit.Broken, missing},
		{"summary", []string{"top", summary}, exit.Done, "100.0 % of the frames (in 100.0 % of the samples) have no name: a trace without a rundown has no names of methods"},
		{"period", []string{"top", "--from", "1h", trace}, exit.Broken, "are filtered out (times from 3600.000 s of a recording from 0.002 s to"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, c.args...)
			r.Exits(t, c.code)
			expect.Contains(t, "the warning", r.Stderr, c.want)
		})
	}
	r := programtest.Run(t, nil, "query", testfile.Archive(t, killedTrace), "SELECT count(*) FROM events")
	expect.Lacks(t, "errors of a query without names", r.Stderr, "have no name")
}
