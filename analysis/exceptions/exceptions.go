// Package exceptions is the part exceptions of a report: which exceptions were
// thrown, where, and what happened to them.
//
//	part := exceptions.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]exceptions.Row) {
//			use(row.Type, row.Thrower, row.Catcher, row.Throws)
//		}
//	}
//
// # Throws
//
// The runtime writes an ExceptionThrown event when an exception is thrown, and
// another one each time that ExceptionDispatchInfo.Throw throws it again: at each
// await that it passes, and in other calls. The rows count the three kinds
// separately, by the stack of the event. Where the awaiter is inlined, a state
// machine that calls ExceptionDispatchInfo.Throw counts as an await. The statement
// "throw;" makes no ExceptionThrown event but another catch of the same exception:
// a further catch of an open exception counts as such a rethrow. Up to .NET 8 there
// is an event with the flag 0x4, which counts as a rethrow and not as a throw.
//
// # Ends
//
// An exception ends when a catch block has handled it. One that leaves a catch or
// finally block supersedes the exception that is handled there: that one has no
// end. One that leaves a filter is swallowed: it is open when the filter stops, and up to
// .NET 8, where such a filter has no stop, at the next catch. An exception without any of these is
// in flight when the recording ends: it may be handled later. It was unhandled if
// the trace ends without an end mark, no catch block took it, and the outermost
// filter of its thread saw it; the runtime has such a filter in threads that the
// program starts, not in the main thread.
//
// # Async code
//
// Where the trace has the records of the async profiler of .NET 11, the stack of a row goes on with
// the methods that awaited the thrower, and a row has the number of async methods that its exceptions left: an
// exception that passes an await of a runtime-async method is not thrown again.
//
// # Requests
//
// If the trace has the request events of ASP.NET Core, the totals count the exceptions of each
// request, and a row has the request to which all of its exceptions belong: that whose work the thread
// did (package [github.com/nettrace-go/nettrace/model/incoming]). Exceptions that can belong to
// several requests are ambiguous, and belong to none.
package exceptions

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// Name is the name of the part.
const Name = "exceptions"

// Part makes the reports about exceptions. Use New to create one.
type Part struct {
	// Physical leaves the stacks of rows as the threads had them.
	Physical bool

	trace     *analysis.Trace
	processes processes.Table[process]
	served    *model.Served
	chains    *model.Chains
}

// New returns a Part.
func New() *Part { return &Part{} }

// Name returns "exceptions".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) { p.trace, p.served, p.chains = t, t.Served(), t.Chains() }

// routes are the events of the part.
var routes = map[clr.Kind]func(*process, *codec.Event){
	clr.KindExceptionThrown:      (*process).thrown,
	clr.KindExceptionCatchStart:  (*process).catchStart,
	clr.KindExceptionFilterStart: (*process).filterStart,
	clr.KindExceptionFilterStop:  (*process).filterStop,
	clr.KindExceptionThrownStop:  (*process).thrownStop,
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
	return func(ev *codec.Event) {
		do(p.process(p.trace.Process(ev)), ev)
	}
}

// process returns the state of a process.
func (p *Part) process(id uint64) *process {
	if one := p.processes.Get(id); one != nil {
		return one
	}
	return p.processes.Put(id, newProcess(p.trace, p.served, p.chains, p.Physical, id))
}

// Lost implements analysis.Part.
func (p *Part) Lost(thread analysis.Thread) {
	for process := range p.processes.All() {
		process.lost(thread)
	}
}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	var list []analysis.Report
	for process := range p.processes.All() {
		if process.events > 0 {
			list = append(list, process.report())
		}
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, throws))
	}
	return list
}

// The events that the part needs.
var (
	throws  = analysis.Missing("exceptions", clr.RuntimeProvider, 0x8000, 4)
	catches = analysis.Missing("catch blocks and ends of exceptions", clr.RuntimeProvider, 0x8000, 4)
)

// process has the exceptions of a process.
type process struct {
	id    uint64
	trace *analysis.Trace

	version  runtimes.Version
	hasAgain bool // there are events about the statement "throw;"

	threads map[analysis.Thread]*thread
	texts   texts
	groups  map[group]*counts
	order   []group // in the order of their first throws

	events               int64 // ExceptionThrown events
	catches, beganBefore int64 // catches, and those of exceptions that are not in the trace
	filters              bool  // there were filters
	rate                 rate
	again                map[analysis.StackID]bool // the stack throws again: known after the last event
	served               *model.Served
	chains               *model.Chains
	physical             bool // stacks are as recorded
	throws               []throwIn
	throwsLeftOut        bool // above the limit
	withoutRow           counts
}

func newProcess(t *analysis.Trace, served *model.Served, chains *model.Chains, physical bool, id uint64) *process {
	p := &process{id: id, trace: t, served: served, chains: chains, physical: physical, threads: map[analysis.Thread]*thread{}, again: map[analysis.StackID]bool{}, groups: map[group]*counts{}}
	p.texts.init(t.Limits().Symbols)
	return p
}
