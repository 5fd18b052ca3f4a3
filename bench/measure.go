package bench

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// Measure is the body of a benchmark: after a first pass that does not count,
// it runs pass as often as b asks for, and reports bytes, events and
// allocations. Every pass must see what the first one saw.
func Measure(b *testing.B, size int, pass func() (Sum, error)) {
	first, err := pass()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	events := 0
	for b.Loop() {
		sum, err := pass()
		if err != nil {
			b.Fatal(err)
		}
		if sum != first {
			b.Fatalf("a pass saw %+v, the first one %+v", sum, first)
		}
		events += sum.Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

// Compare returns how many times as much processor time the second pass takes as
// the first: the median of rounds in which they take turns, and the fastest of
// each. More rounds are made, up to a bound, while the ratio is above most. A pass
// reads in the goroutine that calls it.
func Compare(tb testing.TB, limit float64, passes [2]func() (Sum, error)) (ratio float64, best [2]time.Duration) {
	tb.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const minAllocs, rounds = 41, 401
	best = [2]time.Duration{time.Hour, time.Hour}
	var ratios []float64
	for len(ratios) < minAllocs || len(ratios) < rounds && ratio > limit {
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
