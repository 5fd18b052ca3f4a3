// Package async is the part async of a report: where the async code of a program ran and waited,
// by the records of the async profiler of .NET 11, or by the events of the task library.
//
//	part := async.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]async.Row) {
//			use(row.Method, row.Waits, row.SuspendedNs)
//		}
//	}
//
// # Waits
//
// A wait is the time from the creation or a suspension of a dispatcher to its next
// resumption. It includes the time in the queue of the thread pool after the awaited thing
// was complete. An await that is complete at once is no wait. A row has the waits of one
// method: the innermost one of the program in the chain that waits, or else the
// innermost one with a name. Methods that wait for it are not counted again.
//
// The runtime writes records late, and a session that ends loses the last ones: a
// dispatcher without a completion need not be unfinished.
//
// # Without the async profiler
//
// The events of the task library have the awaits of state machines, which is all async code up to
// .NET 10: from TaskWaitBegin to TaskWaitEnd, and that of Task.Yield. Each method of a chain
// has a wait of its own. Those of methods that wait for another method with a wait are marked Outer, and
// not in the rows. Runtime-async methods of .NET 11 have no such events.
package async

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/logical"
)

// Name is the name of the part.
const Name = "async"

// Part makes the reports about async code. Use New to create one.
type Part struct {
	trace     *analysis.Trace
	chains    *model.Chains
	processes processes.Table[process]
}

// New returns a Part.
func New() *Part { return &Part{} }

// Name returns "async".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) { p.trace, p.chains = t, t.Chains() }

// process has what the task library recorded of a process.
type process struct {
	id     uint64
	awaits logical.Awaits
	ends   bool // there are events about the ends of awaits, whose level is 5
}

// process returns the state of a process.
func (p *Part) process(id uint64) *process {
	if one := p.processes.Get(id); one != nil {
		return one
	}
	one := &process{id: id}
	one.awaits.Limit = int(p.trace.Limits().Rows)
	return p.processes.Put(id, one)
}

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	do := routes[clr.KindOf(m)]
	if do == nil {
		return nil
	}
	return func(ev *codec.Event) { do(p.process(p.trace.Process(ev)), p.trace, ev) }
}

// Lost implements analysis.Part.
func (p *Part) Lost(thread analysis.Thread) {
	for process := range p.processes.All() {
		if process.id == thread.Process {
			process.awaits.Lost()
		}
	}
}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals, Waits is []Wait.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	var list []analysis.Report
	profiled := p.chains.Processes()
	for _, id := range profiled {
		list = append(list, (&chains{id: id, log: p.chains.Log(id), all: p.chains}).report(t))
	}
	for process := range p.processes.All() {
		if process.ends && !slices.Contains(profiled, process.id) {
			list = append(list, process.taskReport(t))
		}
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, records, tasks))
	}
	return list
}

// What the part needs: one of both.
var (
	records = analysis.Missing("async code (.NET 11)", async.Provider, 0x3FEFF, 4)
	tasks   = analysis.Missing("awaits of tasks", clr.TasksProvider, 0x7F, 5)
)
