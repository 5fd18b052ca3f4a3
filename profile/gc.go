package profile

import (
	"strconv"

	"github.com/nettrace-go/nettrace/clr"
	"github.com/nettrace-go/nettrace/codec"
)

// gcState is what is known of the garbage collections and of the suspension that
// are going on.
type gcState struct {
	suspended bool
	pause     record // its beginning
	act       uint32
	open      []collection // at most a few: a background one and one beside it
	during    collection   // the newest that began or ran during the suspension
}

// collection is a garbage collection.
type collection struct {
	number, generation, reason, kind uint32
	compacting, known                bool
	mark                             int
}

// Reasons to suspend all threads that are the collector's own. The sample
// profiler suspends with reason 0 at each tick.
const (
	suspendForGC     = 1
	suspendForGCPrep = 6
)

// gcSuspending takes in the beginning of a suspension.
func (b *builder) gcSuspending(ev *codec.Event) {
	p := b.payload(ev)
	var reason uint32
	if len(p.b) == 2 {
		reason = uint32(p.u16())
	} else {
		reason = p.u32()
	}
	b.gc.suspended = reason == suspendForGC || reason == suspendForGCPrep
	if !b.gc.suspended {
		return
	}
	b.gc.pause, b.gc.act = b.record(ev), b.activity(ev)
	b.gc.during = collection{}
	if n := len(b.gc.open); n > 0 {
		b.gc.during = b.gc.open[n-1]
	}
}

// gcRestarted makes a sample of a suspension that is over: its time, on the
// thread that suspended, below the collector and the generation.
func (b *builder) gcRestarted(ev *codec.Event) {
	g := &b.gc
	if !g.suspended {
		return
	}
	g.suspended = false
	generation := frameGenUnknown
	if g.during.known && g.during.generation <= 2 {
		generation = frameGen0 + FrameID(g.during.generation)
	}
	r := g.pause
	b.detail = detail{activity: g.act, label: uint32(len(b.p.labels)), leaf: generation}
	b.gcLabels(&g.during)
	from, count := b.detail.label, uint32(len(b.p.labels))-b.detail.label
	b.keep(GC, r, b.p.nanos.of(int64(ev.Timestamp-r.ticks)), 1)
	b.addMark(mark{
		from: r.ticks, until: ev.Timestamp, kind: Span, thread: r.thread, provider: b.p.texts.of(runtimeProvider),
		name: b.p.texts.of("GC pause"), label: from, labels: count,
	})
}

// gcLabels says which collection it is, as far as that is known.
func (b *builder) gcLabels(c *collection) {
	if !c.known {
		return
	}
	b.labelText(keyGCGeneration, strconv.FormatUint(uint64(c.generation), 10))
	b.labelText(keyGCReason, gcName("GCReasonMap", c.reason))
	b.labelText(keyGCType, gcName("GCTypeMap", c.kind))
	b.labelNum(keyGCNumber, int64(c.number))
	b.labelText(keyGCCompacting, strconv.FormatBool(c.compacting))
}

// gcName names a value of one of GCStart's enumerations.
func gcName(enumeration string, value uint32) string {
	e, _ := clr.Lookup(runtimeProvider, 1, 2)
	for _, m := range e.Maps {
		if m != nil && m.ID == enumeration {
			return m.Text(uint64(value))
		}
	}
	return strconv.FormatUint(uint64(value), 10)
}

// openCollections bounds the collections that are waited for: there are two at
// most, and an end may be missing.
const openCollections = 8

// gcStart takes in the beginning of a collection.
func (b *builder) gcStart(ev *codec.Event) {
	p := b.payload(ev)
	c := collection{number: p.u32(), generation: p.u32(), reason: p.u32(), kind: p.u32(), known: true}
	c.mark = b.addMark(mark{
		from: ev.Timestamp, kind: Async, thread: b.thread(ev), provider: b.p.texts.of(runtimeProvider),
		name: b.p.texts.of("GC gen " + strconv.FormatUint(uint64(c.generation), 10)),
	})
	if len(b.gc.open) == openCollections {
		b.gc.open = append(b.gc.open[:0], b.gc.open[1:]...)
	}
	b.gc.open = append(b.gc.open, c)
	b.gc.during = c
}

// gcHistory tells what a collection did, before its end.
func (b *builder) gcHistory(ev *codec.Event) {
	const compaction = 2
	p := b.payload(ev)
	p.take(8 + 4 + 4 + 4 + 4)
	compacting := p.u32()&compaction != 0
	if n := len(b.gc.open); n > 0 && !p.short {
		b.gc.open[n-1].compacting = compacting
		b.gc.during = b.gc.open[n-1]
	}
}

// gcEnd ends the collection of that number.
func (b *builder) gcEnd(ev *codec.Event) {
	p := b.payload(ev)
	number := p.u32()
	for i, c := range b.gc.open {
		if c.number != number {
			continue
		}
		b.gc.open = append(b.gc.open[:i], b.gc.open[i+1:]...)
		if c.mark >= 0 {
			from := uint32(len(b.p.labels))
			b.gcLabels(&c)
			m := &b.p.marks[c.mark]
			m.until, m.label, m.labels = ev.Timestamp, from, uint32(len(b.p.labels))-from
		}
		return
	}
}
