package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// The thresholds. Ratios are those of head to base.
const (
	suspect  = 1.03 // a median above it is measured a second time
	tooSlow  = 1.06 // a second median above it fails
	moreCode = 1.03 // this ratio of instructions fails where time is not measured
	tooMuch  = 1.06 // this ratio of estimated cycles does, too
	moreUse  = 1.01 // this ratio of allocations fails

	// minPairs is the number of pairs of slices that a measurement needs. On a
	// machine with a load average of 16 the ratios of equal code have a standard
	// deviation of 11 %: the median of 30 pairs has one of 2.5 %.
	minPairs = 30
)

// median returns the median of the ratios of all pairs of slices of a phase, and
// how many there are.
func (w *row) median(phase string) (float64, int) { return medianOf(w.ratios(phase)) }

// ratios returns the ratios of head to base of all pairs of slices of a phase.
func (w *row) ratios(phase string) []float64 {
	var all []float64
	for _, number := range slices.Sorted(maps.Keys(w.slices[phase])) {
		sides := w.slices[phase][number]
		for i := range min(len(sides[base]), len(sides[head])) {
			all = append(all, sides[head][i]/sides[base][i])
		}
	}
	return all
}

func medianOf(values []float64) (float64, int) {
	n := len(values)
	if n == 0 {
		return math.NaN(), 0
	}
	values = slices.Sorted(slices.Values(values))
	return (values[(n-1)/2] + values[n/2]) / 2, n
}

// outcome is the result for a row.
type outcome int

const (
	pass outcome = iota
	added
	accepted
	unmeasured
	slower
	grown
	vanished
)

var outcomeNames = [...]string{"pass", "new", "accepted", "not measured", "SLOWER", "GROWN", "VANISHED"}

func (v outcome) fails() bool { return v >= slower }

// rowResult is an outcome with its measurements.
type rowResult struct {
	row          string
	outcome      outcome
	why          string
	ratio        float64 // of time, in the last measurement
	pairs        int
	instructions float64 // the ratio; NaN if not counted
	cycles       float64 // the ratio; NaN if not counted
}

// evaluate evaluates every row, in order.
func (r *record) evaluate() []rowResult {
	var all []rowResult
	for _, name := range r.names {
		w := r.rows[name]
		j := rowResult{row: name, instructions: w.countRatio(instructions), cycles: w.countRatio(cycles)}
		if j.ratio, j.pairs = w.median(phaseConfirm); j.pairs == 0 {
			j.ratio, j.pairs = w.median(phaseMeasure)
		}
		j.outcome, j.why = w.evaluate()
		if j.outcome == unmeasured && w.short != "" {
			j.why = strings.TrimPrefix(j.why+": ", ": ") + w.short
		}
		all = append(all, j)
	}
	return all
}

func (w *row) evaluate() (outcome, string) {
	_, pairs := w.median(phaseMeasure)
	switch {
	case w.probed[base] && !w.probed[head]:
		return vanished, "head does not have it"
	case w.probed[head] && !w.probed[base]:
		return added, "base does not have it"
	case pairs > 0:
		return w.evaluateTime()
	case w.counts[base] != nil && w.counts[head] != nil:
		return w.evaluateCounts()
	}
	return unmeasured, ""
}

// evaluateTime evaluates a row by its time and its allocations.
func (w *row) evaluateTime() (outcome, string) {
	first, pairs := w.median(phaseMeasure)
	switch {
	case pairs < minPairs:
		return unmeasured, tooFew(pairs)
	case !w.suspect():
		return pass, ""
	}
	reason := w.growth(phaseMeasure)
	if first > suspect {
		reason = fmt.Sprintf("%.3f in the first measurement", first)
	}
	second, pairs := w.median(phaseConfirm)
	growth := w.growth(phaseConfirm)
	switch {
	case pairs == 0:
		return unmeasured, reason + ", no second one"
	case pairs < minPairs:
		return unmeasured, reason + ", then " + tooFew(pairs)
	case growth != "":
		return grown, growth
	case second > tooSlow:
		return slower, w.explanation()
	}
	return pass, reason
}

// tooFew names the resource that was short where there are too few pairs.
func tooFew(pairs int) string {
	return fmt.Sprintf("processor: it ran %d pairs of slices in time, %d are needed", pairs, minPairs)
}

// suspect reports whether the row needs a second measurement.
func (w *row) suspect() bool {
	first, pairs := w.median(phaseMeasure)
	return pairs >= minPairs && (first > suspect || w.growth(phaseMeasure) != "")
}

// evaluateCounts evaluates a row by what cachegrind counts and its allocations.
func (w *row) evaluateCounts() (outcome, string) {
	growth := w.growth(phaseCount)
	switch {
	case growth != "":
		return grown, growth
	case w.countRatio(instructions) > moreCode || w.countRatio(cycles) > tooMuch:
		return grown, w.explanation()
	}
	return pass, ""
}

// growth describes the exact units in which every run of head needs more than
// each of base.
func (w *row) growth(phase string) string {
	var all []string
	for _, unit := range slices.Sorted(maps.Keys(w.exact[phase])) {
		sides := w.exact[phase][unit]
		if len(sides[base]) == 0 || len(sides[head]) == 0 {
			continue
		}
		if before, after := slices.Max(sides[base]), slices.Min(sides[head]); after > before*moreUse {
			all = append(all, fmt.Sprintf("%v %s, before %v", after, unit, before))
		}
	}
	return strings.Join(all, ", ")
}

// accept changes the outcome of the failures that a commit message accepts.
func accept(results []rowResult, acceptances []acceptance) {
	for i := range results {
		j := &results[i]
		for _, a := range acceptances {
			if j.outcome.fails() && a.accepts(j.row) {
				j.outcome, j.why = accepted, fmt.Sprintf("%s (%s)", a.reason, j.why)
			}
		}
	}
}
