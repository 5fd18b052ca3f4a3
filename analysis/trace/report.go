package trace

import (
	"cmp"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/internal/sampling"
)

// Row is a loss: events of a thread that are not in the trace.
type Row struct {
	ProcessID  analysis.Number `json:"processId,omitzero"` // of the thread
	ThreadID   int64           `json:"threadId"`           // that logged the events
	StartNs    int64           `json:"startNs"`            // the thread's last event before them, or the start of the recording, since the trace's sync time
	DurationNs int64           `json:"durationNs"`         // up to its next event, or the last sequence point
	Lost       int64           `json:"lost"`               // number of events
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "processId", Doc: "of the thread", Of: func(r *Row) any { return r.ProcessID }},
		{Key: "threadId", Doc: "thread that logged the events", Head: "thread", Of: func(r *Row) any { return r.ThreadID }},
		{Key: "startNs", Doc: "the thread's last event before them, or the start of the recording", Head: "after s", Form: analysis.Seconds, Of: func(r *Row) any { return r.StartNs }},
		{Key: "durationNs", Doc: "up to its next event, or the last sequence point", Head: "within ms", Form: analysis.Million, Of: func(r *Row) any { return r.DurationNs }},
		{Key: "lost", Doc: "number of lost events", Head: "lost", Form: analysis.Grouped, Of: func(r *Row) any { return r.Lost }},
	},
	Text: "startNs durationNs threadId lost",
	Page: "processId threadId startNs durationNs lost",
}

// Totals describe the trace. Unknown Numbers are not in JSON.
type Totals struct {
	Events          int64   `json:"events"`          // in the trace
	Lost            int64   `json:"lost"`            // events that the writer dropped
	LostPercent     float64 `json:"lostPercent"`     // Lost of Events and Lost
	LostWithoutTime int64   `json:"lostWithoutTime"` // of Lost: without a row
	RowsLeftOut     int64   `json:"rowsLeftOut"`     // losses without a row because of the limit
	OutOfOrder      int64   `json:"outOfOrder"`      // events that are older than one before them
	ObservedNs      int64   `json:"observedNs"`      // length of the recording

	Stacks           int64   `json:"stacks"`           // events with a stack
	TruncatedStacks  int64   `json:"truncatedStacks"`  // of them, with the highest number of frames that the runtime writes, 100
	TruncatedPercent float64 `json:"truncatedPercent"` // TruncatedStacks of Stacks
	code             int64   // events of the runtime with a stack
	Rundown          bool    `json:"rundown"` // the trace has names of all methods, not only of those compiled while it was recorded

	HeapDump bool `json:"heapDump,omitempty"` // it has the objects of the heap, or some

	Samples                    int64           `json:"samples,omitzero"`                    // of the runtime's sampler
	SampledThreads             int64           `json:"sampledThreads,omitzero"`             // threads that have samples
	SamplingIntervalNs         analysis.Number `json:"samplingIntervalNs,omitzero"`         // median time between two samples of a thread
	ExpectedSamplingIntervalNs analysis.Number `json:"expectedSamplingIntervalNs,omitzero"` // that the recording requested

	Providers []Provider `json:"providers"` // most events first
}

// Provider counts the events of a provider.
type Provider struct {
	Provider string `json:"provider"` // its name
	Events   int64  `json:"events"`   // in the trace
}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals. There is one
// report, and the trace always has events of the part.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	process, _ := t.Header.ProcessID()
	report := analysis.NewReport(Name, process)
	rows := make([]Row, 0, len(t.Losses))
	totals := p.totals(t)
	for _, l := range t.Losses {
		row := Row{ThreadID: number(l.Thread.ID), StartNs: t.Nanos(l.From), DurationNs: t.Between(l.From, l.To), Lost: number(l.Count)}
		if l.Thread.Process != 0 {
			row.ProcessID = analysis.Known(number(l.Thread.Process))
		}
		rows = append(rows, row)
		totals.LostWithoutTime -= row.Lost
	}
	totals.LostWithoutTime = max(0, totals.LostWithoutTime)
	report.Rows, report.Totals = rows, totals
	report.Findings = analysis.Findings(rules, rows, totals)
	report.NotRecorded = p.notRecorded()
	return []analysis.Report{report}
}

// totals describes the trace without the rows.
func (p *Part) totals(t *analysis.Trace) *Totals {
	lost := number(t.Lost)
	totals := &Totals{
		Events: p.events, Lost: lost, LostWithoutTime: lost, LostPercent: percent(lost, p.events), RowsLeftOut: t.LossesLeftOut,
		OutOfOrder: t.OutOfOrder, ObservedNs: t.Between(t.Start, t.End),
		Stacks: p.stacks, TruncatedStacks: p.cut, TruncatedPercent: analysis.Percent(p.cut, p.stacks), code: p.code, Rundown: p.named > 0,
		Samples: p.intervals.Samples, SampledThreads: p.intervals.Threads(), Providers: p.providers(), HeapDump: p.hasDump(),
	}
	if ticks, ok := p.intervals.Median(); ok && t.Header.TickFrequency > 0 {
		totals.SamplingIntervalNs = analysis.Known(int64(math.Round(ticks / float64(t.Header.TickFrequency) * 1e9)))
	}
	if nanos, ok := sampling.Expected(t.Header); ok && p.intervals.Samples > 0 {
		totals.ExpectedSamplingIntervalNs = analysis.Known(number(nanos))
	}
	return totals
}

// percent returns a part of the sum of a part and the rest, in percent.
func percent(part, rest int64) float64 { return analysis.Percent(part, max(part, part+rest)) }

// providers counts the events by provider.
func (p *Part) providers() []Provider {
	at := map[string]int{}
	list := []Provider{}
	for k, of := range p.kinds {
		i, known := at[k.provider]
		if !known {
			i = len(list)
			at[k.provider] = i
			list = append(list, Provider{Provider: k.provider})
		}
		list[i].Events += of.events
	}
	slices.SortFunc(list, func(a, b Provider) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), cmp.Compare(a.Provider, b.Provider))
	})
	return list
}

// hasDump reports whether there are events of a heap dump.
func (p *Part) hasDump() bool {
	for _, of := range p.kinds {
		if of.dump && of.events > 0 {
			return true
		}
	}
	return false
}

// number returns an id or a count that fits.
func number(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
