// Package threads is the part threads of a report: how many threads the thread pool
// had and why, and whether it had too few because its threads were blocked.
//
//	part := threads.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]threads.Row) {
//			use(row.StartNs, row.Workers, row.Reason)
//		}
//	}
//
// # Starvation
//
// The pool adds a thread with the reason Starvation if work waits although no
// thread takes any, and since .NET 6 with the reason CooperativeBlocking if one of
// its threads waits for a task; with that reason it also removes it afterwards. Five
// of these additions within 5 seconds are a [Starvation]. It is a finding only if most threads of the pool were blocked in one
// method: the stacks of blocking waits and of samples at the times of the
// adjustments show that. Without such events there is no finding.
package threads

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// Name is the name of the part.
const Name = "threads"

// Part makes the reports about threads. Use New to create one.
type Part struct {
	trace     *analysis.Trace
	processes processes.Table[process]
}

// New returns a Part.
func New() *Part { return &Part{} }

// Name returns "threads".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) { p.trace = t }

// routes are the events of the part.
var routes = map[clr.Kind]func(*process, *codec.Event){
	clr.KindThreadPoolWorkerThreadStart:      (*process).workerStart,
	clr.KindThreadPoolWorkerThreadStop:       (*process).workerStop,
	clr.KindThreadPoolWorkerThreadAdjustment: (*process).adjustment,
	clr.KindThreadPoolWorkerThreadWait:       (*process).workerIdle,
	clr.KindThreadPoolMinMaxThreads:          (*process).bounds,
	clr.KindThreadCreated:                    (*process).created,
	clr.KindWaitHandleWaitStart:              (*process).waitStart,
	clr.KindWaitHandleWaitStop:               (*process).waitStop,
	clr.KindTaskWaitBegin:                    (*process).taskWaitBegin,
	clr.KindTaskWaitEnd:                      (*process).taskWaitEnd,
	clr.KindThreadSample:                     (*process).sample,
}

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	do := routes[clr.KindOf(m)]
	if m.Provider == counters.MetersProvider || m.Provider == analysis.RuntimeCounters {
		do = (*process).counter
	}
	if do == nil {
		return nil
	}
	return func(ev *codec.Event) { do(p.process(p.trace.Process(ev)), ev) }
}

// process returns the state of a process.
func (p *Part) process(id uint64) *process {
	if one := p.processes.Get(id); one != nil {
		return one
	}
	return p.processes.Put(id, newProcess(p.trace, id))
}

// Lost implements analysis.Part.
func (p *Part) Lost(thread analysis.Thread) {
	if one := p.processes.Get(thread.Process); one != nil {
		delete(one.threads, thread.ID)
	}
}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	var list []analysis.Report
	for one := range p.processes.All() {
		if one.recorded() {
			list = append(list, one.report(t))
		}
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, pool))
	}
	return list
}

// The events that the part needs.
var (
	pool         = analysis.Missing("the thread pool and new threads", clr.RuntimeProvider, 0x10000, 4)
	blockedWaits = analysis.Missing("blocking waits, for the methods that block the thread pool", clr.RuntimeProvider, 0x40000000000, 5)
	lengths      = analysis.MissingCounters("the length of the thread pool's queue")
)
