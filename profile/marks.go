package profile

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Mark is an event, or the span between two events, for a timeline: a garbage
// collection, a pause, and with Options.Marks each event of an event source.
// Options.Time clips spans.
type Mark struct {
	// Kind is the form of the mark on a timeline.
	Kind        MarkKind
	From, Until uint64 // ticks; for an Instant both are equal
	Thread      int    // index in Threads
	// Provider is the name of the event's provider.
	Provider string
	// Name is the name of the event or of the span.
	Name          string
	Activity      wire.GUID // activity id of the event, or zero
	Related       wire.GUID // activity id that caused Activity, or zero
	Labels        []Label   // fields of the payload
	Unfinished    bool      // the trace does not have the end of the span: Until is the trace's end
	LabelsDropped bool      // the payload did not fit its fields
}

// MarkKind is the form of a Mark on a timeline.
type MarkKind uint8

// The kinds of marks.
const (
	// Instant is a point in time: From and Until are equal.
	Instant MarkKind = iota
	// Span is a time in which the garbage collector suspended all threads.
	// Spans do not overlap.
	Span
	// Async is a time that can begin and end on different threads and overlap
	// others: a garbage collection, or a Start and Stop event with the same
	// activity.
	Async
)

// mark is a stored Mark.
type mark struct {
	from, until    uint64
	kind           MarkKind
	thread         uint32
	provider, name uint32
	activity       uint32
	label, labels  uint32
	span           uint32 // name without Start or Stop
	end            uint8  // opcodeStart or opcodeStop of an event that may be an end of a span, otherwise 0
	joined         bool   // it is part of another one
	short          bool
}

// Marks iterates over the marks, in time order.
func (p *Profile) Marks() iter.Seq[Mark] {
	return func(yield func(Mark) bool) {
		for i := range p.marks {
			m := &p.marks[i]
			from, until, ok := p.clip(m)
			if !ok || !p.wanted(int(m.thread)) {
				continue
			}
			out := Mark{
				Kind: m.kind, From: from, Until: until, Thread: int(m.thread), Provider: p.texts.texts[m.provider],
				Name: p.texts.texts[m.name], Activity: p.activityPairs[m.activity].activity, Related: p.activityPairs[m.activity].related,
				Labels: p.appendLabels(nil, m.label, m.labels), LabelsDropped: m.short,
				Unfinished: m.unfinished(),
			}
			if !yield(out) {
				return
			}
		}
	}
}

// unfinished reports whether the trace does not have the end of a mark.
func (m *mark) unfinished() bool { return m.kind != Instant && m.until == 0 }

// clip returns the part of a mark that is in the window.
func (p *Profile) clip(m *mark) (from, until uint64, ok bool) {
	switch {
	case m.kind == Instant:
		return p.window.Clip(m.from, m.from)
	case m.unfinished():
		return p.window.Clip(m.from, max(p.End, m.from))
	}
	return p.window.Clip(m.from, m.until)
}

// addMark keeps a mark.
func (b *builder) addMark(m mark) {
	if b.hold(1) {
		b.p.marks = append(b.p.marks, m)
	}
}

// isEventSource reports whether a provider is none of the runtime's own, whose
// events the profile interprets or uses for symbols.
func isEventSource(provider string) bool {
	switch provider {
	case clr.SamplerProvider, clr.PipeProvider, clr.CollectorProvider:
		return false
	}
	return !strings.HasPrefix(provider, clr.RuntimeProvider) && !strings.HasPrefix(provider, "Universal.")
}

// spanKey has the values that both ends of a span have in common.
type spanKey struct {
	provider, name uint32
	activity       wire.GUID
}

// Opcodes that begin and end a span.
const (
	opcodeStart = 1
	opcodeStop  = 2
)

// mark keeps an event of an event source.
func (b *builder) mark(ev *codec.Event) {
	m := mark{
		from: ev.Timestamp, thread: b.thread(ev), provider: b.p.texts.of(ev.Provider()),
		activity: b.activity(ev), label: b.nextLabel(),
	}
	name := eventName(ev)
	switch opcode := ev.Opcode(); {
	case m.activity == 0:
	case opcode == opcodeStart && strings.HasSuffix(name, "Start"):
		m.end, m.span = opcodeStart, b.p.texts.of(strings.TrimSuffix(name, "Start"))
	case opcode == opcodeStop && strings.HasSuffix(name, "Stop"):
		m.end, m.span = opcodeStop, b.p.texts.of(strings.TrimSuffix(name, "Stop"))
	}
	b.fields(ev)
	m.name, m.labels, m.short = b.p.texts.of(name), b.nextLabel()-m.label, ev.FieldsError() != nil
	b.addMark(m)
}

// finishMarks sorts the marks by time, and makes one mark of each Start and the
// next Stop with its activity, with the fields of both. If several have the same
// activity, the oldest ends first, so that their times add up. It runs at the
// end, because the two events may come from different threads, whose events have
// no order in a stream.
func (b *builder) finishMarks() {
	p := b.p
	slices.SortStableFunc(p.marks, func(x, y mark) int { return cmp.Compare(x.from, y.from) })
	open := map[spanKey][]*mark{}
	for i := range p.marks {
		m := &p.marks[i]
		key := spanKey{m.provider, m.span, p.activityPairs[m.activity].activity}
		switch m.end {
		case opcodeStart:
			open[key] = append(open[key], m)
			m.kind, m.name = Async, m.span
		case opcodeStop:
			if starts := open[key]; len(starts) > 0 {
				open[key] = starts[1:]
				b.endSpan(starts[0], m)
			}
		}
	}
	p.marks = slices.DeleteFunc(p.marks, func(m mark) bool { return m.joined })
}

// endSpan makes one mark of a Start and its Stop.
func (b *builder) endSpan(start, stop *mark) {
	from := b.nextLabel()
	for _, m := range [...]*mark{start, stop} {
		for i := range m.labels {
			b.labelRow(*b.p.labels.at(int(m.label + i)))
		}
	}
	start.until, start.label, start.labels = stop.from, from, b.nextLabel()-from
	stop.joined = true
}

// fields adds the fields of a payload as labels.
func (b *builder) fields(ev *codec.Event) {
	for name, v := range ev.Fields() {
		b.field(name, v, 0)
	}
}

// eventName returns the event's name in the trace, or its number.
func eventName(ev *codec.Event) string {
	if m := ev.Metadata(); m != nil && m.Name != "" {
		return m.Name
	}
	return "Event " + strconv.FormatUint(uint64(ev.ID()), 10)
}

// field adds a field of the payload as a label; those of objects on their own.
func (b *builder) field(name string, v codec.Value, depth int) {
	const deepest = 3
	switch code := v.Code(); {
	case v.IsText():
		b.labelText(name, v.Text())
	case code == wire.Object && depth < deepest:
		for inner, v := range v.Fields() {
			if name != "" {
				inner = name + "." + inner
			}
			b.field(inner, v, depth+1)
		}
	case code == wire.GUIDCode:
		b.labelText(name, v.GUID().String())
	case code == wire.Single || code == wire.Double:
		b.labelText(name, strconv.FormatFloat(v.Float64(), 'g', -1, 64))
	case code == wire.Boolean || code == wire.Boolean8:
		b.labelText(name, strconv.FormatBool(v.Bool()))
	case code == wire.DateTime:
		if t, ok := v.Time(); ok {
			b.labelText(name, t.Format("2006-01-02T15:04:05.9999999Z"))
		}
	case v.IsArray(), code == wire.Object:
	default:
		b.labelNum(name, v.Int64())
	}
}

// AllLabels returns the labels of a mark, with its activities and whether it is unfinished.
func (m *Mark) AllLabels() []Label {
	list := slices.Clip(m.Labels)
	if m.Activity != (wire.GUID{}) {
		list = append(list, Label{Key: "activity id", Text: m.Activity.String()})
	}
	if m.Related != (wire.GUID{}) {
		list = append(list, Label{Key: "related activity id", Text: m.Related.String()})
	}
	if m.Unfinished {
		list = append(list, Label{Key: "unfinished", Text: "true"})
	}
	return list
}
