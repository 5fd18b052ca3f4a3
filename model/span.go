package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Span is the time from a start to a stop of one event source: of a target of MSBuild, of a
// request, of what a program calls its own.
type Span struct {
	Process  uint64    // as in Thread
	Provider string    // the event source
	Name     string    // of the events, without Start and Stop
	Key      string    // the values of the start's fields that name the span, "" for none
	Joined   Join      // why the two belong together
	Start    SpanEnd   // where it begins
	Stop     SpanEnd   // where it ends
	Parent   wire.GUID // activity that was current at the start, if the start began another one
}

// SpanEnd is the start or the stop of a Span.
type SpanEnd struct {
	Ticks    uint64    // its time
	Thread   uint64    // id, as in Thread
	Activity wire.GUID // of the event
}

// Join is the evidence that a start and a stop belong together.
type Join uint8

// The kinds of evidence, the weakest first.
const (
	ByNesting  Join = iota // the stop ends the innermost open span of its thread
	ByKey                  // fields that both carry have equal values
	ByActivity             // both have one activity id
)

var joinNames = [...]string{ByNesting: "nesting", ByKey: "key", ByActivity: "activity"}

// String returns the name: "nesting", "key" or "activity".
func (j Join) String() string { return joinNames[j] }

// MarshalText returns the name.
func (j Join) MarshalText() ([]byte, error) { return []byte(j.String()), nil }

// SpanCounts counts the starts and stops of a process that make no Span.
type SpanCounts struct {
	Ambiguous   int64 // stops of one of several spans: it is unknown of which
	Unfinished  int64 // starts without a stop
	BeganBefore int64 // stops without a start
	LeftOut     int64 // starts and stops above Limits.Rows
}

// Spans is the tracker of spans. Trace.Spans returns it. It takes the starts and stops of
// all event sources, which are those with the opcodes 1 and 2, or without an opcode and with
// the suffixes Start and Stop. The runtime's own events are not among them: other trackers
// have them.
type Spans struct {
	trace    *Trace
	families map[spanFamilyID]*spanFamily
	order    []*spanFamily
	marks    int64
	losses   int // of the Trace, when the last mark was added
	epoch    int // number of losses between marks
	texts    spanTexts
	scratch  []spanField

	writers map[writerKey]spanWriter

	list   map[uint64][]Span // by process
	counts map[uint64]*SpanCounts
}

// Spans returns the tracker of spans, for a Consumer that begins.
func (t *Trace) Spans() *Spans {
	if t.spans == nil {
		t.spans = &Spans{trace: t, families: map[spanFamilyID]*spanFamily{}, writers: map[writerKey]spanWriter{}, list: map[uint64][]Span{}, counts: map[uint64]*SpanCounts{}}
		t.track(t.spans, t.spans.end)
	}
	return t.spans
}

// Processes returns the ids of the processes that have starts or stops, in ascending order.
func (s *Spans) Processes() []uint64 { return slices.Sorted(maps.Keys(s.counts)) }

// Of returns the spans of a process in the order of their starts, after the last event.
func (s *Spans) Of(process uint64) []Span { return s.list[process] }

// Counts returns the counts of a process, nil if it has no starts and stops, after the last
// event.
func (s *Spans) Counts(process uint64) *SpanCounts { return s.counts[process] }

// Begin implements Consumer.
func (s *Spans) Begin(*Trace) {}

// Lost implements Consumer. Which starts and stops are lost is unknown, on whichever thread
// they were: spans that are open have no stop any more, unless a key of their own tells it.
// That another thread gets the id is no loss.
func (s *Spans) Lost(Thread) {
	if losses := len(s.trace.Losses) + int(s.trace.LossesLeftOut); losses != s.losses {
		s.losses = losses
		s.epoch++
	}
}

// runtimeProviders write their events in native code: they are no event sources.
var runtimeProviders = []string{
	clr.RuntimeProvider, clr.RundownProvider, clr.PrivateProvider, clr.SamplerProvider, clr.PipeProvider, clr.CollectorProvider,
	clr.UniversalSystemProvider, clr.UniversalEventsProvider,
}

// Opcodes of starts and stops.
const (
	opcodeInfo  = 0
	opcodeStart = 1
	opcodeStop  = 2
)

// Handler implements Consumer.
func (s *Spans) Handler(m *codec.Metadata) Handler {
	if slices.Contains(runtimeProviders, m.Provider) {
		return nil
	}
	name, stop, ok := spanName(m.Name, m.Opcode)
	if s.trace.Header.Format.HasThreadTable() { // an event can have an opcode of its own
		return func(ev *codec.Event) {
			name, stop, ok := name, stop, ok
			if opcode := ev.Opcode(); opcode != m.Opcode {
				name, stop, ok = spanName(m.Name, opcode)
			}
			if ok {
				s.add(ev, m.Provider, name, stop)
			}
		}
	}
	if !ok {
		return nil
	}
	return func(ev *codec.Event) { s.add(ev, m.Provider, name, stop) }
}

// spanName returns the name of the spans that an event starts or stops, and whether it does.
func spanName(name string, opcode uint8) (base string, stop, ok bool) {
	start, isStart := strings.CutSuffix(name, "Start")
	end, isStop := strings.CutSuffix(name, "Stop")
	switch {
	case name == "" || opcode > opcodeStop:
		return "", false, false
	case isStart && start != "" && opcode != opcodeStop:
		return start, false, true
	case isStop && end != "" && opcode != opcodeStart:
		return end, true, true
	case opcode == opcodeInfo:
		return "", false, false
	}
	word := "Begin"
	if opcode == opcodeStop {
		word = "End"
	}
	base = name
	if rest, cut := strings.CutPrefix(name, word); cut && rest != "" {
		base = rest
	} else if rest, cut := strings.CutSuffix(name, word); cut && rest != "" {
		base = rest
	}
	return base, opcode == opcodeStop, true
}

// spanFamilyID identifies what can be joined: the events of one name.
type spanFamilyID struct {
	process        uint64
	provider, name string
}

// spanFamily has the starts and stops of one name, in the order of time.
type spanFamily struct {
	spanFamilyID
	marks []spanMark
}

// spanMark is a start or a stop.
type spanMark struct {
	end     SpanEnd
	related wire.GUID
	stack   StackID
	epoch   int
	fields  []spanField
	stop    bool
}

// add adds a start or a stop.
func (s *Spans) add(ev *codec.Event, provider, name string, stop bool) {
	thread := s.trace.Thread(ev)
	counts := s.counts[thread.Process]
	if counts == nil {
		counts = &SpanCounts{}
		s.counts[thread.Process] = counts
	}
	if s.marks >= s.trace.limits.Rows {
		counts.LeftOut++
		return
	}
	s.marks++
	fields := s.texts.fields(ev, s.scratch[:0])
	s.scratch = fields
	if provider == clr.DiagnosticsProvider { // its events carry those of many sources
		name = s.texts.bridged(fields, name)
	}
	id := spanFamilyID{thread.Process, provider, name}
	family := s.families[id]
	if family == nil {
		family = &spanFamily{spanFamilyID: id}
		s.families[id] = family
		s.order = append(s.order, family)
	}
	family.marks = append(family.marks, spanMark{
		end: SpanEnd{ev.Timestamp, thread.ID, ev.Activity()}, related: ev.RelatedActivity(), stack: s.trace.Stack(ev), epoch: s.epoch, fields: slices.Clone(fields), stop: stop,
	})
}

// end joins the starts and stops.
func (s *Spans) end() {
	for _, family := range s.order {
		counts := s.counts[family.process]
		for _, pair := range s.join(family, counts) {
			start, stop := &family.marks[pair.start], &family.marks[pair.stop]
			s.list[family.process] = append(s.list[family.process], Span{
				Process: family.process, Provider: family.provider, Name: family.name, Key: s.texts.key(start.fields), Joined: pair.by,
				Start: start.end, Stop: stop.end, Parent: start.related,
			})
		}
	}
	for _, list := range s.list {
		slices.SortStableFunc(list, func(a, b Span) int {
			return cmp.Or(cmp.Compare(a.Start.Ticks, b.Start.Ticks), cmp.Compare(b.Stop.Ticks, a.Stop.Ticks))
		})
	}
	s.families, s.order, s.writers = nil, nil, nil
}
