// Package spans is the part spans of a report: the times between the starts and stops that
// event sources write, such as the targets and tasks of MSBuild.
//
//	part := spans.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]spans.Row) {
//			use(row.Name, row.Key, row.TotalNs)
//		}
//	}
//
// # Pairs
//
// An event is a start or a stop by its opcode, or without an opcode by the suffix Start or
// Stop of its name. The two are joined by activity id, by fields of the same name and value
// that both carry, or else by nesting on their thread. Where several spans of one name are
// open and nothing tells them apart, none is joined: the stop is counted as ambiguous.
// Nesting is no evidence if an async method writes the events, or if spans of the name
// move from thread to thread.
package spans

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// Name is the name of the part.
const Name = "spans"

// Part makes the reports about spans. Use New to create one.
type Part struct {
	trace         *analysis.Trace
	spans         *model.Spans
	contending    *model.Contending[analysis.Thread, struct{}]
	waiting       *model.Waiting[analysis.Thread, struct{}]
	inside        map[analysis.Thread][]inside // in the order of their ends
	kept, leftOut int64                        // of inside
	throws, waits bool                         // were recorded
}

// inside is what happened on a thread: an exception, or a wait with its end.
type inside struct {
	from, to  uint64 // ticks
	exception bool
}

// New returns a Part.
func New() *Part {
	return &Part{spans: &model.Spans{}, inside: map[analysis.Thread][]inside{}}
}

// Name returns "spans".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) {
	p.trace, p.spans = t, t.Spans()
	p.contending = model.NewContending[analysis.Thread, struct{}](t.Limits().Threads, analysis.Thread.Compare)
	p.waiting = model.NewWaiting[analysis.Thread, struct{}](t.Limits().Threads, analysis.Thread.Compare)
}

// handlers are those of the events that can be inside of a span.
var handlers = map[clr.Kind]func(*Part, *codec.Event){
	clr.KindExceptionThrown:     (*Part).thrown,
	clr.KindContentionStart:     (*Part).lockStart,
	clr.KindContentionStop:      (*Part).lockStop,
	clr.KindWaitHandleWaitStart: (*Part).waitStart,
	clr.KindWaitHandleWaitStop:  (*Part).waitStop,
}

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	do := handlers[clr.KindOf(m)]
	if do == nil {
		return nil
	}
	return func(ev *codec.Event) { do(p, ev) }
}

// add adds what happened on a thread.
func (p *Part) add(thread analysis.Thread, one inside) {
	if p.kept >= p.trace.Limits().Rows {
		p.leftOut++
		return
	}
	p.kept++
	p.inside[thread] = append(p.inside[thread], one)
}

func (p *Part) thrown(ev *codec.Event) {
	p.throws = true
	p.add(p.trace.Thread(ev), inside{ev.Timestamp, ev.Timestamp, true})
}

func (p *Part) lockStart(ev *codec.Event) {
	p.waits = true
	p.contending.Start(p.trace.Thread(ev), ev)
}

// lockStop handles ContentionStop. The time of contentions within another one is that one's.
func (p *Part) lockStop(ev *codec.Event) {
	p.waits = true
	if one, begun := p.contending.Stop(p.trace.Thread(ev), ev); begun && p.contending.Last(one.Thread) == nil {
		p.add(one.Thread, inside{one.From, one.To, false})
	}
}

func (p *Part) waitStart(ev *codec.Event) {
	p.waits = true
	thread := p.trace.Thread(ev)
	p.waiting.Start(thread, ev, p.contending.Last(thread) != nil)
}

// waitStop handles WaitHandleWaitStop. The time of a wait in a contention is that one's.
func (p *Part) waitStop(ev *codec.Event) {
	p.waits = true
	if one, begun := p.waiting.Stop(p.trace.Thread(ev), ev); begun && !one.InContention {
		p.add(one.Thread, inside{one.From, one.To, false})
	}
}

// Lost implements analysis.Part.
func (p *Part) Lost(thread analysis.Thread) {
	p.contending.Lost(thread)
	p.waiting.Lost(thread)
}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	var list []analysis.Report
	for _, process := range p.spans.Processes() {
		list = append(list, p.report(t, process, p.spans.Counts(process)))
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, sources))
	}
	return list
}

// sources are what the part needs: an event source of the program, or of its libraries.
var sources = analysis.Missing("starts and stops of an event source", "PROVIDER", 0xffffffffffffffff, 4)
