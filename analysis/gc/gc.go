// Package gc is the part gc of a report: what the garbage collector did.
//
//	part := gc.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]gc.Row) {
//			use(row.Number, row.PauseNs)
//		}
//	}
//
// # Pauses
//
// A pause is a suspension of all threads by the collector: from SuspendEEBegin
// to RestartEEEnd of one thread. Its first part is the time to suspend, up to
// SuspendEEEnd; its last part is the time to resume, from RestartEEBegin on. A
// pause belongs to the collections that start in it. A background collection
// has a second pause, in which usually no collection starts. If a background
// and an ephemeral collection start in one pause, the part before the second
// start belongs to the first one. A pause in which none starts, and that is not
// of a background collection, is a row of its own: the start of a no-GC region,
// or a change of the number of heaps, for example.
//
// # Heap
//
// Sizes after a collection and promoted bytes are those of GCHeapStats, sizes
// before it and fragmentation those of GCPerHeapHistory. The allocated bytes of a
// row are computed from the heap histories, like TraceEvent does: that is an
// estimate. The histories of background collections and of server GC lack up to half
// of it: there, without AllocationTick events, the allocated bytes are unknown. If the
// trace has these events, AllocationTickBytes is exact to the size of one tick, about
// 100 kB. The number of pinned objects is that of GCHeapStats, their
// sizes and types are those of PinObjectAtGCTime.
package gc

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// Name is the name of the part.
const Name = "gc"

// Part makes the reports about garbage collections. Use New to create one.
type Part struct {
	trace    *analysis.Trace
	runtimes map[runtimeKey]*runtime
	last     *runtime // of the last event
}

// New returns a Part.
func New() *Part { return &Part{runtimes: map[runtimeKey]*runtime{}} }

// Name returns "gc".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) { p.trace = t }

// route is what is done with an event, and what reads the number of the runtime in
// the process.
type route struct {
	do       func(*runtime, *codec.Event)
	instance func(*codec.Event) uint16
}

// routes are the events of the part.
var routes = map[clr.Kind]route{
	clr.KindGCStart:             {(*runtime).collectionStart, func(ev *codec.Event) uint16 { return clr.GCStart(ev).ClrInstanceID() }},
	clr.KindGCEnd:               {(*runtime).collectionEnd, func(ev *codec.Event) uint16 { return clr.GCEnd(ev).ClrInstanceID() }},
	clr.KindGCRestartEEEnd:      {(*runtime).restartEnd, suspensionInstance},
	clr.KindGCHeapStats:         {(*runtime).heapStats, func(ev *codec.Event) uint16 { return clr.GCHeapStats(ev).ClrInstanceID() }},
	clr.KindGCRestartEEBegin:    {(*runtime).restartBegin, suspensionInstance},
	clr.KindGCSuspendEEEnd:      {(*runtime).suspendEnd, suspensionInstance},
	clr.KindGCSuspendEEBegin:    {(*runtime).suspendBegin, func(ev *codec.Event) uint16 { return clr.GCSuspendEEBegin(ev).ClrInstanceID() }},
	clr.KindGCAllocationTick:    {(*runtime).allocationTick, func(ev *codec.Event) uint16 { return clr.GCAllocationTick(ev).ClrInstanceID() }},
	clr.KindPinObjectAtGCTime:   {(*runtime).pinnedObject, func(ev *codec.Event) uint16 { return clr.PinObjectAtGCTime(ev).ClrInstanceID() }},
	clr.KindGCTriggered:         {(*runtime).triggered, func(ev *codec.Event) uint16 { return clr.GCTriggered(ev).ClrInstanceID() }},
	clr.KindGCPerHeapHistory:    {(*runtime).heapHistory, func(ev *codec.Event) uint16 { return clr.GCPerHeapHistory(ev).ClrInstanceID() }},
	clr.KindGCGlobalHeapHistory: {(*runtime).globalHistory, func(ev *codec.Event) uint16 { return clr.GCGlobalHeapHistory(ev).ClrInstanceID() }},
}

// suspensionInstance reads the runtime of an event of a suspension after its begin.
func suspensionInstance(ev *codec.Event) uint16 { return clr.GCRestartEEEnd(ev).ClrInstanceID() }

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	route, ok := routes[clr.KindOf(m)]
	if !ok {
		return nil
	}
	return func(ev *codec.Event) { route.do(p.runtime(keyOf(p.trace, ev, route)), ev) }
}

// keyOf returns the runtime of an event.
func keyOf(t *analysis.Trace, ev *codec.Event, of route) runtimeKey {
	return runtimeKey{t.Process(ev), of.instance(ev)}
}

// runtime returns the state of a runtime.
func (p *Part) runtime(key runtimeKey) *runtime {
	if p.last == nil || p.last.key != key {
		p.last = p.runtimes[key]
		if p.last == nil {
			p.last = newRuntime(p.trace, key)
			p.runtimes[key] = p.last
		}
	}
	return p.last
}

// Lost implements analysis.Part.
func (p *Part) Lost(thread analysis.Thread) {
	for _, r := range p.runtimes {
		r.lost(thread)
	}
}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	var list []analysis.Report
	for _, key := range sortedKeys(p.runtimes) {
		if r := p.runtimes[key]; r.recorded() {
			list = append(list, r.report(t))
		}
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, collections))
	}
	return list
}

// The events that the part needs.
var (
	collections = analysis.Missing("garbage collections", clr.RuntimeProvider, 0x1, 4)
	suspensions = analysis.Missing("suspensions, for the pauses", clr.RuntimeProvider, 0x1, 4)
	allocations = analysis.Missing("allocations (AllocationTick), for exact allocated bytes", clr.RuntimeProvider, 0x1, 5)
)

// runtimeKey identifies a runtime in a process.
type runtimeKey struct {
	process  uint64
	instance uint16
}

func sortedKeys(m map[runtimeKey]*runtime) []runtimeKey {
	var keys []runtimeKey
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b runtimeKey) int {
		return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.instance, b.instance))
	})
	return keys
}

// runtime has the collections of one runtime.
type runtime struct {
	key   runtimeKey
	trace *analysis.Trace

	rows    []*collection // in the order of their starts; pauses without a collection too
	settled int           // rows whose allocated bytes are computed
	leftOut int64         // rows above the limit
	open    []*collection // that have not ended
	pauses  []*suspension // that have ended, of the collector

	suspending model.Suspending[analysis.Thread, *suspension] // with nil for those that are no pauses

	byThread map[analysis.Thread]*threadState
	trigger  trigger
	pins     pins
	ticks    [kinds]int64 // AllocationTick bytes since the last start
	allTicks int64
	hasTicks bool

	others        int64 // suspensions that are not the collector's
	othersNs      int64
	beganBefore   int64 // collections that ended and whose start is not in the trace
	orphans       int64 // heap histories without a collection
	first, latest uint32
	hasNumbers    bool
}

func newRuntime(t *analysis.Trace, key runtimeKey) *runtime {
	return &runtime{key: key, trace: t, byThread: map[analysis.Thread]*threadState{}}
}

// recorded reports whether there were events about collections.
func (r *runtime) recorded() bool {
	return len(r.rows) > 0 || r.others > 0 || r.beganBefore > 0 || len(r.suspending.Open()) > 0
}

// threadState is what a thread of the collector did last.
type threadState struct {
	ended   *collection // the last collection that it ended
	history *collection // the collection that its heap histories are about
}

func (r *runtime) thread(ev *codec.Event) *threadState {
	id := r.trace.Thread(ev)
	s := r.byThread[id]
	if s == nil {
		if int64(len(r.byThread)) >= r.trace.Limits().Threads {
			clear(r.byThread)
		}
		s = &threadState{}
		r.byThread[id] = s
	}
	return s
}

// lost forgets what is open on a thread.
func (r *runtime) lost(thread analysis.Thread) {
	delete(r.byThread, thread)
	r.suspending.Lost(thread)
}
