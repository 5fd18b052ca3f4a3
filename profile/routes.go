package profile

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/payload"
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

// routes are the runtime's events that something is done with, by id, and the
// type of sample they make; they are left out when nobody wants the type.
var runtimeRoutes = map[uint32]struct {
	do func(*builder, *codec.Event)
	of Type
}{
	1:   {(*builder).gcStart, GC},
	2:   {(*builder).gcEnd, GC},
	3:   {(*builder).gcRestarted, GC},
	9:   {(*builder).suspending, typeCount},
	205: {(*builder).gcHistory, GC},
	10:  {(*builder).allocationTick, Alloc},
	303: {(*builder).allocationSampled, Alloc},
	13:  {(*builder).finalizing, typeCount},
	14:  {(*builder).finalizing, typeCount},
	50:  {(*builder).poolThread, typeCount},
	54:  {(*builder).poolThread, typeCount},
	57:  {(*builder).poolThread, typeCount},
	80:  {(*builder).exceptionThrown, Exception},
	81:  {(*builder).contentionStart, Lock},
	85:  {(*builder).threadCreated, typeCount},
	91:  {(*builder).contentionStop, Lock},
	202: {(*builder).marked, typeCount},
	301: {(*builder).waitStart, Wait},
	302: {(*builder).waitStop, Wait},
}

// routeOf returns the handling of the events of a metadata row, nil for none.
func (b *builder) routeOf(m *codec.Metadata) func(*builder, *codec.Event) {
	own := b.ownRoute(m)
	if b.selected(m) {
		if own == nil {
			return (*builder).selectedEvent
		}
		return func(b *builder, ev *codec.Event) { own(b, ev); b.selectedEvent(ev) }
	}
	return own
}

// ownRoute returns the handling of an event that the profile interprets.
func (b *builder) ownRoute(m *codec.Metadata) func(*builder, *codec.Event) {
	switch m.Provider {
	case samplerProvider:
		if m.EventID == 0 && b.kept[Wall] {
			return (*builder).sampled
		}
	case runtimeProvider:
		if m.EventID == 9 && !b.kept[Wall] && !b.kept[GC] {
			return nil
		}
		found, ok := runtimeRoutes[m.EventID]
		if ok && (found.of == typeCount || b.kept[found.of]) {
			return found.do
		}
	case rundownProvider:
		if m.EventID == 159 {
			return (*builder).threadCreated
		}
	case collectorProvider:
		if m.EventID == 1 && b.kept[CPUApprox] {
			return (*builder).threadTime
		}
	case privateProvider:
		switch m.EventID {
		case 11, 13, 20, 21:
			return (*builder).backgroundGC
		}
	case processProvider:
		if m.EventID == 1 {
			return (*builder).processInfo
		}
	case sampledProvider:
		switch {
		case m.Name == "cpu" && b.kept[CPU]:
			return (*builder).cpuSample
		case m.Name == "cswitch" && b.kept[Switch]:
			return (*builder).contextSwitch
		}
	case taskProvider:
		if route := b.taskRoute(m); route != nil {
			return route
		}
		fallthrough
	default:
		if b.p.opt.Marks && isEventSource(m.Provider) {
			return (*builder).mark
		}
	}
	return nil
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
	r.until = uint64(b.roundOf(ev, thread)) // until finish
	b.add(Wall, thread, r)
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
	b.detail = detail{activity: b.activity(ev), label: uint32(len(b.p.labels))}
}

// keep keeps a sample with the detail that was begun.
func (b *builder) keep(t Type, thread uint32, r record, value, count int64) {
	b.detail.value, b.detail.count = value, count
	b.detail.labels = uint32(len(b.p.labels)) - b.detail.label
	r.detail = r.detail&managedBit | b.p.details.add(b.detail)
	b.add(t, thread, r)
}

// activity interns the activity ids of an event.
func (b *builder) activity(ev *codec.Event) uint32 {
	pair := activityPair{ev.Activity(), ev.RelatedActivity()}
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
