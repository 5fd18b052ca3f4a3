package change_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/profile"
)

// TestMergeShares compares the samples of each method, by the clock of the program, with the
// processor time that it measured: half the sum of the differences of the shares is at most one
// point, and each method with 50 samples is within 5 percent, but for those that the recordings
// themselves have further apart. Of CopyBytes, of which the runtime's sampler finds an eighth, all
// recordings together have 0.98 to 1.02 of its time.
func TestMergeShares(t *testing.T) {
	tier.NeedsCheck(t)
	copied, copying := 0.0, 0.0
	for _, c := range []struct {
		pair  string
		apart []string // methods beyond 5 percent in the records
	}{
		{"perf/pairs/native10-997", nil},
		{"perf/pairs/native11-997", nil},
		{"perf/pairs/native10-4000", nil},
		{"perf/pairs/native11-4000", nil},
		{"perf/pairs/native10-stack", []string{"ManagedLoop"}}, // 0.949, 114 samples
		{"perf/pairs/native11-stack", nil},
		{"perf/pairs/cpu10-997", nil},
		{"perf/pairs/cpu11-997", []string{"NativeFill"}}, // 1.053, 69 samples
		{"perf/pairs/cpu10-4000", nil},
		{"perf2/pairs/cpu10-4k", nil},
		{"perf2/pairs/cpu11-4k", nil},
		{"perf2/pairs/fp10-4k", nil},
		{"perf2/pairs/fp11-4k", nil},
		{"perf2/pairs/nofp10-4k", nil},
		{"perf2/pairs/nofp11-4k", nil},
	} {
		t.Run(filepath.Base(c.pair), func(t *testing.T) {
			base := filepath.Join(shared.Dir(t), filepath.FromSlash(c.pair))
			out := filepath.Join(t.TempDir(), "both.nettrace")
			programtest.Run(t, nil, "merge", base+".v4.nettrace.zst", base+".perf.ndjson.zst", "-o", out).Exits(t, exit.Done)
			data, err := os.ReadFile(out)
			expect.NoError(t, err)
			p, err := profile.FromReader(t.Context(), codec.NewBytesReader(data, input.ReaderOptions(false)), profile.Options{Limits: profile.LargeLimits()})
			expect.NoError(t, err)
			measured, total := measuredOf(t, base+".truth.ndjson")
			calls := truthOf(t, base+".truth.ndjson")
			sampled, samples, period := map[string]int{}, 0, 0.0
			for s := range p.Samples(profile.CPU) {
				if running := runningIn(calls, p.Threads()[s.Thread].ID, s.Ticks); running != nil {
					sampled[running.Call]++
					samples, period = samples+1, float64(s.Value)
				}
			}
			expect.AtLeast(t, "samples in calls", samples, 1000)
			difference := 0.0
			var apart []string
			for method, cpu := range measured {
				share := float64(sampled[method]) / float64(samples)
				difference += math.Abs(share - cpu/total)
				if ratio := share / (cpu / total); sampled[method] >= 50 && math.Abs(ratio-1) > 0.05 {
					apart = append(apart, method)
					t.Logf("%s: %.3f, %d samples", method, ratio, sampled[method])
				}
			}
			t.Logf("%d samples, half the sum of differences %.2f points", samples, 50*difference)
			expect.AtMost(t, "half the sum of differences, in hundredths of a point", int(5000*difference), 100)
			slices.Sort(apart)
			expect.Slices(t, "methods beyond 5 percent", apart, c.apart)
			copied += float64(sampled["CopyBytes"]) * period
			copying += measured["CopyBytes"]
		})
	}
	t.Logf("CopyBytes: samples of %.3f of its time", copied/copying)
	expect.AtMost(t, "CopyBytes: difference of the samples from its time, in thousandths", int(math.Abs(1000*(copied/copying-1))), 20)
}

// measuredOf returns the processor time that a program measured in each method, without inner
// calls, and their sum.
func measuredOf(t *testing.T, name string) (byMethod map[string]float64, total float64) {
	t.Helper()
	data, err := os.ReadFile(name)
	expect.NoError(t, err)
	byMethod = map[string]float64{}
	for line := range bytes.Lines(data) {
		var one struct {
			Call string
			Self float64
		}
		if json.Unmarshal(line, &one) == nil && one.Call != "" {
			byMethod[one.Call] += one.Self
			total += one.Self
		}
	}
	return byMethod, total
}

// runningIn returns the innermost call of a thread at a time, nil if there is none.
func runningIn(calls []truthCall, thread, ticks uint64) *truthCall {
	var running *truthCall
	for i := range calls {
		if c := &calls[i]; c.Thread == thread && c.Begin <= ticks && ticks <= c.End && (running == nil || c.Begin >= running.Begin) {
			running = c
		}
	}
	return running
}
