package program_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// answer is what the program prints for the completion of a command line.
type answer struct {
	lines     []string // a value, and its description after a tab
	directive string   // the number that cobra's scripts read
}

// completed completes the last of the arguments.
func completed(t *testing.T, args ...string) answer {
	t.Helper()
	r := programtest.Run(t, nil, append([]string{"__complete"}, args...)...)
	r.Exits(t, exit.Done)
	lines := strings.Split(strings.TrimSuffix(r.Out, "\n"), "\n")
	last := len(lines) - 1
	return answer{lines[:last], strings.TrimPrefix(lines[last], ":")}
}

// line returns the line of a value, or nothing.
func (a answer) line(value string) string {
	i := slices.IndexFunc(a.lines, func(l string) bool { return l == value || strings.HasPrefix(l, value+"\t") })
	if i < 0 {
		return ""
	}
	return a.lines[i]
}

// Directives of cobra, as the program prints them.
var (
	shell      = directive(cobra.ShellCompDirectiveDefault)
	noFile     = directive(cobra.ShellCompDirectiveNoFileComp)
	noFileOpen = directive(cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace)
	byExt      = directive(cobra.ShellCompDirectiveFilterFileExt)
	folders    = directive(cobra.ShellCompDirectiveFilterDirs)
)

func directive(d cobra.ShellCompDirective) string { return strconv.Itoa(int(d)) }

// TestCompletions completes values that do not depend on files or processes.
func TestCompletions(t *testing.T) {
	for _, c := range []struct {
		args      string // the word to complete is the last one; _ is an empty word
		want      string // one of the lines
		directive string
	}{
		{"check --rules _", "one-collect", noFile},
		{"check --rules str", "strict", noFile},
		{"check --fail-on w", "warning", noFile},
		{"check --explain NT6-LBL-00", "NT6-LBL-008\tThe ", noFile},
		{"check --ignore nt4-eos", "NT4-EOS-004\tThe ", noFile},
		{"check --ignore NT4-EOS-004,NT4-EOS", "NT4-EOS-004,NT4-EOS-005\tNothing ", noFile},
		{"diff --ignore time,seq", "time,sequence", noFile},
		{"info --format _", "json", noFile},
		{"events --format _", "ndjson", noFile},
		{"counters --format p", "prometheus", noFile},
		{"convert --format spe", "speedscope", noFile},
		{"check -f s", "sarif", noFile},
		{"collect --format _", "NetTrace", noFile},
		{"collect --profile dotnet-common,gc-c", "dotnet-common,gc-collect\tGarbage collections alone, for long recordings; names of methods are left out", noFile},
		{"events --profile gc-v", "gc-verbose\tGarbage collections, handles, and samples of allocations", noFile},
		{"collect --providers A:1,Microsoft-Windows-DotNETRuntimeP", "A:1,Microsoft-Windows-DotNETRuntimePrivate", noFile},
		{"collect --provider Microsoft-DotNET", "Microsoft-DotNETCore-SampleProfiler", noFile},
		{"collect --clrevents gc+exc", "gc+exception\t0x8000", noFile},
		{"collect --config _", "toml", byExt},
		{"events --level v", "verbose\t5", noFile},
		{"events --limit _", "", noFile},
		{"events --event _", "", noFile}, // there is no FILE yet
		{"conformance list inv", "invalid/", noFileOpen},
		{"conformance run --only valid/netperf/,invalid/end", "valid/netperf/,invalid/endofstream/", noFileOpen},
		{"events _", "nettrace", byExt},
		{"events a.nettrace _", "", noFile},
		{"info a.nettrace _", "zst", byExt},
		{"diff a.nettrace _", "gz", byExt},
		{"diff a.nettrace b.nettrace _", "", noFile},
		{"top --diff _", "netperf", byExt},
		{"convert a.nettrace -o _", "", shell},
		{"check --suppress _", "", shell},
		{"man _", "", folders},
		{"conformance copy _", "", folders},
		{"collect -- dotnet _", "", shell},
		{"counters -- dotnet _", "", shell},
		{"ps _", "", noFile},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := strings.Fields(c.args)
			if last := len(args) - 1; args[last] == "_" {
				args[last] = ""
			}
			got := completed(t, args...)
			expect.Equal(t, "directive", got.directive, c.directive)
			if c.want == "" {
				expect.Len(t, "values", got.lines, 0)
				return
			}
			value, _, _ := strings.Cut(c.want, "\t")
			if line := got.line(value); !strings.HasPrefix(line, c.want) {
				t.Errorf("line of %s: got %q, want the start %q; all %q", value, line, c.want, got.lines)
			}
		})
	}
}

// TestCases completes a case name part by part.
func TestCases(t *testing.T) {
	grades := completed(t, "conformance", "run", "--only", "")
	var names []string
	for _, l := range grades.lines {
		name, _, _ := strings.Cut(l, "\t")
		names = append(names, name)
	}
	expect.Equal(t, "grades", strings.Join(names, " "), "either/ invalid/ valid/")
	list := completed(t, "conformance", "list", "valid/netperf/")
	expect.AtLeast(t, "cases of valid/netperf", len(list.lines), 2)
	expect.Equal(t, "directive", list.directive, noFile)
	expect.Contains(t, "line of a case", list.line("valid/netperf/time-back.v3"), "\tNT3-NP-007")
	all := programtest.Run(t, nil, "conformance", "list", "valid/netperf")
	expect.Equal(t, "number of cases", len(list.lines), strings.Count(all.Out, "\n"))
}

// TestProvidersOfFile completes the providers and the events of the trace on the command
// line.
func TestProvidersOfFile(t *testing.T) {
	cpu := testfile.Archive(t, "net10-mix-cpu.v4")
	for _, c := range []struct {
		name       string
		args       []string
		want, none string // the start of one line; a value that is missing
	}{
		{"provider", []string{"events", cpu, "--provider", ""}, "Microsoft-DotNETCore-SampleProfiler\t1 event type", "System.Threading.Tasks.TplEventSource"},
		{"provider in a list", []string{"top", cpu, "--provider", "A,Microsoft-DotNETC"}, "A,Microsoft-DotNETCore-SampleProfiler", "A,Microsoft-Windows-DotNETRuntime"},
		{"event by name", []string{"stacks", cpu, "--event", "Thr"}, "ThreadSample\tMicrosoft-DotNETCore-SampleProfiler(0)", "0"},
		{"event by id", []string{"slice", cpu, "--event", "7,0"}, "7,0\tMicrosoft-DotNETCore-SampleProfiler/ThreadSample", "7,ThreadSample"},
		{"event of a provider", []string{"convert", cpu, "--provider", "*SampleProfiler", "--event", ""}, "ThreadSample", "GCCreateSegment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := completed(t, c.args...)
			expect.Equal(t, "directive", got.directive, noFile)
			value, _, _ := strings.Cut(c.want, "\t")
			if line := got.line(value); !strings.HasPrefix(line, c.want) {
				t.Errorf("line of %s: got %q, want the start %q; all %q", value, line, c.want, got.lines)
			}
			expect.Equal(t, "line of "+c.none, got.line(c.none), "")
		})
	}
}

// TestNoFile completes with files that cannot be read: there are no values and no message.
func TestNoFile(t *testing.T) {
	for name, file := range map[string]string{
		"missing": "missing.nettrace", "folder": t.TempDir(), "standard input": "-",
		"other contents": testfile.New(t, "a.nettrace", []byte("no trace at all")),
	} {
		t.Run(name, func(t *testing.T) {
			got := completed(t, "events", file, "--provider", "")
			expect.Len(t, "values", got.lines, 0)
			expect.Equal(t, "directive", got.directive, noFile)
		})
	}
}
