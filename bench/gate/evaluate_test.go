package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"odd", []float64{3, 1, 2}, 2},
		{"even", []float64{4, 1, 2, 3}, 2.5},
		{"one", []float64{7}, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, n := medianOf(c.values); got != c.want || n != len(c.values) {
				t.Errorf("median %v of %d, want %v of %d", got, n, c.want, len(c.values))
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		if got, n := medianOf(nil); !math.IsNaN(got) || n != 0 {
			t.Errorf("median %v of %d, want NaN of 0", got, n)
		}
	})
}

// TestRatios: slices are compared within a pair, so that a machine that slows down
// does not change the ratios.
func TestRatios(t *testing.T) {
	w := &row{slices: map[string]processes{phaseMeasure: {
		2: {{100, 400, 900}, {110, 440, 990}},
		1: {{7}, {7.7}},
	}}}
	got := w.ratios(phaseMeasure)
	if len(got) != 4 {
		t.Errorf("%d ratios, want 4", len(got))
	}
	for _, ratio := range got {
		if math.Abs(ratio-1.1) > 1e-9 {
			t.Errorf("ratio %v, want 1.1", ratio)
		}
	}
}

// evidence has the measurements of a row. A ratio of 0 means none.
type evidence struct {
	first, second        float64 // ratios of time
	pairs                int     // of a measurement, minPairs if 0
	secondPairs          int
	instructions, cycles float64 // ratios
	allocs               [2]float64
	probed               [2]bool
}

func (e evidence) row() *row {
	w := newRecord().row("Read")
	w.probed = e.probed
	measure := func(phase string, ratio float64, pairs int) {
		if ratio == 0 {
			return
		}
		if pairs == 0 {
			pairs = minPairs
		}
		sides := new([2][]float64)
		for range pairs {
			sides[base], sides[head] = append(sides[base], 1), append(sides[head], ratio)
		}
		w.slices[phase] = processes{1: sides}
		w.exactOf(phase)["allocs/op"] = &[2][]float64{{e.allocs[base]}, {e.allocs[head]}}
	}
	measure(phaseMeasure, e.first, e.pairs)
	measure(phaseConfirm, e.second, e.secondPairs)
	if e.instructions > 0 {
		w.counts = [2]map[string]float64{
			{instructions: 1000, cycles: 1000},
			{instructions: 1000 * e.instructions, cycles: 1000 * e.cycles},
		}
		w.exactOf(phaseCount)["allocs/op"] = &[2][]float64{{e.allocs[base]}, {e.allocs[head]}}
	}
	return w
}

// TestEvaluate is the rule for a row, with each threshold from both sides.
func TestEvaluate(t *testing.T) {
	both, oneMore := [2]bool{true, true}, [2]float64{0, 1}
	for _, c := range []struct {
		name string
		evidence
		want outcome
		why  string
	}{
		{"the same", evidence{first: 1, probed: both}, pass, ""},
		{"not suspect", evidence{first: 1.03, probed: both}, pass, ""},
		{"suspect", evidence{first: 1.031, probed: both}, unmeasured, "no second"},
		{"slower once", evidence{first: 1.5, second: 1.06, probed: both}, pass, "1.500"},
		{"slower twice", evidence{first: 1.031, second: 1.061, probed: both}, slower, ""},
		{"slower by the same instructions", evidence{first: 1.1, second: 1.1, instructions: 1, cycles: 1, probed: both}, slower, "instructions"},
		{"faster by more instructions", evidence{first: 0.9, instructions: 2, cycles: 2, probed: both}, pass, ""},
		{"too few pairs", evidence{first: 1, pairs: 29, probed: both}, unmeasured, "processor"},
		{"too few second pairs", evidence{first: 1.1, second: 1.1, secondPairs: 29, probed: both}, unmeasured, "processor"},
		{"an allocation in both", evidence{first: 1, second: 1, allocs: oneMore, probed: both}, grown, "1 allocs/op"},
		{"an allocation in one", evidence{first: 1, allocs: oneMore, probed: both}, unmeasured, "no second"},
		{"an allocation less", evidence{first: 1, allocs: [2]float64{1, 0}, probed: both}, pass, ""},
		{"1 % more allocations", evidence{first: 1, allocs: [2]float64{100, 101}, probed: both}, pass, ""},
		{"counted", evidence{instructions: 1.03, cycles: 1.06, probed: both}, pass, ""},
		{"more instructions", evidence{instructions: 1.031, cycles: 1, probed: both}, grown, "instructions"},
		{"more cycles", evidence{instructions: 1, cycles: 1.061, probed: both}, grown, "mispredictions"},
		{"an allocation counted", evidence{instructions: 1, cycles: 1, allocs: oneMore, probed: both}, grown, "1 allocs/op"},
		{"not measured", evidence{probed: both}, unmeasured, ""},
		{"removed", evidence{probed: [2]bool{true, false}}, vanished, "head"},
		{"new", evidence{probed: [2]bool{false, true}}, added, "base"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, why := c.row().evaluate()
			if got != c.want {
				t.Errorf("%s (%s), want %s", outcomeNames[got], why, outcomeNames[c.want])
			}
			if !strings.Contains(why, c.why) {
				t.Errorf("the reason is %q, want %q in it", why, c.why)
			}
		})
	}
}

// TestShort: the result of a row that was not measured names the resource that
// was short.
func TestShort(t *testing.T) {
	for name, short := range map[string]string{"budget": noTime, "valgrind": noValgrind} {
		t.Run(name, func(t *testing.T) {
			r := newRecord()
			r.row("Read").probed, r.row("Read").short = [2]bool{true, true}, short
			j := r.evaluate()[0]
			if j.outcome != unmeasured {
				t.Errorf("%s, want %s", outcomeNames[j.outcome], outcomeNames[unmeasured])
			}
			if !strings.HasPrefix(j.why, name+": ") {
				t.Errorf("the reason is %q, want %q first", j.why, name)
			}
		})
	}
}

// TestDetection: how often a row fails, depending on its true ratio, on a machine
// where ratios of slices have a standard deviation of 11 % and one of five is far
// off.
func TestDetection(t *testing.T) {
	const trials = 2000
	for _, c := range []struct {
		ratio    float64
		pairs    int // of the first measurement; the second one has four times as many
		min, max float64
	}{
		{1.00, minPairs, 0, 0.005},
		{1.00, 100, 0, 0},
		{1.10, 100, 0.98, 1},
		{1.10, 300, 0.999, 1},
		{1.30, minPairs, 0.999, 1},
	} {
		t.Run(fmt.Sprintf("ratio=%.2f/pairs=%d", c.ratio, c.pairs), func(t *testing.T) {
			random, failed := rand.New(rand.NewPCG(1, 2)), 0
			for range trials {
				first, _ := medianOf(noisy(random, c.pairs, c.ratio))
				second, _ := medianOf(noisy(random, 4*c.pairs, c.ratio))
				if first > suspect && second > tooSlow {
					failed++
				}
			}
			if got := float64(failed) / trials; got < c.min || got > c.max {
				t.Errorf("%.4f fail, want %v to %v", got, c.min, c.max)
			}
		})
	}
}

// noisy draws ratios with a median.
func noisy(random *rand.Rand, n int, median float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		off := random.NormFloat64() * 0.11
		if random.IntN(5) == 0 {
			off *= 5
		}
		values[i] = median * math.Exp(off)
	}
	return values
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
