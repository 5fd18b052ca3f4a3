package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/perf/benchmath"
)

// TestIntervalRounds: the interval is infinite below 8 values, and from there on
// between the values that order statistics name.
func TestIntervalRounds(t *testing.T) {
	for _, c := range []struct{ n, lo, hi int }{{8, 1, 8}, {10, 1, 10}, {12, 2, 11}, {16, 3, 14}} {
		t.Run(fmt.Sprintf("n=%d", c.n), func(t *testing.T) {
			got := interval(ascending(c.n))
			if got.Lo != float64(c.lo) || got.Hi != float64(c.hi) || got.Confidence < confidence {
				t.Errorf("values: %+v, want those from %d to %d", got, c.lo, c.hi)
			}
		})
	}
	for n := range minRounds {
		if got := positionOf(interval(ascending(n))); got != tooFew {
			t.Errorf("%d values are at %d", n, got)
		}
	}
}

func ascending(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i + 1)
	}
	return values
}

// TestIntervalCoverage draws from a distribution with a long tail, like times of
// a busy machine: the interval must contain its median with the given
// probability.
func TestIntervalCoverage(t *testing.T) {
	const trials = 20000
	for _, n := range []int{8, 10, 12, 16} {
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) {
			random, held := rand.New(rand.NewPCG(1, uint64(n))), 0
			for range trials {
				if i := interval(noisy(random, n, 1, 0.3)); i.Lo <= 1 && 1 <= i.Hi {
					held++
				}
			}
			if got := float64(held) / trials; got < confidence-0.003 {
				t.Errorf("values: the median is in %.4f of the intervals", got)
			}
		})
	}
}

// noisy draws ratios with a median: spread evenly in their logarithms, and one of
// five is far off to either side.
func noisy(random *rand.Rand, n int, median, spread float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		off := random.NormFloat64() * spread
		if random.IntN(5) == 0 {
			off *= 5
		}
		values[i] = median * math.Exp(off)
	}
	return values
}

// TestDetection: how often a row with more instructions fails once, depending on
// its true time and on the noise of the machine.
func TestDetection(t *testing.T) {
	const trials = 5000
	for _, c := range []struct {
		ratio, spread float64
		rounds        int
		least, most   float64 // share of the trials
	}{
		{1.00, 0.01, 8, 0, 0},
		{1.00, 0.05, 8, 0, 0.001},
		{1.00, 0.30, 16, 0, 0.002},
		{1.03, 0.02, 16, 0, 0},
		{1.20, 0.01, 8, 0.5, 1},
		{1.20, 0.01, 16, 0.99, 1},
		{1.20, 0.04, 16, 0.9, 1},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			random, slowed := rand.New(rand.NewPCG(2, 3)), 0
			for range trials {
				switch positionOf(interval(noisy(random, c.rounds, c.ratio, c.spread))) {
				case uncertain, slow:
					slowed++
				}
			}
			got := float64(slowed) / trials
			t.Logf("ratio %.2f, spread %.2f, %d rounds: %.4f fail", c.ratio, c.spread, c.rounds, got)
			if got < c.least || got > c.most {
				t.Errorf("ratio %.2f, spread %.2f, %d rounds: %.4f fail, want %v to %v", c.ratio, c.spread, c.rounds, got, c.least, c.most)
			}
		})
	}
}

// TestStanding holds each threshold from both sides.
func TestStanding(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   position
	}{
		{0.90, 1.05, steady}, {0.90, 1.051, undecided}, {1.05, 1.20, undecided}, {1.05, 1.201, imprecise},
		{1.051, 1.30, uncertain}, {1.10, 1.11, uncertain}, {1.101, 1.11, slow}, {1.101, math.Inf(1), tooFew},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			if got := positionOf(benchmath.Summary{Lo: c.lo, Center: 1, Hi: c.hi}); got != c.want {
				t.Errorf("%v..%v is at %d, want %d", c.lo, c.hi, got, c.want)
			}
		})
	}
}

// TestRatios: a machine that slows down evenly does not change the ratios.
func TestRatios(t *testing.T) {
	r := rounds{1: {{100, 133.1}, {110, 121}}, 2: {{110, 121}, {100, 133.1}}}
	for _, ratio := range r.ratios() {
		if math.Abs(ratio-1) > 1e-9 {
			t.Errorf("ratio %v, want 1", ratio)
		}
	}
}

// evidence has the measurements of a row in TestVerdict.
type evidence struct {
	measured, confirmed float64 // ratio of all rounds, 0: none
	code                float64 // ratio of instructions
	allocs              [2]float64
	probed              [2]bool
}

func (e evidence) row() *row {
	w := &row{probed: e.probed, phases: map[string]rounds{}, exact: map[string]*[2][]float64{"allocs/op": {}}}
	for phase, ratio := range map[string]float64{phaseMeasure: e.measured, phaseConfirm: e.confirmed} {
		for n := 0; ratio > 0 && n < minRounds; n++ {
			if w.phases[phase] == nil {
				w.phases[phase] = rounds{}
			}
			w.phases[phase][n] = &[2][]float64{{1, 1}, {ratio, ratio}}
			for side := range e.allocs {
				w.exact["allocs/op"][side] = append(w.exact["allocs/op"][side], e.allocs[side])
			}
		}
	}
	if e.code > 0 {
		w.instructions = [2]float64{1000, 1000 * e.code}
	}
	return w
}

// TestVerdict is the rule for a row.
func TestVerdict(t *testing.T) {
	both := [2]bool{true, true}
	for _, c := range []struct {
		name string
		evidence
		want outcome
	}{
		{"the same", evidence{measured: 1, probed: both}, pass},
		{"faster", evidence{measured: 0.5, code: 2, probed: both}, pass},
		{"not measured", evidence{probed: both}, unmeasured},
		{"slower, confirmed", evidence{measured: 1.2, confirmed: 1.2, probed: both}, slower},
		{"slower once", evidence{measured: 1.2, confirmed: 1, probed: both}, pass},
		{"slower, then no time", evidence{measured: 1.2, probed: both}, unmeasured},
		{"slower by more code", evidence{measured: 1.07, confirmed: 1.07, code: 1.03, probed: both}, slower},
		{"slower by more code, once", evidence{measured: 1.07, confirmed: 1.04, code: 1.03, probed: both}, pass},
		{"slower by the same code", evidence{measured: 1.07, confirmed: 1.07, code: 1, probed: both}, pass},
		{"slower, no counts", evidence{measured: 1.07, probed: both}, unmeasured},
		{"one allocation", evidence{measured: 1, allocs: [2]float64{0, 1}, probed: both}, grown},
		{"an allocation less", evidence{measured: 1, allocs: [2]float64{1, 0}, probed: both}, pass},
		{"gone", evidence{probed: [2]bool{true, false}}, vanished},
		{"came", evidence{probed: [2]bool{false, true}}, added},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, why := c.row().evaluate(); got != c.want {
				t.Errorf("%s (%s), want %s", outcomeNames[got], why, outcomeNames[c.want])
			}
		})
	}
}

// TestNoise: where a slowdown may hide in the noise, instructions decide.
func TestNoise(t *testing.T) {
	for code, want := range map[float64]outcome{0: unmeasured, 1: pass, 1.2: unmeasured} {
		t.Run(fmt.Sprintf("code=%v", code), func(t *testing.T) {
			w := evidence{measured: 1, code: code, probed: [2]bool{true, true}}.row()
			w.phases[phaseMeasure][0][head] = []float64{3, 3}
			if got, why := w.evaluate(); got != want {
				t.Errorf("noise, instructions %v: %s (%s), want %s", code, outcomeNames[got], why, outcomeNames[want])
			}
		})
	}
}

// TestReport: the exit code is that of the worst row.
func TestReport(t *testing.T) {
	for _, c := range []struct {
		outcomes []outcome
		want     int
	}{
		{[]outcome{pass, added, accepted}, exitPass},
		{[]outcome{pass, unmeasured}, exitUnmeasured},
		{[]outcome{unmeasured, slower}, exitRegression},
		{[]outcome{grown, pass}, exitRegression},
		{[]outcome{vanished}, exitRegression},
	} {
		t.Run(fmt.Sprint(c.outcomes), func(t *testing.T) {
			var results []rowResult
			for _, v := range c.outcomes {
				results = append(results, rowResult{row: "Read", outcome: v, why: "because"})
			}
			var out bytes.Buffer
			if got := report(&out, results); got != c.want {
				t.Errorf("exit %d, want %d\n%s", got, c.want, out.Bytes())
			}
			if !strings.Contains(out.String(), outcomeNames[c.outcomes[0]]) {
				t.Errorf("the report has no %s:\n%s", outcomeNames[c.outcomes[0]], out.Bytes())
			}
		})
	}
}
