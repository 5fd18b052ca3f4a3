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
// estimate, wrong by some percent if there are background collections. If the
// trace has AllocationTick events, AllocationTickBytes is exact to the size of
// one tick, about 100 kB. The number of pinned objects is that of GCHeapStats, their
// sizes and types are those of PinObjectAtGCTime.
package gc

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/order"
	"github.com/nettrace-go/nettrace/internal/payload"
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

// routes are the events of the part, by id, and where their payloads have the
// number of the runtime in the process.
var routes = map[uint32]struct {
	do       func(*runtime, *codec.Event)
	instance int
}{
	1:                {(*runtime).collectionStart, 16},
	2:                {(*runtime).collectionEnd, 8},
	restartEndID:     {(*runtime).restartEnd, 0},
	4:                {(*runtime).heapStats, 92},
	restartBeginID:   {(*runtime).restartBegin, 0},
	suspendEndID:     {(*runtime).suspendEnd, 0},
	suspendBeginID:   {(*runtime).suspendBegin, 8},
	allocationTickID: {(*runtime).allocationTick, 8},
	33:               {(*runtime).pinnedObject, atEnd},
	35:               {(*runtime).triggered, 4},
	204:              {(*runtime).heapHistory, 0},
	205:              {(*runtime).globalHistory, 28},
}

// atEnd is the place of a number at the end of a payload whose length varies.
const atEnd = -2

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	route, ok := routes[m.EventID]
	if m.Provider != analysis.RuntimeProvider || !ok {
		return nil
	}
	return func(ev *codec.Event) { route.do(p.runtime(keyOf(p.trace, ev, route.instance)), ev) }
}

// keyOf returns the runtime of an event, whose payload has its number at a position.
func keyOf(t *analysis.Trace, ev *codec.Event, at int) runtimeKey {
	key := runtimeKey{t.Process(ev), 0}
	b := ev.Payload()
	if at == atEnd {
		at += len(b)
	}
	if at >= 0 && len(b) >= at+2 {
		key.instance = binary.LittleEndian.Uint16(b[at:])
	}
	return key
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
	collections = analysis.Missing("garbage collections", analysis.RuntimeProvider, 0x1, 4)
	allocations = analysis.Missing("allocations (AllocationTick), for exact allocated bytes", analysis.RuntimeProvider, 0x1, 5)
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
	order.Sort(keys, func(a, b runtimeKey) int {
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
	active  []*suspension // that have not ended, of any reason
	spent   *suspension   // one that has ended and is not in pauses, whose memory is used for the next one; nil for none

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
	return len(r.rows) > 0 || r.others > 0 || r.beganBefore > 0 || len(r.active) > 0
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
	r.active = slices.DeleteFunc(r.active, func(s *suspension) bool { return s.thread == thread })
}

// payload reads an event's fields.
func (r *runtime) payload(ev *codec.Event) payload.Reader {
	return payload.New(ev.Payload(), r.trace.Header.PointerSize)
}
