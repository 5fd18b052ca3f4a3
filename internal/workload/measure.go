package workload

import "testing"

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
