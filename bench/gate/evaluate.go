package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// The thresholds. Ratios are those of head to base.
const (
	suspect    = 1.05 // an interval above it fails where there are more instructions
	certain    = 1.10 // an interval above it fails
	wide       = 1.20 // an interval that reaches it is too wide
	moreCode   = 1.01 // this ratio of instructions is more than chance
	confidence = 0.99

	// minRounds is the smallest number of ratios whose extremes contain the
	// median with that confidence: 1 - 2/2^8.
	minRounds = 8
)

// ratios returns the ratios of head to base, one for each round: of geometric
// means, so that a machine that slows down evenly during a round does not change
// them.
func (r rounds) ratios() []float64 {
	var all []float64
	for _, sides := range r {
		all = append(all, math.Exp(meanLog(sides[head])-meanLog(sides[base])))
	}
	return all
}

func meanLog(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return sum / float64(len(values))
}

// interval is that of the median of values, by order statistics. It is infinite
// where there are fewer than minRounds of them.
func interval(values []float64) benchmath.Summary {
	sample := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, confidence)
}

// position is where an interval lies.
type position int

const (
	tooFew    position = iota // rounds for an interval
	steady                    // below suspect
	undecided                 // suspect is in it
	imprecise                 // suspect and wide are in it
	uncertain                 // between suspect and certain, or certain is in it
	slow                      // above certain
)

func positionOf(i benchmath.Summary) position {
	switch {
	case math.IsInf(i.Lo, 0) || math.IsInf(i.Hi, 0) || math.IsNaN(i.Center):
		return tooFew
	case i.Lo > certain:
		return slow
	case i.Lo > suspect:
		return uncertain
	case i.Hi > wide:
		return imprecise
	case i.Hi > suspect:
		return undecided
	}
	return steady
}

// position returns the position of the row's interval after a phase.
func (w *row) position(phase string) position {
	return positionOf(interval(w.phases[phase].ratios()))
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
	ratio        benchmath.Summary // of time
	rounds       int
	instructions float64 // the ratio; 0 if not counted
}

// evaluate evaluates every row, in order.
func (r *record) evaluate() []rowResult {
	var all []rowResult
	for _, name := range r.names {
		w := r.rows[name]
		j := rowResult{row: name, instructions: w.instructionRatio()}
		measured := w.phases[phaseMeasure].ratios()
		j.ratio, j.rounds = interval(measured), len(measured)
		j.outcome, j.why = w.evaluate()
		all = append(all, j)
	}
	return all
}

func (w *row) evaluate() (outcome, string) {
	switch {
	case w.probed[base] && !w.probed[head]:
		return vanished, "head does not have it"
	case w.probed[head] && !w.probed[base]:
		return added, "base does not have it"
	}
	if why := w.growth(); why != "" {
		return grown, why
	}
	return w.evaluateTime()
}

// growth describes the exact units in which head needs more. If runs of one side
// differ, as they may in B/op, the intervals must be disjoint.
func (w *row) growth() string {
	var all []string
	for _, unit := range slices.Sorted(maps.Keys(w.exact)) {
		if why := w.growthIn(unit); why != "" {
			all = append(all, why)
		}
	}
	return strings.Join(all, ", ")
}

func (w *row) growthIn(unit string) string {
	sides := w.exact[unit]
	if min(len(sides[base]), len(sides[head])) < minRounds {
		return ""
	}
	before, after := interval(sides[base]), interval(sides[head])
	if after.Lo <= before.Hi {
		return ""
	}
	return fmt.Sprintf("%v %s, before %v", after.Center, unit, before.Center)
}

// evaluateTime reports whether the row is slower.
func (w *row) evaluateTime() (outcome, string) {
	if w.failing() {
		return w.evaluateConfirmed()
	}
	code := w.instructionRatio()
	switch s := w.position(phaseMeasure); {
	case s == tooFew:
		return unmeasured, fmt.Sprintf("%d rounds, %d are needed", len(w.phases[phaseMeasure]), minRounds)
	case s == steady || s == undecided:
		return pass, ""
	case code == 0:
		return unmeasured, notSettled[s] + ", and instructions are not counted"
	case code > moreCode:
		return unmeasured, notSettled[s] + ", and there are more instructions"
	default:
		return pass, notSettled[s] + ", but no more instructions"
	}
}

// notSettled describes the positions for which time alone is not enough.
var notSettled = map[position]string{imprecise: "noisy", uncertain: "slower"}

// evaluateConfirmed evaluates a row that failed once by its second measurement.
func (w *row) evaluateConfirmed() (outcome, string) {
	again := interval(w.phases[phaseConfirm].ratios())
	switch {
	case w.fails(phaseConfirm):
		return slower, "confirmed: " + span(again)
	case positionOf(again) == tooFew:
		return unmeasured, "slower, and no time to confirm it"
	case positionOf(again) == imprecise:
		return unmeasured, "slower, and too noisy to confirm it: " + span(again)
	}
	return pass, "slower, but not a second time: " + span(again)
}

// failing reports whether the row needs to be confirmed.
func (w *row) failing() bool { return w.fails(phaseMeasure) }

// fails reports whether the row fails by the measurements of a phase.
func (w *row) fails(phase string) bool {
	s := w.position(phase)
	return s == slow || s == uncertain && w.instructionRatio() > moreCode
}

// instructionRatio is that of head to base, 0 if they were not counted.
func (w *row) instructionRatio() float64 {
	if w.instructions[base] == 0 {
		return 0
	}
	return w.instructions[head] / w.instructions[base]
}

// accept turns the failures that somebody accepted.
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
