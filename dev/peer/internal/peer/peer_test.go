package peer

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// BenchmarkRead measures codec on the traces that the peer reads, so that both
// families come from one run.
func BenchmarkRead(b *testing.B) {
	benchmark(b, func(t workload.Trace) func() (workload.Sum, error) {
		return t.Pass("stream", codec.Options{})
	})
}

// BenchmarkPeer is the same loop over the peer.
func BenchmarkPeer(b *testing.B) { benchmark(b, Pass) }

func benchmark(b *testing.B, pass func(workload.Trace) func() (workload.Sum, error)) {
	for _, e := range shared.Corpora(b) {
		if e.Format != "v4" || cannot[e.Name] != "" {
			continue
		}
		b.Run(workload.NewTrace(e.Name, nil).Keys("stream"), func(b *testing.B) {
			trace := open(b, e.Name)
			workload.Measure(b, len(trace.Data), pass(trace))
		})
	}
}

// cannot has the traces that the peer does not read, with the reasons.
var cannot = map[string]string{
	"net10-types.v4": "it fails on a metadata row",
}

// TestSameEvents compares the peer's events with those of codec: their number,
// and the sums of their times and ids.
func TestSameEvents(t *testing.T) {
	shared.SkipRace(t)
	for _, e := range shared.Corpora(t) {
		t.Run(e.Name, func(t *testing.T) {
			if e.Format != "v4" {
				return
			}
			trace := open(t, e.Name)
			ours, err := trace.Pass("stream", codec.Options{})()
			if err != nil {
				t.Error(err)
			}
			theirs, err := Pass(trace)()
			switch {
			case cannot[e.Name] != "":
				if err == nil {
					t.Error("the peer reads it after all")
				}
			case err != nil:
				t.Errorf("the peer: %v", err)
			case e.Name == "net10-killed-cut.v4":
				// It drops the rows of the truncated block.
				if theirs.Events != 9449 || ours.Events != e.Events {
					t.Errorf("%d and %d events, want 9449 and %d", theirs.Events, ours.Events, e.Events)
				}
			case theirs != ours:
				t.Errorf("the peer saw %+v, we saw %+v", theirs, ours)
			}
		})
	}
}

func open(tb testing.TB, full string) workload.Trace {
	tb.Helper()
	t, err := workload.Open(full)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}
