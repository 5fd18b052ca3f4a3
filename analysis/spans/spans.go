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
	open          map[analysis.Thread]open
	inside        map[analysis.Thread][]inside // in the order of their ends
	kept, leftOut int64                        // of inside
	throws, waits bool                         // were recorded
}

// open are the begins of what a thread waits for, in ticks.
type open struct {
	lock, wait       uint64
	locking, waiting bool
}

// inside is what happened on a thread: an exception, or a wait with its end.
type inside struct {
	from, to  uint64 // ticks
	exception bool
}

// New returns a Part.
func New() *Part {
	return &Part{spans: &model.Spans{}, open: map[analysis.Thread]open{}, inside: map[analysis.Thread][]inside{}}
}

// Name returns "spans".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) { p.trace, p.spans = t, t.Spans() }

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

// lockStart handles ContentionStart. A wait that begins in a contention belongs to it.
func (p *Part) lockStart(ev *codec.Event) {
	p.waits = true
	thread := p.trace.Thread(ev)
	o := p.open[thread]
	if !o.locking {
		o.lock, o.locking = ev.Timestamp, true
		p.open[thread] = o
	}
}

func (p *Part) lockStop(ev *codec.Event) {
	p.waits = true
	thread := p.trace.Thread(ev)
	if o := p.open[thread]; o.locking {
		p.add(thread, inside{o.lock, ev.Timestamp, false})
		o.locking = false
		p.open[thread] = o
	}
}

func (p *Part) waitStart(ev *codec.Event) {
	p.waits = true
	thread := p.trace.Thread(ev)
	if o := p.open[thread]; !o.locking {
		o.wait, o.waiting = ev.Timestamp, true
		p.open[thread] = o
	}
}

func (p *Part) waitStop(ev *codec.Event) {
	p.waits = true
	thread := p.trace.Thread(ev)
	if o := p.open[thread]; o.waiting {
		p.add(thread, inside{o.wait, ev.Timestamp, false})
		o.waiting = false
		p.open[thread] = o
	}
}

// Lost implements analysis.Part.
func (p *Part) Lost(thread analysis.Thread) { delete(p.open, thread) }

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
