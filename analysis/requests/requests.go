// Package requests is the part requests of a report: the HTTP requests that the
// process served and sent.
//
//	part := requests.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]requests.Row) {
//			use(row.Route, row.DurationNs)
//		}
//	}
//
// # Incoming requests
//
// Package [github.com/nettrace-go/nettrace/model/incoming] joins what Hosting, the bridge and Kestrel
// wrote of a request. A row begins with the first and ends with the last of these records. A request of
// which the trace has only stops began before the recording: it is Unknown, without times.
// Only the bridge has the status, and only with arguments such as those of the profile requests of package
// [github.com/nettrace-go/nettrace/eventpipe/provider].
//
// # Outgoing requests
//
// A start and a stop of HttpClient are paired by activity id. Activity ids repeat: the runtime gives the
// eleventh and all later children of an activity the same id. A pair is therefore made only while one
// start is open under the id. If several were open at once, these requests are ambiguous: they are
// counted, and have no duration.
//
// The process can send several under one id, but each has its own span: HttpRequestOut of the bridge, and
// the incoming request of the trace that has this span as its parent is the one that it became.
//
// # Waits and allocations
//
// With [Part.With], the requests have those of the parts waits, locks and alloc.
//
// # Time lines
//
// The slowest requests have a time line. The pauses of the garbage collector are
// those of the process. The other intervals and the exceptions belong to the
// request whose work the thread did.
package requests

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/alloc"
	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/analysis/locks"
	"github.com/nettrace-go/nettrace/analysis/waits"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// Name is the name of the part.
const Name = "requests"

// Part makes the reports about requests. Use New to create one.
type Part struct {
	// Details gives rows of incoming requests Parts and Waits. It is set before the first event.
	Details bool

	waits *waits.Part // nil: what threads waited for, and allocated, is that of With
	locks *locks.Part
	alloc *alloc.Part

	trace     *analysis.Trace
	processes processes.Table[process]
	served    *model.Served
}

// New returns a Part.
func New() *Part { return &Part{} }

// Name returns "requests".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) {
	p.trace = t
	p.served = t.Served()
	t.Suspensions().Each(func(by model.Thread, s *model.Suspension) { p.process(by.Process).suspended(s) })
}

// routes are the events of the part, besides the phases.
var routes = map[clr.Kind]func(*process, *codec.Event){
	clr.KindHTTPRequestStart:          (*process).httpStart,
	clr.KindHTTPRequestStop:           (*process).httpStop,
	clr.KindHTTPRequestFailed:         (*process).httpFailed,
	clr.KindHTTPConnectionEstablished: (*process).connectionEstablished,
	clr.KindHTTPConnectionClosed:      (*process).connectionClosed,
	clr.KindHTTPRequestLeftQueue:      (*process).leftQueue,

	clr.KindDiagnosticsPlain:                   (*process).span,
	clr.KindDiagnosticsActivity1Start:          (*process).span,
	clr.KindDiagnosticsActivity2Start:          (*process).span,
	clr.KindDiagnosticsRecursiveActivity1Start: (*process).span,
	clr.KindDiagnosticsActivityStart:           (*process).span,

	clr.KindExceptionThrown:     (*process).exceptionThrown,
	clr.KindContentionStart:     (*process).contentionStart,
	clr.KindContentionStop:      (*process).contentionStop,
	clr.KindWaitHandleWaitStart: (*process).waitStart,
	clr.KindWaitHandleWaitStop:  (*process).waitStop,
}

// handlerOf returns what handles the events of a metadata row.
func handlerOf(m *codec.Metadata) func(*process, *codec.Event) {
	kind := clr.KindOf(m)
	if step, ok := phases[kind]; ok {
		return func(p *process, ev *codec.Event) { p.phase(step, ev) }
	}
	return routes[kind]
}

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	do := handlerOf(m)
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
	return p.processes.Put(id, newProcess(p, id))
}

// Lost implements analysis.Part.
func (p *Part) Lost(thread analysis.Thread) {
	for one := range p.processes.All() {
		if one.id == thread.Process {
			one.lost(thread)
		}
	}
}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	var list []analysis.Report
	for _, id := range p.served.Processes() {
		p.process(id)
	}
	for one := range p.processes.All() {
		if one.recorded() {
			list = append(list, one.report(t))
		}
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, incomingRequests, outgoingRequests))
	}
	return list
}

// The events that the part needs.
var (
	incomingRequests = analysis.Missing("incoming requests", clr.KestrelProvider, 0xffffffffffffffff, 4)
	outgoingRequests = analysis.Missing("outgoing requests", clr.HTTPProvider, 0xffffffffffffffff, 4)
	activities       = analysis.Missing("activity ids, which pair starts and stops", clr.TasksProvider, 0x80, 4)
	statuses         = analysis.Missing("the status of incoming requests", clr.DiagnosticsProvider, 0x3, 5).In("requests") // with arguments
)

// process has the requests of one process.
type process struct {
	id      uint64
	part    *Part
	trace   *analysis.Trace
	details bool
	served  *model.Served

	outgoing []*request            // in the order of their starts
	leftOut  int64                 // above the limit
	pending  map[*request]struct{} // that have not stopped
	sent     counts
	open     open[request] // open outgoing requests by activity id

	phases      open[phase] // open phases of outgoing requests, by activity id
	phaseNs     [kinds][]int64
	phaseFailed [kinds]int64
	queueNs     []int64 // of the requests that waited for a connection

	sentStatus                               map[int64]int64 // number of stops of outgoing requests by status
	failed                                   int64
	connectionsEstablished, connectionsEnded int64

	happened        []happening                  // that can belong to incoming requests
	happenedLeftOut int64                        // above the limit
	sharesLeftOut   int64                        // above the limit
	first           map[string]*incoming.Request // by connection
	pauses          []analysis.Interval          // of the garbage collector
	contending      *model.Contending[analysis.Thread, model.Owned]
	waiting         *model.Waiting[analysis.Thread, model.Owned]
}

func newProcess(part *Part, id uint64) *process {
	return &process{
		id: id, part: part, trace: part.trace, served: part.served, details: part.Details, pending: map[*request]struct{}{}, open: open[request]{}, phases: open[phase]{},
		contending: model.NewContending[analysis.Thread, model.Owned](part.trace.Limits().Threads, analysis.Thread.Compare),
		waiting:    model.NewWaiting[analysis.Thread, model.Owned](part.trace.Limits().Threads, analysis.Thread.Compare),
		sentStatus: map[int64]int64{},
	}
}

// recorded reports whether there were events about requests.
func (p *process) recorded() bool {
	return p.sent.starts+p.sent.stops > 0 || p.served.Requests(p.id) != nil
}

// lost forgets what a loss of events of a thread makes uncertain: the stop of a
// request can be on any thread.
func (p *process) lost(thread analysis.Thread) {
	p.contending.Lost(thread)
	p.waiting.Lost(thread)
	clear(p.open)
	clear(p.phases)
	for r := range p.pending {
		r.lossy = true
	}
	clear(p.pending)
	p.sent.open = 0
}

// maxText bounds the bytes of a text of an event that is kept.
const maxText = 2000

// text returns a text of UTF-16 units: the part that is kept.
func text(units []byte) string { return string(wire.AppendUTF16(nil, shortText(units))) }

// shortText returns the part of a text that is kept, in UTF-16.
func shortText(units []byte) []byte { return units[:min(len(units), maxText)] }
