package profile

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// gcState has the events of garbage collections of a process. They are combined
// at the end, because several threads log them, and a stream is in time order
// only within one thread.
type gcState struct {
	collections []collection
	ends        []gcEvent // by number
	histories   []gcEvent // the kind of collection
	pauses      []pause
}

// collection is a garbage collection.
type collection struct {
	from, until                      uint64 // ticks; 0: the end is not in the trace
	thread                           uint32
	number, generation, reason, kind uint32
	compacting                       bool
}

// gcEvent is an event about a collection.
type gcEvent struct {
	ticks uint64
	value uint32
}

// pause is a suspension by the collector.
type pause struct {
	thread     uint32
	r          record
	activity   uint32
	unfinished bool // the trace does not have its end
}

// gcSuspending handles the start of a suspension.
func (b *builder) gcSuspending(ev *codec.Event) {
	one, of, thread := model.SuspensionOf(ev), begun{}, b.thread(ev)
	one.Process = b.p.threads.rows[thread].ProcessID
	if one.IsPause() {
		of = b.begun(ev)
	}
	b.suspending.Begin(thread, one).Of = of
}

// suspendsForGC reports whether a suspension is the collector's.
func suspendsForGC(ev *codec.Event) bool {
	one := model.SuspensionOf(ev)
	return one.IsPause()
}

// gcRestarted ends it.
func (b *builder) gcRestarted(ev *codec.Event) {
	if b.pausing() {
		b.endPause(b.thread(ev), ev.Timestamp)
	}
}

// pausing reports whether a pause has begun.
func (b *builder) pausing() bool {
	open := b.suspending.Open()
	for i := range open {
		if open[i].IsPause() {
			return true
		}
	}
	return false
}

// endPause ends the suspension that a thread has begun, if it has.
func (b *builder) endPause(thread uint32, ticks uint64) {
	if s, ok := b.suspending.End(thread, ticks); ok && s.IsPause() {
		b.addPause(&s)
		b.hold(1)
	}
}

// addPause adds a suspension by the collector.
func (b *builder) addPause(s *model.OpenSuspension[uint32, begun]) {
	g := b.gcOf(s.Thread)
	g.pauses = append(g.pauses, pause{s.Thread, record{ticks: s.From, until: s.To, stack: s.Of.stack}, s.Of.act, s.Unfinished})
}

// gcStart handles the start of a collection.
func (b *builder) gcStart(ev *codec.Event) {
	e, thread := clr.GCStart(ev), b.thread(ev)
	if of := b.suspending.Of(thread); of != nil {
		of.Saw(ev.Timestamp)
	}
	g := b.gcOf(thread)
	g.collections = append(g.collections, collection{
		from: ev.Timestamp, thread: thread, number: e.Number(), generation: e.Depth(), reason: e.Reason(), kind: e.Type(),
	})
	b.hold(1)
}

// gcEnd ends the collection of that number.
func (b *builder) gcEnd(ev *codec.Event) {
	g := b.gcOf(b.thread(ev))
	g.ends = append(g.ends, gcEvent{ev.Timestamp, clr.GCEnd(ev).Number()})
	b.hold(1)
}

// gcHistory handles the description of a collection, which precedes its end.
func (b *builder) gcHistory(ev *codec.Event) {
	if e := clr.GCGlobalHeapHistory(ev); !e.Short() {
		g := b.gcOf(b.thread(ev))
		g.histories = append(g.histories, gcEvent{ev.Timestamp, e.GlobalMechanisms()})
		b.hold(1)
	}
}

// gcOf is the state of the process of a thread.
func (b *builder) gcOf(thread uint32) *gcState {
	process := b.p.threads.rows[thread].ProcessID
	g := b.gc[process]
	if g == nil {
		g = &gcState{}
		b.gc[process] = g
	}
	return g
}

// finishGC makes samples and marks of the pauses, and marks of the collections,
// process by process.
func (b *builder) finishGC() {
	b.p.pauses = map[uint64]pauses{}
	for _, process := range slices.Sorted(maps.Keys(b.gc)) {
		b.p.pauses[process] = pausesOf(b.gc[process].pauses)
		if b.p.asked[GC] {
			b.finishGCOf(b.gc[process])
		}
	}
}

func (b *builder) finishGCOf(g *gcState) {
	slices.SortStableFunc(g.collections, func(x, y collection) int { return cmp.Compare(x.from, y.from) })
	g.endCollections()
	runtime := b.p.texts.of(clr.RuntimeProvider)
	for i := range g.collections {
		c := &g.collections[i]
		m := mark{
			from: c.from, until: c.until, kind: Async, thread: c.thread, provider: runtime,
			name: b.p.texts.of("GC gen " + strconv.FormatUint(uint64(c.generation), 10)), label: b.nextLabel(),
		}
		b.gcLabels(c)
		m.labels = b.nextLabel() - m.label
		b.addMark(m)
	}
	for _, p := range g.pauses {
		c := g.during(&p)
		generation := frameGenUnknown
		if c != nil && c.generation <= 2 {
			generation = frameGen0 + FrameID(c.generation)
		}
		b.detail = detail{activity: p.activity, label: b.nextLabel(), leaf: generation, unfinished: p.unfinished}
		b.gcLabels(c)
		if p.unfinished {
			b.labelText(keyUnfinished, "true")
		}
		b.keep(GC, p.thread, p.r, b.p.nanos.of(p.r.until-p.r.ticks), 1)
		until := p.r.until
		if p.unfinished && until >= b.p.End {
			until = 0
		}
		b.addMark(mark{
			from: p.r.ticks, until: until, kind: Span, thread: p.thread, provider: runtime,
			name: b.p.texts.of("GC pause"), label: b.detail.label, labels: b.detail.labels,
		})
	}
}

// endCollections sets the ends and kinds of the collections.
func (g *gcState) endCollections() {
	const compaction = 2
	open := map[uint32][]*collection{} // by number
	for i := range g.collections {
		c := &g.collections[i]
		open[c.number] = append(open[c.number], c)
	}
	for _, e := range g.ends {
		for _, c := range open[e.value] {
			if c.until == 0 && c.from <= e.ticks {
				c.until = e.ticks
				break
			}
		}
	}
	for _, e := range g.histories {
		if c := g.latest(e.ticks); c != nil {
			c.compacting = e.value&compaction != 0
		}
	}
}

// latest is the newest collection that was going on at a time, nil for none.
func (g *gcState) latest(ticks uint64) *collection {
	const nested = 4 // a background collection and one during it, and a margin
	n, _ := slices.BinarySearchFunc(g.collections, ticks, func(c collection, t uint64) int {
		if c.from <= t {
			return -1
		}
		return 1
	})
	for i := n - 1; i >= max(0, n-nested); i-- {
		if c := &g.collections[i]; c.until == 0 || c.until >= ticks {
			return c
		}
	}
	return nil
}

// during is the newest collection that began in a pause, or else one that was
// going on.
func (g *gcState) during(p *pause) *collection {
	n, _ := slices.BinarySearchFunc(g.collections, p.r.until, func(c collection, t uint64) int {
		return cmp.Compare(c.from, t)
	})
	if n > 0 && g.collections[n-1].from >= p.r.ticks {
		return &g.collections[n-1]
	}
	return g.latest(p.r.ticks)
}

// gcLabels adds the labels of the collection, if it is known.
func (b *builder) gcLabels(c *collection) {
	if c == nil {
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
	e, _ := clr.Lookup(clr.RuntimeProvider, clr.KindGCStart.ID(), 2)
	for _, m := range e.Maps {
		if m != nil && m.ID == enumeration {
			return m.Text(uint64(value))
		}
	}
	return strconv.FormatUint(uint64(value), 10)
}
