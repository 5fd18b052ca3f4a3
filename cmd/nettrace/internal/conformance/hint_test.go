package conformance

import (
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/conformance/runner"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestStreamHint: --stream is suggested when the median case takes long.
func TestStreamHint(t *testing.T) {
	for _, c := range []struct {
		name  string
		times []time.Duration
		want  string
	}{
		{"fast", []time.Duration{1e6, 1e6, 30e9}, ""},
		{"slow", []time.Duration{1e6, 340e6, 350e6}, "a process for each case took 340ms in the median: with --stream one process gets all cases"},
		{"one case", []time.Duration{340e6}, ""},
		{"no case", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := &runner.Report{}
			for _, d := range c.times {
				report.Results = append(report.Results, runner.Result{Duration: d})
			}
			expect.Equal(t, "hint", streamHint(report), c.want)
		})
	}
}
