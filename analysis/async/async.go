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
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/model/logical"
)

// Name is the name of the part.
const Name = "async"

// Part makes the reports about async code. Use New to create one.
type Part struct {
	trace     *analysis.Trace
	processes processes.Table[process]
}

// New returns a Part.
func New() *Part { return &Part{} }

// Name returns "async".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) { p.trace = t }

// process has the records of a process.
type process struct {
	id     uint64
	log    logical.Log
	lists  int // of the log, whose addresses are in stacks
	stacks map[uint64]analysis.StackID
	losses map[uint64]int // by thread
	awaits logical.Awaits
	ends   bool // there are events about the ends of awaits, whose level is 5
}

// process returns the state of a process.
func (p *Part) process(id uint64) *process {
	if one := p.processes.Get(id); one != nil {
		return one
	}
	one := &process{id: id, stacks: map[uint64]analysis.StackID{}, losses: map[uint64]int{}}
	one.awaits.Limit = int(p.trace.Limits().Rows)
	return p.processes.Put(id, one)
}

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	do := routes[clr.KindOf(m)]
	if m.Provider == async.Provider && m.EventID == async.EventID {
		do = (*process).add
	}
	if do == nil {
		return nil
	}
	return func(ev *codec.Event) { do(p.process(p.trace.Process(ev)), p.trace, ev) }
}

// add adds an event.
func (p *process) add(t *analysis.Trace, ev *codec.Event) {
	writer := t.Thread(ev).ID
	p.log.Add(logical.Buffer{Ticks: ev.Timestamp, Payload: ev.Payload(), Writer: writer, Losses: p.losses[writer]})
	for _, list := range p.log.Lists()[p.lists:] {
		for _, f := range list {
			if _, ok := p.stacks[f.Address]; !ok && f.Address != 0 {
				p.stacks[f.Address] = t.StackOf(p.id, []uint64{f.Address})
			}
		}
	}
	p.lists = len(p.log.Lists())
}

// Lost implements analysis.Part.
func (p *Part) Lost(thread analysis.Thread) {
	for process := range p.processes.All() {
		if process.id == thread.Process {
			process.losses[thread.ID]++
			process.awaits.Lost()
		}
	}
}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals, Waits is []Wait.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	var list []analysis.Report
	for process := range p.processes.All() {
		switch {
		case process.log.Buffers > 0:
			list = append(list, process.report(t))
		case process.ends:
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
