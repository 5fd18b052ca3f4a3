package stacks_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// resumedStack is a stack of --details, in short.
type resumedStack struct {
	Async  string
	Frames []struct{ RawName, Kind string }
}

// resumed returns the stacks of the samples of a trace in which a state machine is resumed, or was
// before the stack was joined, by the value of async.
func resumed(t *testing.T, file string, flags ...string) map[string]int {
	t.Helper()
	args := append([]string{"stacks", "--format", "ndjson", "--details", "--provider", "Microsoft-DotNETCore-SampleProfiler"}, flags...)
	r := programtest.Run(t, nil, append(args, file)...)
	r.Exits(t, exit.Done)
	counts := map[string]int{}
	for line := range strings.Lines(r.Out) {
		var s resumedStack
		expect.NoError(t, json.Unmarshal([]byte(line), &s))
		for _, f := range s.Frames {
			if strings.Contains(f.RawName, "AsyncStateMachineBox") || f.Kind == "async" {
				counts[s.Async]++
				break
			}
		}
	}
	return counts
}

// TestDetailsAsync: without --async too, the stack of a method that was resumed has its callers, or
// says that they are unknown: it is never one that needs none.
func TestDetailsAsync(t *testing.T) {
	chain := filepath.Join(shared.Dir(t), "truth/async-chain.v4.nettrace.zst")
	counts := resumed(t, chain)
	expect.Equal(t, "joined by tasks", counts["tpl"] > 400, true)
	expect.Equal(t, "without an answer", counts["unknown"], 10)
	expect.Equal(t, "needing none", counts["physical"], 0)
	counts = resumed(t, chain, "--physical")
	expect.Equal(t, "kinds of answers with --physical", len(counts), 1)
	expect.NotZero(t, "without a word with --physical", counts[""])
	counts = resumed(t, filepath.Join(shared.Dir(t), "traces/net10-mix-cpu.v4.nettrace.zst"))
	expect.Equal(t, "kinds of answers without events", len(counts), 1)
	expect.NotZero(t, "unknown without events", counts["unknown"])
}
