// Package jit is the part jit of a report: which methods the JIT compiler
// compiled.
//
//	part := jit.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]jit.Row) {
//			use(row.Method, row.Tier, row.DurationNs)
//		}
//	}
//
// # Compilations
//
// A compilation is the time from MethodJittingStarted to the MethodLoadVerbose of
// the same method on the same thread; compilations of a thread nest. It is
// elapsed time, not processor time; Row.PausedNs is how much of it the garbage
// collector paused the process. A method has several compilations if the
// runtime compiles it again in a higher tier. Background compilations run on the
// thread of tiered compilation; all others hold up the thread that calls the
// method.
//
// # Startup
//
// The startup of a process begins with the runtime, if that is in the recording,
// and ends when the runtime resumes tiered compilation or compiles in the
// background for the first time. The runtime waits with both until no new
// methods are called for 100 ms. What holds it up are the compilations on the
// starting thread, the one that compiles first: those of others run beside it.
package jit

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// Name is the name of the part.
const Name = "jit"

// Part makes the reports about compiled methods. Use New to create one.
type Part struct {
	trace     *analysis.Trace
	processes processes.Table[process]
}

// New returns a Part.
func New() *Part { return &Part{} }

// Name returns "jit".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) {
	p.trace = t
	t.Suspensions().Each(func(by model.Thread, s *model.Suspension) {
		if one := p.processes.Get(by.Process); one != nil && s.IsPause() {
			one.pause(s)
		}
	})
}

// routes are the events of the part.
var routes = map[clr.Kind]func(*process, *codec.Event){
	clr.KindMethodLoadVerbose:                   (*process).methodLoad,
	clr.KindMethodJittingStarted:                (*process).jittingStarted,
	clr.KindR2RGetEntryPoint:                    (*process).entryPoint,
	clr.KindRuntimeInformationStart:             (*process).runtimeStart,
	clr.KindTieredCompilationPause:              (*process).tieringPause,
	clr.KindTieredCompilationResume:             (*process).tieringResume,
	clr.KindTieredCompilationBackgroundJitStart: (*process).batchStart,
	clr.KindTieredCompilationBackgroundJitStop:  (*process).batchStop,
}

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	do := routes[clr.KindOf(m)]
	if do == nil {
		return nil
	}
	return func(ev *codec.Event) {
		id := p.trace.Process(ev)
		one := p.processes.Get(id)
		if one == nil {
			one = p.processes.Put(id, newProcess(p.trace, id))
		}
		do(one, ev)
	}
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
		if process.recorded() {
			list = append(list, process.report())
		}
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, compilations, tieredCompilation, entryPoints))
	}
	return list
}

// The events that the part needs.
var (
	compilations      = analysis.Missing("compiled methods", clr.RuntimeProvider, 0x10, 5)
	durations         = analysis.Missing("the begin of compilations, for their time", clr.RuntimeProvider, 0x10, 5)
	tieredCompilation = analysis.Missing("tiered compilation", clr.RuntimeProvider, 0x1000000000, 4)
	entryPoints       = analysis.Missing("the use of ReadyToRun code", clr.RuntimeProvider, 0x2000000000, 4)
)

// process has the compilations of a process.
type process struct {
	id    uint64
	trace *analysis.Trace

	rows    []*method
	names   int64 // bytes of their names
	open    map[analysis.Thread][]*method
	batches map[analysis.Thread]uint64 // start of the open background batch, in ticks

	started, ended bool // there are MethodJittingStarted, jitted MethodLoadVerbose events
	hasRuntime     bool // the start of the runtime is in the recording
	begin          uint64
	startupEnd     uint64          // ticks, 0 if it goes on
	starter        analysis.Thread // that compiles first in the startup
	pauses         []analysis.Interval
	paused         bool
	pausedAt       uint64
	methods        MethodTotals
	tiers          [tiers]TierTotals
	tiering        Tiering
	hasTiering     bool
	entryPoints    int64
}

func newProcess(t *analysis.Trace, id uint64) *process {
	return &process{id: id, trace: t, open: map[analysis.Thread][]*method{}, batches: map[analysis.Thread]uint64{}}
}

// recorded reports whether there were events about compilations.
func (p *process) recorded() bool { return p.started || p.ended || p.hasTiering || p.entryPoints > 0 }

// lost forgets what is open on a thread.
func (p *process) lost(thread analysis.Thread) {
	delete(p.open, thread)
	delete(p.batches, thread)
}
