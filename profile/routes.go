package profile

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/payload"
	"github.com/nettrace-go/nettrace/internal/recording"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// The providers of the events that samples are made of.
const (
	samplerProvider = "Microsoft-DotNETCore-SampleProfiler"
	runtimeProvider = "Microsoft-Windows-DotNETRuntime"
	rundownProvider = runtimeProvider + "Rundown"
	privateProvider = runtimeProvider + "Private"
)

const (
	processProvider = "Microsoft-DotNETCore-EventPipe"
	sampledProvider = "Universal.Events"
)

// handling is what is done with the events of one type.
type handling struct {
	do func(*builder, *codec.Event)
	// step makes a step of an event of a chunk, for builder.step. It returns false for an
	// event that do needs. nil: do needs all.
	step func(*chunkReader, *codec.Event, *step) bool
}

// runtimeRoutes are the runtime's events that something is done with, by id, and the
// type of sample they make; they are left out when nobody wants the type.
var runtimeRoutes = map[uint32]struct {
	handling
	of Type
}{
	1:   {handling{(*builder).gcStart, nil}, GC},
	2:   {handling{(*builder).gcEnd, nil}, GC},
	3:   {handling{(*builder).gcRestarted, (*chunkReader).restarted}, GC},
	9:   {handling{(*builder).suspending, (*chunkReader).suspending}, typeCount},
	205: {handling{(*builder).gcHistory, nil}, GC},
	10:  {handling{(*builder).allocationTick, (*chunkReader).allocationTick}, Alloc},
	303: {handling{(*builder).allocationSampled, nil}, Alloc},
	13:  {handling{(*builder).finalizing, nil}, typeCount},
	14:  {handling{(*builder).finalizing, nil}, typeCount},
	50:  {handling{(*builder).poolThread, (*chunkReader).poolThread}, typeCount},
	54:  {handling{(*builder).poolThread, (*chunkReader).poolThread}, typeCount},
	57:  {handling{(*builder).poolThread, (*chunkReader).poolThread}, typeCount},
	80:  {handling{(*builder).exceptionThrown, (*chunkReader).exceptionThrown}, Exception},
	81:  {handling{(*builder).contentionStart, nil}, Lock},
	85:  {handling{(*builder).threadCreated, nil}, typeCount},
	91:  {handling{(*builder).contentionStop, nil}, Lock},
	86:  {handling{(*builder).ownerThread, nil}, Lock},
	187: {handling{(*builder).ownerThread, nil}, typeCount},
	202: {handling{(*builder).marked, nil}, typeCount},
	301: {handling{(*builder).waitStart, nil}, Wait},
	302: {handling{(*builder).waitStop, nil}, Wait},
}

// routeOf returns the route of a metadata row.
func (b *builder) routeOf(m *codec.Metadata) route {
	r := route{of: m, recorded: recording.ClassesOf(m), naming: symbols.IsNaming(m) || b.p.opt.Lines != nil && symbols.IsLines(m)}
	own := b.ownRoute(m)
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
	switch m.Provider {
	case samplerProvider:
		if m.EventID == 0 && b.kept[Wall] {
			return handling{(*builder).sampled, (*chunkReader).sampled}
		}
	case runtimeProvider:
		if m.EventID == 9 && !b.kept[Wall] && !b.kept[GC] {
			return handling{}
		}
		found, ok := runtimeRoutes[m.EventID]
		if ok && (found.of == typeCount || b.kept[found.of]) {
			return found.handling
		}
	case rundownProvider:
		switch {
		case m.EventID == 159:
			return handling{do: (*builder).threadCreated}
		case runtimes.IsThread(m):
			return handling{do: (*builder).ownerThread}
		}
	case collectorProvider:
		if m.EventID == 1 && b.kept[CPUApprox] {
			return handling{do: (*builder).threadTime}
		}
	case privateProvider:
		switch m.EventID {
		case 11, 13, 20, 21:
			return handling{do: (*builder).backgroundGC}
		}
	case processProvider:
		if m.EventID == 1 {
			return handling{do: (*builder).processInfo}
		}
	case sampledProvider:
		switch {
		case m.Name == "cpu" && b.kept[CPU]:
			return handling{do: (*builder).cpuSample}
		case m.Name == "cswitch" && b.kept[Switch]:
			return handling{do: (*builder).contextSwitch}
		}
	case taskProvider:
		if route := b.taskRoute(m); route != nil {
			return handling{do: route}
		}
		fallthrough
	default:
		if b.p.opt.Marks && isEventSource(m.Provider) {
			return handling{(*builder).mark, (*chunkReader).mark}
		}
	}
	return handling{}
}

// EventType returns the type of the samples that are made of the events of a
// metadata row, Event if there is none.
func EventType(m *codec.Metadata) Type {
	switch {
	case m.Provider == samplerProvider && m.EventID == 0:
		return Wall
	case m.Provider == runtimeProvider:
		if found, ok := runtimeRoutes[m.EventID]; ok && found.of < typeCount {
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
	if len(ev.Payload()) < 4 {
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
	p := ev.Payload()
	return len(p) >= 4 && binary.LittleEndian.Uint32(p) == managed
}

// payload reads an event's fields.
func (b *builder) payload(ev *codec.Event) payload.Reader {
	return payload.New(ev.Payload(), b.p.Trace.PointerSize)
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
