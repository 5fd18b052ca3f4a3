package profile

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/recording"
	"github.com/nettrace-go/nettrace/internal/rowtable"
)

// handling is what is done with the events of one type.
type handling struct {
	do func(*builder, *codec.Event)
	// step makes a step of an event of a chunk, for builder.step. It returns false for an
	// event that do needs. nil: do needs all.
	step func(*chunkReader, *codec.Event, *step) bool
}

// routes are the events that something is done with, and the type of sample they
// make; they are left out when nobody wants the type.
var routes = map[clr.Kind]struct {
	handling
	of Type
}{
	clr.KindGCStart:                       {handling{(*builder).gcStart, nil}, GC},
	clr.KindGCEnd:                         {handling{(*builder).gcEnd, nil}, GC},
	clr.KindGCRestartEEEnd:                {handling{(*builder).gcRestarted, (*chunkReader).restarted}, GC},
	clr.KindGCSuspendEEBegin:              {handling{(*builder).suspendBegin, (*chunkReader).suspending}, typeCount},
	clr.KindGCGlobalHeapHistory:           {handling{(*builder).gcHistory, nil}, GC},
	clr.KindGCAllocationTick:              {handling{(*builder).allocationTick, (*chunkReader).allocationTick}, Alloc},
	clr.KindAllocationSampled:             {handling{(*builder).allocationSampled, nil}, Alloc},
	clr.KindBulkType:                      {handling{(*builder).typesNamed, nil}, Alloc},
	clr.KindGCSampledObjectAllocationHigh: {handling{(*builder).objectsAllocated, nil}, Alloc},
	clr.KindGCSampledObjectAllocationLow:  {handling{(*builder).objectsAllocated, nil}, Alloc},
	clr.KindGCFinalizersEnd:               {handling{(*builder).finalizing, nil}, typeCount},
	clr.KindGCFinalizersBegin:             {handling{(*builder).finalizing, nil}, typeCount},
	clr.KindExceptionThrown:               {handling{(*builder).exceptionThrown, (*chunkReader).exceptionThrown}, Exception},
	clr.KindContentionStart:               {handling{(*builder).contentionStart, nil}, Lock},
	clr.KindContentionStop:                {handling{(*builder).contentionStop, nil}, Lock},
	clr.KindThreadCreated:                 {handling{(*builder).threadCreated, nil}, typeCount},
	clr.KindThreadDC:                      {handling{(*builder).threadCreated, nil}, typeCount},
	clr.KindThreadTerminated:              {handling{(*builder).ownerThread, nil}, typeCount},
	clr.KindRuntimeInformationStart:       {handling{(*builder).ownerThread, nil}, typeCount},
	clr.KindRuntimeInformationDCStart:     {handling{(*builder).ownerThread, nil}, typeCount},
	clr.KindGCMarkWithType:                {handling{(*builder).marked, nil}, typeCount},
	clr.KindWaitHandleWaitStart:           {handling{(*builder).waitStart, nil}, Wait},
	clr.KindWaitHandleWaitStop:            {handling{(*builder).waitStop, nil}, Wait},
	clr.KindThreadSample:                  {handling{(*builder).sampled, (*chunkReader).sampled}, Wall},
	clr.KindThreadTime:                    {handling{(*builder).threadTime, nil}, CPUApprox},
	clr.KindProcessInfo:                   {handling{(*builder).processInfo, nil}, typeCount},
	clr.KindUniversalCPU:                  {handling{(*builder).cpuSample, nil}, CPU},
	clr.KindUniversalContextSwitch:        {handling{(*builder).contextSwitch, nil}, Switch},

	clr.KindThreadPoolWorkerThreadStart:            {handling{(*builder).poolThread, (*chunkReader).poolThread}, typeCount},
	clr.KindThreadPoolWorkerThreadAdjustmentSample: {handling{(*builder).poolThread, (*chunkReader).poolThread}, typeCount},
	clr.KindThreadPoolWorkerThreadWait:             {handling{(*builder).poolThread, (*chunkReader).poolThread}, typeCount},

	clr.KindBGCBegin:     {handling{(*builder).backgroundGC, nil}, typeCount},
	clr.KindBGC1stConEnd: {handling{(*builder).backgroundGC, nil}, typeCount},
	clr.KindBGCDrainMark: {handling{(*builder).backgroundGC, nil}, typeCount},
	clr.KindBGCRevisit:   {handling{(*builder).backgroundGC, nil}, typeCount},
}

// route is the handling of the events of one metadata row.
type route struct {
	handling
	recorded recording.Classes
	naming   bool // symbols.IsNaming
}

// routeIn returns the route of a metadata row in the table of a goroutine, which is made once.
func (b *builder) routeIn(t *rowtable.Table[route], id uint32, m *codec.Metadata) *route {
	if r := t.Find(id, m); r != nil {
		return r
	}
	return t.Put(id, m, b.routeOf(m))
}

// routeOf makes the route of a metadata row.
func (b *builder) routeOf(m *codec.Metadata) route {
	r := route{recorded: recording.ClassesOf(m), naming: symbols.IsNaming(m) || b.p.opt.Lines != nil && symbols.IsLines(m)}
	own := b.withRequests(m, b.ownRoute(m))
	switch {
	case !b.selected(m):
		r.handling = own
	case own.do == nil:
		r.do = (*builder).selectedEvent
	default:
		r.do = func(b *builder, ev *codec.Event) { own.do(b, ev); b.selectedEvent(ev) }
	}
	return r
}

// ownRoute returns the handling of an event that the profile interprets.
func (b *builder) ownRoute(m *codec.Metadata) handling {
	kind := clr.KindOf(m)
	if kind == clr.KindGCSuspendEEBegin && !b.kept[Wall] && !b.kept[GC] {
		return handling{}
	}
	if found, ok := routes[kind]; ok && (found.of == typeCount || b.kept[found.of]) {
		return found.handling
	}
	if route := b.taskRoute(kind); route != nil {
		return handling{do: route}
	}
	if m.Provider == async.Provider && m.EventID == async.EventID {
		if b.p.opt.Physical {
			return handling{}
		}
		return handling{do: (*builder).asyncBuffer}
	}
	if b.p.opt.Marks && isEventSource(m.Provider) {
		return handling{(*builder).mark, (*chunkReader).mark}
	}
	return handling{}
}

// EventType returns the type of the samples that are made of the events of a
// metadata row, Event if there is none.
func EventType(m *codec.Metadata) Type {
	if m.Provider == clr.RuntimeProvider || m.Provider == clr.SamplerProvider || m.Provider == clr.UniversalEventsProvider {
		if found, ok := routes[clr.KindOf(m)]; ok && found.of < typeCount {
			return found.of
		}
	}
	return Event
}

// selected reports whether Options.Provider and Event select an event.
func (b *builder) selected(m *codec.Metadata) bool {
	o := &b.p.opt
	return o.Provider != "" && m.Provider == o.Provider && (!o.HasEvent || m.EventID == o.Event)
}

// selectedEvent makes a sample of a selected event.
func (b *builder) selectedEvent(ev *codec.Event) {
	if len(ev.Stack()) == 0 {
		b.p.bare++
		return
	}
	b.begin(ev)
	b.detail.of, b.detail.offset = ev.Metadata(), ev.Offset()
	b.eventLabels(ev)
	r := b.record(ev)
	if EventType(ev.Metadata()) == Wall && isManaged(ev) {
		r.detail = managedBit
	}
	b.keep(Event, b.thread(ev), r, 1, 1)
}

// sampled handles a sample of the sample profiler.
func (b *builder) sampled(ev *codec.Event) {
	if clr.ThreadSample(ev).Short() {
		return
	}
	r, thread := b.record(ev), b.thread(ev)
	if isManaged(ev) {
		r.detail = managedBit
	}
	from := originOf(ev)
	c := b.sampler(&from, ev.Sequence)
	b.sample(c, b.lastRound(c, thread), thread, r)
}

// isManaged reports whether a sample of the sample profiler is in managed code.
func isManaged(ev *codec.Event) bool {
	const managed = 2 // 1 is external code
	return clr.ThreadSample(ev).Type() == managed
}

// begin starts the detail of a sample. Calls of label follow, then keep.
func (b *builder) begin(ev *codec.Event) {
	b.detail = detail{activity: b.activity(ev), label: b.nextLabel()}
}

// keep keeps a sample with the detail that was begun.
func (b *builder) keep(t Type, thread uint32, r record, value, count int64) {
	b.detail.value, b.detail.count = value, count
	b.detail.labels = b.nextLabel() - b.detail.label
	r.detail = r.detail&managedBit | uint32(b.p.details.count)
	b.p.details.addWith(b.detail, &b.spare.details)
	b.add(t, thread, r)
}

// activity interns the activity ids of an event.
func (b *builder) activity(ev *codec.Event) uint32 { return b.activityPair(activitiesOf(ev)) }

// activitiesOf returns the activity ids of an event.
func activitiesOf(ev *codec.Event) activityPair {
	return activityPair{ev.Activity(), ev.RelatedActivity()}
}

// activityPair interns activity ids.
func (b *builder) activityPair(pair activityPair) uint32 {
	if pair == (activityPair{}) {
		return 0
	}
	id, ok := b.activities[pair]
	if !ok {
		id = uint32(len(b.p.activityPairs))
		b.p.activityPairs = append(b.p.activityPairs, pair)
		b.activities[pair] = id
	}
	return id
}
