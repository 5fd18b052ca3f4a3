// Package trace is the part trace of a report: what the trace itself does not have,
// so that a reader knows how far the other parts can be trusted.
//
//	part := trace.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]trace.Row) {
//			use(row.ThreadID, row.StartNs, row.Lost)
//		}
//	}
//
// There is one report about the whole trace, with all processes. Its rows are the
// losses: events that a thread logged and that the writer dropped, with the time from
// the thread's last event before them, or the start of the recording, to the next one
// after them, or the last sequence point. Losses of a thread that logs no more events
// and has ended before the last sequence point have no time.
package trace

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/sampling"
	"github.com/nettrace-go/nettrace/model"
)

// Name is the name of the part.
const Name = "trace"

// Part makes the report about the trace. Use New to create one.
type Part struct {
	counts
	intervals sampling.Intervals
}

// counts are numbers of events.
type counts struct {
	trace  *analysis.Trace
	kinds  map[kind]*count
	events int64
	stacks int64 // events with a stack
	code   int64 // of them, events of the runtime, its sampler and tasks, whose stacks reports show
	cut    int64 // events with a truncated stack
	named  int64 // events of a rundown, or of record-trace's own, that name methods
}

// New returns a Part.
func New() *Part { return &Part{counts: counts{kinds: map[kind]*count{}}} }

// Name returns "trace".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) {
	p.trace, p.intervals.Limit = t, t.Limits().Threads
}

// kind is a type of events.
type kind struct {
	provider string
	id       uint32
}

// count counts the events of a kind.
type count struct {
	events        int64
	eventCounters bool // they have values of EventCounters
	dump          bool // only heap dumps have them
}

// eventCounters is the name of the events with values of EventCounters, which any
// provider can have.
const eventCounters = "EventCounters"

// dumpKinds are the events that only heap dumps have.
var dumpKinds = map[clr.Kind]bool{
	clr.KindGCBulkRootEdge: true, clr.KindGCBulkRootConditionalWeakTableElementEdge: true, clr.KindGCBulkNode: true,
	clr.KindGCBulkEdge: true, clr.KindGCBulkRootStaticVar: true,
}

// Handler implements analysis.Part: it counts all events.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler { return p.handler(m, p.intervals.Add) }

// handler returns the function that counts the events of a metadata row, and calls sampled for
// samples.
func (p *counts) handler(m *codec.Metadata, sampled func(*codec.Event)) analysis.Handler {
	key := kind{m.Provider, m.EventID}
	if p.kinds[key] == nil {
		p.kinds[key] = &count{}
	}
	of := p.kinds[key]
	of.eventCounters = of.eventCounters || m.Name == eventCounters
	of.dump = dumpKinds[clr.KindOf(m)]
	sample := m.Provider == clr.SamplerProvider
	shown := sample || m.Provider == clr.RuntimeProvider || m.Provider == clr.TasksProvider
	names := symbols.IsNaming(m) && (m.Provider == clr.RundownProvider || m.Provider == clr.UniversalSystemProvider)
	return func(ev *codec.Event) {
		of.events++
		p.events++
		switch depth := len(ev.Stack()); {
		case depth == model.MaxFrames:
			p.cut++
			fallthrough
		case depth > 0:
			p.stacks++
			if shown {
				p.code++
			}
		}
		if sample {
			sampled(ev)
		}
		if names {
			p.named++
		}
	}
}

// Lost implements analysis.Part: analysis.Trace has the losses.
func (p *Part) Lost(analysis.Thread) {}
