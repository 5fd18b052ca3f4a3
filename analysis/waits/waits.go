// Package waits is the part waits of a report: what threads waited for.
//
//	part := waits.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]waits.Row) {
//			use(row.Cause, row.Method, row.TotalNs)
//		}
//	}
//
// # Waits
//
// A wait is the time from WaitHandleWaitStart to WaitHandleWaitStop of one thread.
// A row has the waits of one stack; its cause follows from the methods at the leaf.
//
// The runtime logs no such event for Thread.Sleep and for reads of files, pipes
// and sockets, since .NET 11 none for Thread.Join, up to .NET 8 none at all, and sessions often leave out the events of the others. Then
// successive samples of a thread outside of managed code with one stack are a wait,
// if the leaf is a method that waits. Its time is that from the first to the last
// of these samples; shorter waits are missing. Such a row is marked Sampled. It needs the
// names of the methods: a trace without a rundown has few of these rows.
//
// A wait that begins in a contention belongs to the lock: it is in the part locks
// and not in the rows here. So is the short second wait of a thread that takes its
// lock again after Monitor.Wait. Without events about contentions the waits for
// locks are rows with the cause "lock".
//
// Idle workers of the thread pool, its gate thread and the thread of the timers
// are rows, but not in the sums of Totals.ByCause.
//
// # Sync over async
//
// A thread that waits for a task blocks until other threads have run it. In a
// worker of the thread pool that can block all workers, so only there it is a
// finding; Main and threads of the program's own may do so. If the trace has no
// events about waits, the events TaskWaitBegin and TaskWaitEnd of the task library
// have those for tasks.
package waits

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// Name is the name of the part.
const Name = "waits"

// Part makes the reports about waits. Use New to create one.
type Part struct {
	trace     *analysis.Trace
	served    *model.Served
	processes processes.Table[process]
}

// New returns a Part.
func New() *Part { return &Part{} }

// Name returns "waits".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) { p.trace, p.served = t, t.Served() }

// routes are the events of the part.
var routes = map[clr.Kind]func(*process, *codec.Event){
	clr.KindContentionStart:     (*process).contentionStart,
	clr.KindContentionStop:      (*process).contentionStop,
	clr.KindWaitHandleWaitStart: (*process).start,
	clr.KindWaitHandleWaitStop:  (*process).stop,
	clr.KindTaskWaitBegin:       (*process).taskWaitBegin,
	clr.KindTaskWaitEnd:         (*process).taskWaitEnd,
	clr.KindThreadSample:        (*process).sample,
}

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	do := routes[clr.KindOf(m)]
	if runtimes.IsInformation(m) {
		do = (*process).information
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
	missing := []analysis.NotRecorded{waits}
	for one := range p.processes.All() {
		if r := one.report(); r.Recorded() {
			list = append(list, r)
		} else if len(r.NotRecorded) > len(missing) {
			missing = r.NotRecorded
		}
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, missing...))
	}
	return list
}

// The events that the part needs.
var (
	waits       = analysis.Missing("waits", clr.RuntimeProvider, 0x40000000000, 5)
	names       = analysis.Missing("the names of methods, by which samples show waits", clr.RundownProvider, 0x80020139, 5).By("--names both") // the process was killed, or the rundown left out
	contentions = analysis.Missing("contended locks, whose waits are not those of the program", clr.RuntimeProvider, 0x4000, 4)
)
