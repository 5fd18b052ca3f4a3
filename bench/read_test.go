package bench

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// BenchmarkRead reads complete streams, event by event. The rows of traces that
// may not be in the repository exist only with the shared material.
func BenchmarkRead(b *testing.B) {
	for _, name := range corporaNames(b) {
		benchmarkRead(b, name, openCorpora)
	}
	for _, name := range sharedNames(b) {
		benchmarkRead(b, name, openShared)
	}
}

func benchmarkRead(b *testing.B, full string, open func(testing.TB, string) workload.Trace) {
	for _, source := range Sources {
		b.Run(workload.NewTrace(full, nil).Keys(source), func(b *testing.B) {
			trace := open(b, full)
			workload.Measure(b, len(trace.Data), trace.Pass(source, codec.Options{}))
		})
	}
}

// TestRead runs each body and compares its counts with MANIFEST.
func TestRead(t *testing.T) {
	for _, e := range traces(t) {
		if got := runTwice(t, openCorpora(t, e.Name)); got.Events != e.Events {
			t.Errorf("%s: %d events, want %d", e.Name, got.Events, e.Events)
		}
	}
}

// TestReadShared does so for the rows that corpora does not have.
func TestReadShared(t *testing.T) {
	tier.NeedsCheck(t) // large traces are left out
	for _, name := range sharedNames(t) {
		if got := runTwice(t, openShared(t, name)); got.Events == 0 {
			t.Errorf("%s: no events", name)
		}
	}
}

// runTwice checks that every source, and the second pass of each, return the
// same.
func runTwice(t *testing.T, trace workload.Trace) workload.Sum {
	t.Helper()
	var seen []workload.Sum
	for _, source := range Sources {
		pass := trace.Pass(source, codec.Options{})
		for range 2 {
			sum, err := pass()
			if err != nil {
				t.Errorf("%s: %v", trace.Keys(source), err)
			}
			if seen = append(seen, sum); sum != seen[0] {
				t.Errorf("%s: %+v, before it was %+v", trace.Keys(source), sum, seen[0])
			}
		}
	}
	return seen[0]
}

func openCorpora(tb testing.TB, full string) workload.Trace {
	tb.Helper()
	t, err := workload.Open(full)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func openShared(tb testing.TB, full string) workload.Trace {
	tb.Helper()
	return workload.NewTrace(full, shared.Trace(tb, full))
}

// corporaNames lists the traces of corpora.
func corporaNames(tb testing.TB) []string {
	tb.Helper()
	var names []string
	for _, e := range shared.Corpora(tb) {
		names = append(names, e.Name)
	}
	return names
}

// sharedNames lists the traces that are only in the folder shared, but for the
// malformed one. Without the folder there are none.
func sharedNames(tb testing.TB) []string {
	tb.Helper()
	kept := corporaNames(tb)
	return slices.DeleteFunc(shared.Traces(tb), func(name string) bool {
		return slices.Contains(kept, name) || name == "onecollect-overflow.v6"
	})
}
