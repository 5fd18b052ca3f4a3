package bench

import (
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

// Compare returns how many times as long the second pass takes as the first:
// each is the fastest of passes that take turns, so that what else the machine
// does falls out. More are made, up to a bound, while the ratio is above most.
func Compare(tb testing.TB, most float64, passes [2]func() (Sum, error)) (ratio float64, best [2]time.Duration) {
	tb.Helper()
	const least, rounds = 20, 400
	best = [2]time.Duration{time.Hour, time.Hour}
	for round := 0; round < least || round < rounds && ratio > most; round++ {
		for i, pass := range passes {
			start := time.Now()
			if _, err := pass(); err != nil {
				tb.Fatal(err)
			}
			best[i] = min(best[i], time.Since(start))
		}
		ratio = float64(best[1]) / float64(best[0])
	}
	return ratio, best
}
