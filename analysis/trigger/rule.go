package trigger

import (
	"maps"
	"slices"
	"time"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// Rule is a parsed rule. It is immutable: several Matchers can use it.
type Rule struct {
	text      string
	subject   subject
	op        op
	threshold float64 // in the unit of the subject; of a rate: events
	per       time.Duration
	lasting   time.Duration // of "for"

	match   Match   // of an event
	counter counter // of a counter
	spans   *spanKind
}

// String returns the text of the rule.
func (r *Rule) String() string { return r.text }

// subject is what a rule is about.
type subject uint8

const (
	subjectEvent subject = iota
	subjectCounter
	subjectSpan // an interval between two events
)

// unit is the unit of a threshold.
type unit uint8

const (
	unitNone unit = iota
	unitTime
	unitSize
)

// measure is a subject with a name of its own.
type measure struct {
	unit    unit
	spans   *spanKind
	counter counter
	scale   float64 // bytes of 1 in the counter, for unitSize
}

// measures are the subjects with names of their own.
var measures = map[string]measure{
	"gc-pause":         {unit: unitTime, spans: &pauses},
	"request":          {unit: unitTime, spans: &served},
	"client-request":   {unit: unitTime, spans: &sent},
	"threadpool-queue": {counter: counter{provider: analysis.RuntimeCounters, name: "threadpool-queue-length"}},
	"working-set":      {unit: unitSize, counter: counter{provider: analysis.RuntimeCounters, name: "working-set"}, scale: 1e6},
}

// timeMeasures returns the names of the measures that are compared with a time.
func timeMeasures() []string {
	return slices.DeleteFunc(Measures(), func(name string) bool { return measures[name].unit != unitTime })
}

// Measures returns the names of the measures, such as "gc-pause".
func Measures() []string { return slices.Sorted(maps.Keys(measures)) }

// defaultProvider is the provider of events without one.
const defaultProvider = provider.Runtime

// IsCounter reports whether the rule is about a counter or an instrument. It
// sees a value in each interval, if the process has the counter.
func (r *Rule) IsCounter() bool { return r.subject == subjectCounter }
