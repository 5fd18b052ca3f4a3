package values_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// lossy are the real traces with lost events, and their number; all others have
// none. The counts of the recorders, if any, agree.
var lossy = map[string]uint64{
	"dotnetdiag-net5-webapp.v4":    2_236, // only in the last sequence point
	"azmcp-net10-dropped.v4":       36_149,
	"net10-burst-dropped.v4":       557_340,
	"net10-envvar-nonstreaming.v4": 293_941,
	"net10-types.v4":               25, // payloads over 65,536 bytes
}

// broken are traces that end early or are malformed in the middle.
var broken = []string{"net10-killed.v4", "net10-killed-cut.v4", "onecollect-overflow.v6"}

// probe has the losses of a small stream by the text, and its backward steps that
// the text does not allow: those lose nothing and are defects.
type probe struct {
	lost  uint64
	steps int64
}

var probes = map[string]probe{
	"probe-01a-v6-duplicate-sequence":                       {0, 1},             // 1 2 2 3
	"probe-01c-v6-two-backward-steps-int-overflow":          {4, 2},             // 5 4 3
	"probe-01d-v6-all-zero-sequence":                        {0, 2},             // 0 0
	"probe-01e-v6-two-capture-threads-interleaved-unsorted": {0, 0},             // 1 1 2 2
	"probe-01f-v6-two-capture-threads-interleaved-sorted":   {0, 0},             // likewise
	"probe-01g-v6-two-capture-threads-compressed-unsorted":  {0, 0},             // likewise
	"probe-01h-v4-thread-id-reused-reset-to-1":              {0, 0},             // 1 2 3 1 2: v4 and v5 allow it
	"probe-01k-v4-real-gap-3":                               {3, 0},             // 1 5
	"probe-01o-v6-first-sequence-4":                         {3, 0},             // 4
	"probe-01p-v4-first-sequence-4":                         {3, 0},             // 4
	"probe-01q-v6-gap-larger-than-2pow31":                   {2_415_919_102, 0}, // 1 0x90000000
}

// TestLost counts the losses of every real trace, in both orders.
func TestLost(t *testing.T) {
	if shared.Race {
		t.Skip("the race detector: large traces, one goroutine")
	}
	met := 0
	for _, name := range shared.Traces(t) {
		if lossy[name] > 0 {
			met++
		}
		t.Run(name, func(t *testing.T) {
			checkLost(t, shared.Trace(t, name), probe{lost: lossy[name]}, slices.Contains(broken, name))
		})
	}
	if met != len(lossy) && shared.Present(t) {
		t.Errorf("%d traces of %d met", met, len(lossy))
	}
}

// TestLostProbes does so for the small streams.
func TestLostProbes(t *testing.T) {
	met := 0
	for _, name := range shared.Streams(t) {
		if !strings.HasPrefix(name, "probe-01") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want, ok := probes[name]
			if !ok {
				t.Errorf("%s is not in the table", name)
			}
			met++
			checkLost(t, shared.Stream(t, name), want, false)
		})
	}
	if met != len(probes) {
		t.Errorf("%d streams of %d met", met, len(probes))
	}
}

// losses are a reader's results for one trace.
type losses struct {
	total    uint64
	byThread map[uint64]uint64 // sums of the notices
	steps    int64             // back
}

// checkLost demands the total in both orders, and notices that sum up to it,
// for each capture thread the same in both.
func checkLost(t *testing.T, stream []byte, want probe, fails bool) {
	t.Helper()
	file, err := readLosses(stream, codec.FileOrder)
	sorted, errByTime := readLosses(stream, codec.ByTime)
	if (err != nil) != fails || (errByTime != nil) != fails {
		t.Errorf("errors %v and by time %v", err, errByTime)
	}
	for _, got := range []losses{file, sorted} {
		var sum uint64
		for thread, n := range got.byThread {
			sum += n
			if n != file.byThread[thread] {
				t.Errorf("thread %d: %d lost in file order, %d by time", thread, file.byThread[thread], n)
			}
		}
		if got.total != want.lost || sum != want.lost || got.steps != want.steps {
			t.Errorf("%d events lost, notices of %d, %d steps back; want %+v", got.total, sum, got.steps, want)
		}
	}
}

func readLosses(stream []byte, order codec.Order) (losses, error) {
	got := losses{byThread: map[uint64]uint64{}}
	r := codec.NewBytesReader(stream, codec.Options{Order: order, OnLost: func(l codec.Lost) {
		got.byThread[l.CaptureThread] += l.Count
	}})
	for {
		if _, ok := r.Next(); !ok {
			break
		}
	}
	got.total = r.Lost()
	for _, d := range r.Defects() {
		if d.Rule == rule.SEQ002 || d.Rule == rule.SEQ004 {
			got.steps += d.Count
		}
	}
	return got, r.Err()
}
