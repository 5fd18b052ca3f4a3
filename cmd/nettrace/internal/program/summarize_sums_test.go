package program_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/summary"
)

// TestLargeSums: top shows no sum of samples that 64 bits cannot express, and report marks one.
func TestLargeSums(t *testing.T) {
	for _, c := range []struct {
		name  string
		value []int64
		code  int
	}{
		{"one", []int64{math.MaxInt64 - 1}, exit.Done},
		{"saturated", []int64{math.MaxInt64}, exit.Broken},
		{"together", []int64{math.MaxInt64 / 2, math.MaxInt64 / 2, 2}, exit.Broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &summary.Summary{Version: summary.Version, Files: 1, Functions: []summary.Function{{Name: "Work"}}}
			samples := summary.Samples{Type: "wall", State: "running", Unit: "nanoseconds"}
			for i, value := range c.value {
				s.Stacks.Depth, s.Stacks.Function = append(s.Stacks.Depth, int32(i+1)), append(s.Stacks.Function, 0)
				samples.Node, samples.Count, samples.Value = append(samples.Node, int32(i+1)), append(samples.Count, 1), append(samples.Value, value)
			}
			s.Samples = []summary.Samples{samples}
			s.Durations = []summary.Durations{{Kind: summary.Waits, Count: 1, TotalNs: c.value[0], Bins: []int64{}}}
			data, err := s.Encode()
			expect.NoError(t, err)
			name := filepath.Join(t.TempDir(), "large.nts")
			expect.NoError(t, os.WriteFile(name, data, 0o600))
			r := programtest.Run(t, nil, "top", "--type", "wall", name)
			r.Exits(t, c.code)
			if c.code != exit.Done {
				expect.Contains(t, "stderr", r.Stderr, "the samples of type wall add up to 2^63 nanoseconds or more")
			}
			report := programtest.Run(t, nil, "report", name).Out
			expect.Equal(t, "saturated sum in report", strings.Contains(report, "at least "), c.value[0] == math.MaxInt64)
		})
	}
}
