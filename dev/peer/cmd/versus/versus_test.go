package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3, 1, 2}, 2},
		{[]float64{4, 1, 2, 3}, 2.5},
		{[]float64{7}, 7},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			if got := median(test.values); got != test.want {
				t.Errorf("median(%v) = %v, want %v", test.values, got, test.want)
			}
		})
	}
	if got := median(nil); !math.IsNaN(got) {
		t.Errorf("median of nothing = %v", got)
	}
}

func TestGeometricMean(t *testing.T) {
	if got := geometricMean([]float64{2, 8}); math.Abs(got-4) > 1e-9 {
		t.Errorf("got %v, want 4", got)
	}
	if got := geometricMean(nil); !math.IsNaN(got) {
		t.Errorf("of nothing: %v", got)
	}
}

func TestRatio(t *testing.T) {
	r := &row{judged: true}
	r.samples[stream] = []float64{1, 2, 4}
	r.samples[dotnetdiag] = []float64{5, 14, 24}
	r.samples[traceEvent] = []float64{16}
	runs := &row{}
	runs.samples[stream] = []float64{1, 1, 1, 2, 2, 2}
	runs.samples[traceEvent] = []float64{6, 16}
	if got := runs.ratio(traceEvent, stream); got != 7 {
		t.Errorf("the median of 6/1 and 16/2 is 7, not %v", got)
	}
	if got := r.ratio(dotnetdiag, stream); got != 6 {
		t.Errorf("the median of 5, 7, 6 is 6, not %v", got)
	}
	if got := r.ratio(traceEvent, stream); got != 8 {
		t.Errorf("16 by the median 2 is 8, not %v", got)
	}
	if got := r.ratio(dotnetdiag, memory); !math.IsNaN(got) {
		t.Errorf("not measured, but %v", got)
	}
}

func TestParseTE(t *testing.T) {
	const line = "azcpu.nettrace\tevents=130895\tns/event=289.9\tMB/s=346\tB/event=219.5\tscan_ns=2511645\tread/scan=15.1\trounds=11\tsink=1\n"
	if ns, err := parseTE(line); ns != 289.9 || err != nil {
		t.Errorf("%v, %v", ns, err)
	}
	if _, err := parseTE("usage: te"); err == nil {
		t.Error("no error")
	}
}

// TestTable measures corpora once and checks the table.
func TestTable(t *testing.T) {
	o := options{rounds: 1, minEvents: 20000, maxBytes: 320}
	traces, err := load("")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := newRows(traces, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := measure(rows, o); err != nil {
		t.Fatal(err)
	}
	text := table(rows, o, "go run ./cmd/versus")
	expect.Contains(t, "text", text,
		"\n| trace | events | bytes/event | ours | ours, in memory | dotnetdiag | × | × memory |\n",
		"\n| net10-deep | 24028 | 64 | ",
		"\n| **geometric mean: at least 20000 events, at most 320 bytes each** |",
		"\nnet10-killed-cut: dotnetdiag sees 9449 events\n",
	)
	o.goal = math.Inf(1)
	if compareWithGoal(rows, o) == nil {
		t.Error("no goal is out of reach")
	}
	o.goal = 0
	if err := compareWithGoal(rows, o); err != nil {
		t.Error(err)
	}
}
