package bench

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/workload"
)

// Compare returns the ratio of the processor times of the second pass and the
// first: the median of rounds in which they alternate, and the fastest of each.
// It makes more rounds, up to a bound, while the ratio is above limit. A pass
// reads in the goroutine that calls it.
func Compare(tb testing.TB, limit float64, passes [2]func() (workload.Sum, error)) (ratio float64, best [2]time.Duration) {
	tb.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const minRounds, maxRounds = 41, 401
	best = [2]time.Duration{time.Hour, time.Hour}
	var ratios []float64
	for len(ratios) < minRounds || len(ratios) < maxRounds && ratio > limit {
		var took [2]time.Duration
		for i, pass := range passes {
			start := threadTime()
			if _, err := pass(); err != nil {
				tb.Fatal(err)
			}
			took[i] = threadTime() - start
			best[i] = min(best[i], took[i])
		}
		round := float64(took[1]) / float64(took[0])
		at, _ := slices.BinarySearch(ratios, round)
		ratios = slices.Insert(ratios, at, round)
		ratio = ratios[len(ratios)/2]
	}
	return ratio, best
}
