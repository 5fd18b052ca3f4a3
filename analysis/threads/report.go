package threads

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Row is an adjustment: the pool changed the number of threads that it wants.
type Row struct {
	StartNs    int64   `json:"startNs"`             // since the trace's sync time
	Workers    int64   `json:"workers"`             // threads that the pool wants from now on
	Reason     string  `json:"reason"`              // as in the runtime's enumeration: "ClimbingMove"
	Throughput float64 `json:"throughputPerSecond"` // mean number of completed work items per second
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "startNs", Doc: "time of the adjustment", Head: "start s", Form: analysis.Seconds, Of: func(r *Row) any { return r.StartNs }},
		{Key: "workers", Doc: "threads that the pool wants from now on", Head: "threads", Of: func(r *Row) any { return r.Workers }},
		{Key: "reason", Doc: "as in the runtime's enumeration", Head: "reason", Blank: true, Of: func(r *Row) any { return r.Reason }},
		{Key: "throughputPerSecond", Doc: "mean number of completed work items in a second", Head: "completed/s", Of: func(r *Row) any { return r.Throughput }},
	},
	Text: "startNs workers reason throughputPerSecond",
	Page: "startNs workers reason throughputPerSecond",
}

// Totals are the totals of one process. Unknown Numbers are not in JSON.
type Totals struct {
	Adjustments    analysis.Number `json:"adjustments,omitzero"`    // changes of the number of threads that the pool wants
	Reasons        []Reason        `json:"reasons"`                 // of the adjustments, most first
	MaxWorkers     analysis.Number `json:"maxWorkers,omitzero"`     // the highest number that the pool wanted
	MinThreads     analysis.Number `json:"minThreads,omitzero"`     // the pool's lower bound, as set
	MaxThreads     analysis.Number `json:"maxThreads,omitzero"`     // the pool's upper bound, as set
	WorkersStarted analysis.Number `json:"workersStarted,omitzero"` // threads of the pool that began to work
	WorkersStopped analysis.Number `json:"workersStopped,omitzero"` // threads of the pool that ended
	ThreadsCreated analysis.Number `json:"threadsCreated,omitzero"` // managed threads of all kinds
	MaxQueueLength analysis.Number `json:"maxQueueLength,omitzero"` // the highest of QueueLengths, if there are two
	ObservedNs     int64           `json:"observedNs"`              // length of the recording
	Starvations    []Starvation    `json:"starvations"`             // in the order of time
	Created        []Created       `json:"created"`                 // the threads of ThreadsCreated
	QueueLengths   []Point         `json:"queueLengths"`            // work items that waited, from counters
	ThreadCounts   []Point         `json:"threadCounts"`            // threads of the pool, from counters
	RowsLeftOut    int64           `json:"rowsLeftOut"`             // because of the limit, of all lists
}

// Reason is a reason of adjustments.
type Reason struct {
	Reason string `json:"reason"` // as in Row
	Count  int64  `json:"count"`  // adjustments with the reason
}

// Created is a new managed thread.
type Created struct {
	StartNs  int64 `json:"startNs"`  // since the trace's sync time
	ThreadID int64 `json:"threadId"` // of the operating system
}

// Point is a value of a counter.
type Point struct {
	StartNs int64 `json:"startNs"` // when the value was logged, since the trace's sync time
	Value   int64 `json:"value"`   // a number of work items or threads
}

// Starvation is a time in which the pool added threads because others were
// blocked: at least 5 within 5 seconds.
type Starvation struct {
	StartNs         int64    `json:"startNs"`         // of the first adjustment, since the trace's sync time
	DurationNs      int64    `json:"durationNs"`      // to the last one
	Adjustments     int64    `json:"adjustments"`     // threads that were added
	MostAdjustments int64    `json:"mostAdjustments"` // of them within 5 seconds
	Workers         int64    `json:"workers"`         // the highest number that the pool wanted
	BlockedPercent  float64  `json:"blockedPercent"`  // threads of the pool that were blocked in Site, mean over the adjustments
	Site            string   `json:"site,omitempty"`  // the method in which most were blocked; "" if unknown
	Stack           []string `json:"stack,omitempty"` // of a thread that is blocked there, leaf first
}

// minQueueLengths is how many values of the counter make a highest one: one value says nothing about
// the length between.
const minQueueLengths = 2

// report makes the report of a process after the last event.
func (p *process) report(t *analysis.Trace) analysis.Report {
	p.endStarvation()
	from, to := t.Bounds(p.id)
	totals := &p.totals
	totals.ObservedNs, totals.RowsLeftOut = t.Between(from, to), p.leftOut
	for _, s := range p.starvations {
		totals.Starvations = append(totals.Starvations, s.describe(t))
	}
	adjustments := int64(0)
	for _, reason := range slices.Sorted(maps.Keys(p.reasons)) {
		adjustments += p.reasons[reason]
		totals.Reasons = append(totals.Reasons, Reason{reasonName(reason), p.reasons[reason]})
	}
	slices.SortStableFunc(totals.Reasons, func(a, b Reason) int { return cmp.Compare(b.Count, a.Count) })
	if p.pool {
		totals.Adjustments, totals.ThreadsCreated = analysis.Known(adjustments), analysis.Known(p.news)
		totals.WorkersStarted, totals.WorkersStopped = analysis.Known(p.started), analysis.Known(p.stopped)
	}
	for _, q := range totals.QueueLengths {
		if len(totals.QueueLengths) < minQueueLengths {
			break
		}
		totals.MaxQueueLength = analysis.Known(max(totals.MaxQueueLength.Or(0), q.Value))
	}
	report := analysis.NewReport(Name, p.id)
	report.Rows, report.Totals = append([]Row{}, p.rows...), totals
	report.Findings = findings(totals)
	for _, missing := range []struct {
		is   bool
		what analysis.NotRecorded
	}{
		{!p.pool, pool}, {!p.evidence, blockedWaits}, {len(totals.QueueLengths) == 0, lengths},
	} {
		if missing.is {
			report.NotRecorded = append(report.NotRecorded, missing.what)
		}
	}
	return report
}

// reasonName names the reason of an adjustment.
func reasonName(reason uint32) string {
	e, _ := clr.Lookup(clr.RuntimeProvider, clr.KindThreadPoolWorkerThreadAdjustment.ID(), 0)
	return e.Map("Reason").Text(uint64(reason))
}
