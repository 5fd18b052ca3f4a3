package parts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// ownFindings are the rules that programs which wrote down what they did were made for. The
// programs with none are healthy.
var ownFindings = map[string][]string{
	"deadlock": {"lock-deadlock"}, "deadlock-threads": {"lock-deadlock"}, "deadlock-rundown": {"lock-deadlock"},
	"no-deadlock": nil, "no-deadlock-threads": nil, "starve": {"sync-over-async", "threads-starvation"}, "no-starve": nil,
	"sync-over-async": {"sync-over-async"}, "wait-truth": nil, "cpu-truth": nil, "async-chain": nil, "jit-truth": nil, "alloc-truth-tick": nil,
	"exceptions":           {"exceptions-filter", "exceptions-replaced"},
	"exceptions-unhandled": {"exceptions-filter", "exceptions-replaced", "exceptions-unhandled"},
}

// TestFindingsOfVersions: on each version of the runtime a program has the findings that it was made
// for, and no other. On .NET 11 a deadlock without the threads of the managed ids cannot be known.
func TestFindingsOfVersions(t *testing.T) {
	for program, want := range ownFindings {
		for _, of := range shared.Recordings(t, program) {
			if of.Name == "net11-deadlock" {
				want = nil
			}
			if got := rulesOf(t, of.Trace(t)); !slices.Equal(got, want) {
				t.Errorf("%s: got the findings %q, want %q", of.Name, got, want)
			}
		}
	}
}

// rulesOf returns the names of the rules of the findings of a trace, each once.
func rulesOf(t *testing.T, trace []byte) []string {
	t.Helper()
	all := parts.All()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: all})
	if tr == nil {
		t.Fatal(err)
	}
	var rules []string
	for _, p := range all {
		for _, report := range p.Reports(tr) {
			for _, f := range report.Findings {
				if !strings.HasPrefix(f.Rule, "trace-") {
					rules = append(rules, f.Rule)
				}
			}
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}
