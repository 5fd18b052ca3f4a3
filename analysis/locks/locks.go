// Package locks is the part locks of a report: which locks threads waited for.
//
//	part := locks.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]locks.Row) {
//			use(row.Method, row.TotalNs)
//		}
//	}
//
// # Contentions
//
// A contention is a wait for a lock that another thread holds: from
// ContentionStart to ContentionStop of one thread. They nest. Its time is the
// DurationNs of the stop, which begins before the start event; versions without
// it (before .NET Core 3.0) have the time between the events. Taking a lock that
// is free is not in a trace.
//
// # Rows
//
// A row has the contentions of one stack, without the frames of the lock's own
// class. Addresses of locks cannot be the rows: objects move, and the runtime
// uses ids of locks again. Totals.Contended has the locks by address for the time
// in which a thread waited for them without interruption.
//
// # Deadlock candidates
//
// A deadlock candidate is a cycle of threads that wait for each other's locks at
// the end of the recording, each for at least one second, and whose samples since
// then are all in that wait. The owner of a lock is the one when the wait began,
// so a cycle is not a proof.
//
// # Owners
//
// Up to .NET 10 an event has the owner's thread of the operating system, since .NET 11 its managed
// id. Events about threads, and the rundown, have both. Without them, or without the event that has
// the version of the runtime, the owner cannot be known, and Contention.OwnerUnknown says why.
package locks

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// Name is the name of the part.
const Name = "locks"

// Part makes the reports about contended locks. Use New to create one.
type Part struct {
	trace     *analysis.Trace
	served    *model.Served
	processes processes.Table[process]
}

// New returns a Part.
func New() *Part { return &Part{} }

// Name returns "locks".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) { p.trace, p.served = t, t.Served() }

// routes are the events of the part, beside those about threads.
var routes = map[clr.Kind]func(*process, *codec.Event){
	clr.KindContentionStart: (*process).start,
	clr.KindContentionStop:  (*process).stop,
	clr.KindThreadSample:    (*process).sample,
}

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	do := routes[clr.KindOf(m)]
	if runtimes.IsThread(m) {
		do = (*process).threadEvent
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
	return p.processes.Put(id, newProcess(p.trace, p.served, id))
}

// Lost implements analysis.Part.
func (p *Part) Lost(thread analysis.Thread) {
	if one := p.processes.Get(thread.Process); one != nil {
		one.lost(thread)
	}
}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	var list []analysis.Report
	for one := range p.processes.All() {
		if one.recorded() {
			list = append(list, one.report())
		}
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, contentions))
	}
	return list
}

// The events that the part needs.
var (
	contentions = analysis.Missing("contended locks", clr.RuntimeProvider, 0x4000, 4)
	threadIDs   = analysis.Missing("the threads with the managed ids that .NET 11 writes for the owners of locks", clr.RuntimeProvider, 0x10000, 4)
	samples     = analysis.Missing("samples, for the stacks of the owners of locks", clr.SamplerProvider, 0, 4)
)
