package metrics

import (
	"time"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/telemetry"
)

// Kind is the kind of a metric in OpenTelemetry's data model.
type Kind uint8

// The kinds of metrics. Sums and summaries are cumulative.
const (
	Gauge     Kind = iota // the last value
	Sum                   // only grows
	UpDownSum             // a sum that can also become smaller
	Summary               // Count, Sum and Quantiles of measurements
)

// String returns the name of the kind.
func (k Kind) String() string { return [...]string{"gauge", "sum", "up-down sum", "summary"}[k] }

// Round is what a process measured in one interval: the values of one EventSource, or of all
// Meters. It and what it refers to are valid until the Decoder's next call.
type Round struct {
	Source   string        // name of the EventSource; counters.MetersProvider for Meters
	Time     time.Time     // of its last value
	Interval time.Duration // that was measured, 0 if unknown
	Metrics  []Metric      // in the order of the process

	Missing int      // series of the round before without a value in this one
	Removed []Series // series that the process no longer reports: since two rounds, or a Meter said so
	Lost    uint64   // events that the session lost since the round before, of any kind
	Dropped int64    // series that are left out because of Options.MaxSeries
	// Unmeasured is the time since the first round that no session measured. Sums of increments
	// lack it.
	Unmeasured time.Duration
	// Refused says why the process reports no Meters: "other settings of the shared session".
	// "" if it does, or if none were asked for.
	Refused string
}

// Complete reports whether the round has a value of each series, and no event was lost. Where
// it is false, sums can lack the increments of the round.
func (r *Round) Complete() bool { return r.Missing == 0 && r.Lost == 0 && r.Dropped == 0 }

// Metric is a metric with the points of a round.
type Metric struct {
	Scope string // name of the EventSource or the Meter
	Name  string // by the conventions; of counters that they do not have, that of the program
	Unit  string // UCUM by the conventions, otherwise that of the program
	Kind  Kind   // of its points
	// Points has one point for each set of attributes.
	Points []Point
}

// Point is a value of a metric.
type Point struct {
	// Attributes distinguish the points of a metric.
	Attributes []telemetry.Attribute
	Start      time.Time // of a Sum and a Summary: since when they count; otherwise zero
	Time       time.Time // of the value
	Value      float64   // of all kinds but Summary

	// Count and Sum are those of a Summary. Before .NET 8 Meters do not report them.
	Count, Sum counters.Number
	// Quantiles are those of the interval: 0 is the smallest, 1 the largest measurement.
	Quantiles []counters.Quantile
}

// Series is a metric with one set of attributes.
type Series struct {
	Metric     string                // name of the metric
	Attributes []telemetry.Attribute // of its points
}
