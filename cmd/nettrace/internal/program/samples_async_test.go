package program_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// asyncCommands read a trace with --async.
var asyncCommands = []struct {
	name string
	args []string
}{
	{"top", []string{"top", "-", "--async", "--type", "wall", "--focus", "WorkC1"}},
	{"top --tree", []string{"top", "-", "--async", "--type", "wall", "--tree", "--focus", "WorkC1"}},
	{"top --json", []string{"top", "-", "--async", "--type", "wall", "--json", "--focus", "WorkC1"}},
	{"stacks", []string{"stacks", "-", "--async", "--provider", "Microsoft-DotNETCore-SampleProfiler", "--focus", "WorkC1"}},
	{"convert", []string{"convert", "-", "-o", "-", "--format", "folded", "--async", "--focus", "WorkC1"}},
}

// TestAsync: each command joins the stacks of WorkC1, which runs after an await,
// with those up to Main, and prints the number of joined samples.
func TestAsync(t *testing.T) {
	data := shared.TruthFile(t, "async-chain.v4.nettrace.zst")
	const root = "Program.Main(string[])"
	for _, c := range asyncCommands {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, data, c.args...)
			expect.Equal(t, "exit code", r.Code, exit.Done)
			want := "async (tpl): the stacks of 153 samples are joined, 0 ambiguous, 0 unjoined, 0 physical"
			if c.name == "top --json" {
				want = `"async":{"source":"tpl","joined":153,"ambiguous":0,"unjoined":0,"physical":0}`
			}
			expect.Contains(t, "output", r.Out+r.Stderr, want)
			expect.Contains(t, "output", r.Out, root)
			plain := programtest.Run(t, data, without(c.args, "--async")...)
			expect.Lacks(t, "output without --async", plain.Out+plain.Stderr, "async (", `"async":`, root)
		})
	}
}

// without returns words without one of them.
func without(words []string, word string) []string {
	var rest []string
	for _, w := range words {
		if w != word {
			rest = append(rest, w)
		}
	}
	return rest
}

// TestAsyncNoEvents: a trace without the events of tasks is an error that says how
// to record them.
func TestAsyncNoEvents(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-cpu.v4")
	for _, c := range asyncCommands {
		t.Run(c.name, func(t *testing.T) {
			for name, data := range map[string][]byte{"complete": data, "truncated": data[:len(data)-100]} {
				r := programtest.Run(t, data, c.args...)
				expect.Equal(t, name+": exit code", r.Code, exit.Broken)
				expect.Equal(t, name+": output", r.Out, "")
				expect.Contains(t, name+": error", r.Stderr, "record System.Threading.Tasks.TplEventSource:0x7f:5, as nettrace collect --profile async does")
			}
		})
	}
}
