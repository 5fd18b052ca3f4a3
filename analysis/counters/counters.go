// Package counters is the part counters of a report: the values of EventCounters
// and Meters over time, and what is unusual about them.
//
//	part := counters.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]counters.Row) {
//			use(row.Provider, row.Name, row.Tags, row.Points)
//		}
//	}
//
// A row is a time series: a counter or an instrument together with its tags. Its
// numbers are those that its type has for users: of a counter that only increases
// the rate, of a histogram the mean of the measurements. Row.Shows says which.
//
// # Anomalies
//
// A row with at least ten values has a peak if its largest value is at least five
// times the median. It grows if the lowest values of the four quarters of at least
// a minute increase steadily and at least double. Anomalies describe; a finding
// also requires a counter whose meaning is known and a high value.
package counters

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// Name is the name of the part.
const Name = "counters"

// Part makes the reports about counters. Use New to create one.
type Part struct {
	trace     *analysis.Trace
	processes processes.Table[process]
	held      held
}

// held is what the series of all processes take.
type held struct {
	series int64
	text   int64 // bytes
}

// New returns a Part.
func New() *Part { return &Part{} }

// Name returns "counters".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) { p.trace = t }

// eventCounters is the name of the events with the values of EventCounters.
const eventCounters = "EventCounters"

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	if m.Provider != counters.MetersProvider && m.Name != eventCounters {
		return nil
	}
	return func(ev *codec.Event) {
		id := p.trace.Process(ev)
		one := p.processes.Get(id)
		if one == nil {
			one = p.processes.Put(id, newProcess(p, id))
		}
		one.event(ev)
	}
}

// Lost implements analysis.Part: no event depends on another one.
func (p *Part) Lost(analysis.Thread) {}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	var list []analysis.Report
	for one := range p.processes.All() {
		if one.totals.Values > 0 || len(one.measured.Silent()) > 0 {
			list = append(list, one.report(t))
		}
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, ofEventSources, ofMeters))
	}
	return list
}

// The events that the part needs: those of one of them.
var (
	ofEventSources = analysis.MissingCounters("counters")
	ofMeters       = analysis.Missing("Meters", counters.MetersProvider, counters.MetersKeywords, counters.Level).With("Metrics=" + analysis.RuntimeCounters)
)
