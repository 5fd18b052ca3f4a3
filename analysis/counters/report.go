package counters

import (
	"cmp"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// Shows is what the numbers of a row are.
type Shows string

// The kinds of numbers.
const (
	Value  Shows = "value"  // as measured
	Rate   Shows = "rate"   // change in a second
	Mean   Shows = "mean"   // of the measurements of an interval
	Median Shows = "median" // of the measurements of an interval
)

// Row is a time series: a counter or an instrument, together with its tags. Its
// numbers are in its unit, of a Rate in units in a second. Unknown numbers are nil,
// and not in JSON.
type Row struct {
	Source     string          `json:"source"`              // "EventCounters" or "Meter"
	Provider   string          `json:"provider"`            // name of the EventSource or the Meter
	Version    string          `json:"version,omitempty"`   // of the Meter
	Name       string          `json:"name"`                // of the counter or the instrument
	Display    string          `json:"display,omitempty"`   // name for users
	Unit       string          `json:"unit,omitempty"`      // "MB", "By", "{request}"
	Tags       string          `json:"tags,omitempty"`      // as in the event
	Type       string          `json:"type"`                // "Mean", "Increment", "Counter", "UpDownCounter", "Gauge" or "Histogram"
	Shows      Shows           `json:"shows,omitempty"`     // what First to Points are; "" without a number
	Values     int64           `json:"values"`              // events
	StartNs    int64           `json:"startNs"`             // time of the first value since the trace's sync time
	EndNs      int64           `json:"endNs"`               // time of the last value
	IntervalNs analysis.Number `json:"intervalNs,omitzero"` // between two values, as requested
	Ended      bool            `json:"ended"`               // the instrument is no longer measured

	First *float64 `json:"first,omitempty"` // number of the first value
	Last  *float64 `json:"last,omitempty"`  // number of the last value
	Min   *float64 `json:"min,omitempty"`   // the lowest number
	Mean  *float64 `json:"mean,omitempty"`  // the mean of the numbers; of a Histogram that of all measurements, if the trace has their sum
	Max   *float64 `json:"max,omitempty"`   // the highest number
	// Sustained is the highest level of five successive values.
	Sustained *Level `json:"sustained,omitempty"`
	// Total is the sum of the changes of Increment, Counter and UpDownCounter.
	Total *float64 `json:"total,omitempty"`
	// Measurements is the number of measurements of a Histogram.
	Measurements analysis.Number `json:"measurements,omitzero"`
	// Quantiles are those of a Histogram, each with the highest of all intervals.
	Quantiles []Quantile `json:"quantiles,omitempty"`
	// Points are at most 40 numbers over time.
	Points    []Point   `json:"points"`
	Anomalies []Anomaly `json:"anomalies"` // what is unusual
}

// Point is a number at a time: the mean of the values from StartNs to the next
// Point.
type Point struct {
	StartNs int64   `json:"startNs"` // since the trace's sync time
	Value   float64 `json:"value"`   // as Row.Shows says
}

// Level is the smallest of successive values.
type Level struct {
	StartNs    int64   `json:"startNs"`    // time of the first one since the trace's sync time
	DurationNs int64   `json:"durationNs"` // to the last one
	Value      float64 `json:"value"`      // the smallest one
}

// Quantile is a quantile of a Histogram.
type Quantile struct {
	Quantile float64 `json:"quantile"` // from 0 to 1, such as 0.95
	Max      float64 `json:"max"`      // the highest of all intervals
}

// Totals are the totals of one process.
type Totals struct {
	Series        int64 `json:"series"`        // rows
	Values        int64 `json:"values"`        // events with a value
	LeftOutValues int64 `json:"leftOutValues"` // of series that have no row because of the limits
	// MalformedEvents have fields that could not be read.
	MalformedEvents int64 `json:"malformedEvents"`
	// TimeSeriesLimit and HistogramLimit report that the process had more of them
	// than the recording requested, and left some out.
	TimeSeriesLimit bool    `json:"timeSeriesLimit"`
	HistogramLimit  bool    `json:"histogramLimit"` // like TimeSeriesLimit
	Errors          []Error `json:"errors"`         // in the order of their first event
	LeftOutErrors   int64   `json:"leftOutErrors"`  // events with further errors
	// WithoutValue are the instruments that are measured and have no value, by provider
	// and name. At most 1,000.
	WithoutValue []Silent `json:"withoutValue"`
}

// Silent is an instrument without a value: the program did not use it, or its callback
// returned nothing.
type Silent struct {
	Provider string `json:"provider"`          // name of the Meter
	Version  string `json:"version,omitempty"` // of the Meter
	Name     string `json:"name"`              // of the instrument
	Type     string `json:"type"`              // its class: "Histogram`1"
	Unit     string `json:"unit,omitempty"`    // as in Row
}

// maxSilent is the maximum number of Totals.WithoutValue.
const maxSilent = 1000

// Error is an error in the process.
type Error struct {
	// Callback is set for an exception of an observable instrument; otherwise the
	// session of the Meters failed.
	Callback bool   `json:"callback"`
	Text     string `json:"text"`  // of the exception
	Count    int64  `json:"count"` // events
}

// report makes the report of a process after the last event.
func (p *process) report(t *analysis.Trace) analysis.Report {
	rows := make([]Row, 0, len(p.series))
	for _, s := range p.series {
		rows = append(rows, p.row(s))
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Tags, b.Tags), cmp.Compare(a.StartNs, b.StartNs), cmp.Compare(a.EndNs, b.EndNs))
	})
	totals := p.totals
	totals.Series = int64(len(rows))
	totals.WithoutValue = []Silent{}
	for _, i := range p.measured.Silent() {
		if len(totals.WithoutValue) < maxSilent {
			totals.WithoutValue = append(totals.WithoutValue, Silent{i.Meter, i.MeterVersion, i.Name, i.Type, i.Unit})
		}
	}
	report := analysis.NewReport(Name, p.id)
	report.Rows, report.Totals = rows, &totals
	report.Findings = analysis.Findings(rules, rows, &totals)
	return report
}

// row makes the row of a series.
func (p *process) row(s *series) Row {
	v := &s.of
	row := Row{
		Source: v.Source.String(), Provider: v.Provider, Version: v.Version, Name: v.Name, Display: v.Display, Unit: v.Unit, Tags: v.Tags,
		Type: v.Type.String(), Shows: s.shows, Values: s.values, StartNs: s.start, EndNs: s.end, Ended: p.instruments[s.instrument],
		Quantiles: s.quantiles, Points: s.points.list,
	}
	if v.Asked > 0 {
		row.IntervalNs = analysis.Known(v.Asked.Nanoseconds())
	}
	if s.shown > 0 {
		row.First, row.Last, row.Min, row.Mean, row.Max = &s.first, &s.last, &s.low, finite(s.mean()), &s.high
	} else {
		row.Points = []Point{}
	}
	if s.level.found {
		row.Sustained = &s.level.best
	}
	switch v.Type {
	case counters.Increment, counters.Counter, counters.UpDownCounter:
		row.Total = finite(s.total)
	case counters.Histogram:
		if s.counted && s.measurements < 1<<63 {
			row.Measurements = analysis.Known(int64(s.measurements))
		}
	}
	row.Anomalies = anomalies(s)
	return row
}

// finite returns a number that JSON can have, nil for another one.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
