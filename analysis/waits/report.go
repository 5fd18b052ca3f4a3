package waits

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/model"
)

// Row has the waits of one stack for one cause, with those that are open at the end.
type Row struct {
	Cause         string   `json:"cause"`            // as in Totals.ByCause, or an idle one: "poolIdle", "timerIdle", "gateIdle", "socketIdle", "watcherIdle", "finalizerIdle"
	Method        string   `json:"method,omitempty"` // that waits, without those of the classes for waiting; "" if neither it nor a caller has a name
	Stack         []string `json:"stack,omitempty"`  // from this method on, leaf first
	model.Place            // of the method
	Idle          bool     `json:"idle"`              // the thread has nothing to do
	Main          bool     `json:"main,omitempty"`    // the thread of Main waits for the end of the host, or of a Main that is async
	PoolThread    bool     `json:"poolThread"`        // the thread is a worker of the thread pool
	SyncOverAsync bool     `json:"syncOverAsync"`     // the thread waits for a task
	Sampled       bool     `json:"sampled"`           // the times are those of samples: the trace has no events about such waits
	Count         int64    `json:"count"`             // waits
	Unfinished    int64    `json:"unfinished"`        // of them, open at the end: times are those up to the end of the recording, or to the last sample
	TotalNs       int64    `json:"totalNs"`           // their sum
	MeanNs        int64    `json:"meanNs"`            // TotalNs divided by Count
	MaxNs         int64    `json:"maxNs"`             // the longest
	Threads       int64    `json:"threads"`           // that waited
	Longest       Wait     `json:"longest"`           // the longest wait
	Request       string   `json:"request,omitempty"` // id of the incoming request that all of the waits belong to
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "cause", Doc: "what the thread waited for", Head: "cause", Blank: true, Of: func(r *Row) any { return r.Cause }},
		{Key: "method", Doc: "the method that waits, without those of the classes for waiting", Head: "method", Form: analysis.Method, Of: func(r *Row) any { return r.Method }, Show: func(r *Row) any { return analysis.Site{Method: r.Method, Stack: r.Stack, Place: r.Place} }},
		{Key: "stack", Doc: "from this method on, the innermost one first"},
		{Key: "file", Doc: "source file of the method", Of: func(r *Row) any { return r.File }},
		{Key: "line", Doc: "line in it, from 1", Of: func(r *Row) any { return r.Line }},
		{Key: "idle", Doc: "the thread has nothing to do", Of: func(r *Row) any { return r.Idle }},
		{Key: "main", Doc: "the thread of Main waits for the end of the host, or of a Main that is async", Of: func(r *Row) any { return r.Main }},
		{Key: "poolThread", Doc: "the thread is a worker of the thread pool", Head: "pool", Wide: true, Of: func(r *Row) any { return r.PoolThread }},
		{Key: "syncOverAsync", Doc: "the thread waits for a task", Of: func(r *Row) any { return r.SyncOverAsync }},
		{Key: "sampled", Doc: "the times are those of samples: the trace has no events about such waits", Head: "from", Wide: true, Of: func(r *Row) any { return r.Sampled }, Show: func(r *Row) any { return r.from() }},
		{Key: "count", Doc: "number of waits", Head: "waits", Form: analysis.Grouped, Of: func(r *Row) any { return r.Count }, Show: func(r *Row) any { return analysis.Counted{Count: r.Count, Open: r.Unfinished} }},
		{Key: "unfinished", Doc: "of them, open at the end: times are those up to the end of the recording, or to the last sample", Of: func(r *Row) any { return r.Unfinished }},
		{Key: "totalNs", Doc: "sum of the waits", Head: "total", Form: analysis.Million, Of: func(r *Row) any { return r.TotalNs }},
		{Key: "meanNs", Doc: "their mean", Head: "mean", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.MeanNs }},
		{Key: "maxNs", Doc: "the longest", Head: "longest", Form: analysis.Million, Of: func(r *Row) any { return r.MaxNs }},
		{Key: "threads", Doc: "threads that waited", Head: "threads", Form: analysis.Grouped, Wide: true, Of: func(r *Row) any { return r.Threads }},
		{Key: "longest", Doc: "the longest wait"},
		{Key: "request", Doc: "id of the incoming request that all of the waits belong to", Of: func(r *Row) any { return r.Request }},
	},
	Text:    "cause count totalNs meanNs maxNs threads poolThread sampled method",
	Page:    "totalNs maxNs count cause method meanNs threads unfinished",
	Samples: "wait",
	Longest: &analysis.Longest{Key: "maxNs", Name: "Longest wait", Why: []string{"cause", "method"}},
}

// Wait is a wait of a thread.
type Wait struct {
	ThreadID   int64  `json:"threadId"`          // of the operating system
	StartNs    int64  `json:"startNs"`           // since the trace's sync time
	DurationNs int64  `json:"durationNs"`        // of the wait
	Unfinished bool   `json:"unfinished"`        // it is open at the end
	Request    string `json:"request,omitempty"` // id of the incoming request whose thread waits
}

// Totals are the sums of a process. Those of waits that did not end are separate. The
// Numbers are about waits by events, and unknown if the trace has none; those about
// contentions are unknown without events about contentions.
type Totals struct {
	ObservedNs      int64           `json:"observedNs"`              // length of the recording
	Count           analysis.Number `json:"count,omitzero"`          // waits that ended, with idle ones and those in contentions
	TotalNs         analysis.Number `json:"totalNs,omitzero"`        // their sum, over all threads
	Unfinished      analysis.Number `json:"unfinished,omitzero"`     // waits that are open at the end
	UnfinishedNs    analysis.Number `json:"unfinishedNs,omitzero"`   // their sum up to the end of the recording
	InContention    analysis.Number `json:"inContention,omitzero"`   // waits that begin in a contention, not in the rows
	InContentionNs  analysis.Number `json:"inContentionNs,omitzero"` // their sum
	Idle            int64           `json:"idle"`                    // waits of idle threads, by events and by samples
	IdleNs          int64           `json:"idleNs"`                  // their sum
	BeganBefore     analysis.Number `json:"beganBefore,omitzero"`    // ends without a start, not counted otherwise
	LeftOut         int64           `json:"leftOut,omitzero"`        // waits above Limits.Threads, not counted otherwise
	RowsLeftOut     int64           `json:"rowsLeftOut,omitzero"`    // stacks above Limits.Rows
	ByTaskEvents    bool            `json:"byTaskEvents"`            // the trace has no events about waits: the rows for tasks are by the events of the task library
	ByCause         []Sum           `json:"byCause"`                 // of the waits that are not idle, the longest sum first
	SyncOverAsync   int64           `json:"syncOverAsync"`           // waits of workers of the thread pool for tasks
	SyncOverAsyncNs int64           `json:"syncOverAsyncNs"`         // their sum
}

// Sum is the sum of the waits with one cause.
type Sum struct {
	Cause   string `json:"cause"`   // "lock", "task", "join", "semaphore", "event", "monitor", "handle", "sleep", "io", "finalizers" or "unknown"
	Count   int64  `json:"count"`   // waits
	TotalNs int64  `json:"totalNs"` // their sum
	MaxNs   int64  `json:"maxNs"`   // the longest
}

// report makes the report of a process after the last event. It has no totals if the
// trace has no waits of the process.
func (p *process) report() analysis.Report {
	p.close()
	r := analysis.NewReport(Name, p.id)
	sums, byTasks := &p.sums, false
	if !p.byEvents() {
		sums, byTasks = &p.taskSums, p.taskWaits
		r.NotRecorded = append(r.NotRecorded, waits)
		if !p.sampleSums.Empty() && !p.trace.HasRundown(p.id) {
			r.NotRecorded = append(r.NotRecorded, names)
		}
	}
	rows := p.rows(sums)
	rows = append(rows, p.sampledRows()...)
	if len(rows) == 0 && !p.byEvents() {
		return r
	}
	slices.SortStableFunc(rows, compareRows)
	t := p.totals(rows)
	kept := min(int64(len(rows)), p.trace.Limits().Rows)
	t.RowsLeftOut, t.ByTaskEvents = int64(len(rows))-kept, byTasks
	r.Findings = findings(rows, t.ObservedNs)
	r.Rows, r.Totals = append([]Row{}, rows[:kept]...), t
	if p.byEvents() && !p.contention && slices.ContainsFunc(rows, func(row Row) bool { return row.Cause == string(blocking.Lock) }) {
		r.NotRecorded = append(r.NotRecorded, contentions)
	}
	return r
}

// rows makes a row for each cause and group of stacks with the same names.
func (p *process) rows(sums *blocked.Sums[struct{}]) []Row {
	var rows []Row
	groups := sums.Groups(p.trace, siteOf)
	for i := range groups {
		rows = append(rows, p.row(&groups[i]))
	}
	return rows
}

// siteOf returns how many frames at the leaf of a stack are those of a wait, and its cause.
func siteOf(frames []symbols.Frame, mark uint8) (library int, kind string) {
	site := blocking.Of(frames, sourceOf(mark))
	return site.Frames, string(site.Cause)
}

// Shares returns the waits of the requests of a process, without those of idle threads, and how many are
// left out because of Limits.Rows; after Reports.
func (p *Part) Shares(process uint64) (list []model.Share, leftOut int64) {
	of := p.processes.Get(process)
	if of == nil {
		return nil, 0
	}
	sums := &of.sums
	if !of.byEvents() {
		sums = &of.taskSums
	}
	list = sums.Shares(p.trace, siteOf)
	for _, share := range of.sampleSums.Shares(p.trace, siteOf) {
		if of.isSampled(blocking.Cause(share.Cause)) {
			list = append(list, share)
		}
	}
	list = slices.DeleteFunc(list, func(s model.Share) bool { return blocking.Cause(s.Cause).Idle() })
	return list, sums.SharesLeftOut() + of.sampleSums.SharesLeftOut()
}

// compareRows orders the rows by their sum, those of idle threads last.
func compareRows(a, b Row) int {
	switch {
	case a.Idle && !b.Idle:
		return 1
	case b.Idle && !a.Idle:
		return -1
	}
	return cmp.Compare(b.TotalNs, a.TotalNs)
}

// row makes the row of a group.
func (p *process) row(g *blocked.Group[struct{}]) Row {
	site := blocking.Of(g.Frames, sourceOf(g.Mark))
	cause := blocking.Cause(g.Kind)
	return Row{
		Cause: string(cause), Method: g.Method(), Stack: g.Names, Place: g.Place, Idle: cause.Idle(), Main: site.Main, PoolThread: site.Pool, SyncOverAsync: cause == blocking.Task,
		Sampled: g.Mark&bySample != 0,
		Count:   g.Count, Unfinished: g.Unfinished, TotalNs: g.Total, MeanNs: g.Total / g.Count, MaxNs: g.Longest.Nanos, Threads: int64(len(g.Threads)), Request: g.RequestID(),
		Longest: Wait{
			ThreadID: int64(g.Longest.Thread.ID), StartNs: p.trace.Nanos(g.Longest.Ticks), DurationNs: g.Longest.Nanos, Unfinished: g.Longest.Unfinished,
			Request: p.served.RequestID(g.Longest.Owned),
		},
	}
}

// sourceOf returns what the events of a wait say, by its mark.
func sourceOf(mark uint8) blocking.Source {
	return blocking.Source{OnMonitor: mark&ofMonitor != 0, OfTask: mark&ofTask != 0, ByTask: mark&byTaskEvent != 0, BySample: mark&bySample != 0}
}

// totals makes the totals.
func (p *process) totals(rows []Row) *Totals {
	begin, end := p.trace.Bounds(p.id)
	t := &Totals{
		ObservedNs: p.trace.Between(begin, end), LeftOut: p.leftOut, ByCause: []Sum{},
	}
	if p.byEvents() {
		t.Count, t.TotalNs = p.ended.numbers()
		t.Unfinished, t.UnfinishedNs = p.unfinished.numbers()
		t.BeganBefore = analysis.Known(p.began)
		if p.contention {
			t.InContention, t.InContentionNs = p.inside.numbers()
		}
	}
	for i := range rows {
		t.count(&rows[i])
	}
	slices.SortStableFunc(t.ByCause, func(a, b Sum) int { return cmp.Compare(b.TotalNs, a.TotalNs) })
	return t
}

// count counts a row.
func (t *Totals) count(row *Row) {
	if row.Idle {
		t.Idle, t.IdleNs = t.Idle+row.Count, t.IdleNs+row.TotalNs
		return
	}
	if row.SyncOverAsync && row.PoolThread {
		t.SyncOverAsync, t.SyncOverAsyncNs = t.SyncOverAsync+row.Count, t.SyncOverAsyncNs+row.TotalNs
	}
	i := slices.IndexFunc(t.ByCause, func(s Sum) bool { return s.Cause == row.Cause })
	if i < 0 {
		i = len(t.ByCause)
		t.ByCause = append(t.ByCause, Sum{Cause: row.Cause})
	}
	sum := &t.ByCause[i]
	sum.Count, sum.TotalNs, sum.MaxNs = sum.Count+row.Count, sum.TotalNs+row.TotalNs, max(sum.MaxNs, row.MaxNs)
}

// from names what the times are made from, as text has it.
func (r *Row) from() string {
	if r.Sampled {
		return "samples"
	}
	return "events"
}
