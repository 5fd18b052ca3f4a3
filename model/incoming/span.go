package incoming

import (
	"sort"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Span is an activity that the bridge wrote.
type Span struct {
	Name                          string // of the activity, or of the event that begins it
	TraceID, SpanID, ParentSpanID string // in hexadecimal digits, "" if unknown
}

// SpanOf reads an event of the bridge: the start or the stop of an activity.
func SpanOf(ev *codec.Event) Span {
	e := clr.DiagnosticsPlain(ev)
	d := arguments(&e)
	return Span{text(e.EventName()), d.traceID, d.spanID, d.parentSpanID}
}

// openSpan is an activity of an ActivitySource, from its start to its stop.
type openSpan struct {
	Span
	program    bool   // its source is not one of .NET's own
	begin, end uint64 // ticks; the last one of all without a stop
	reach      uint64 // latest end of this one and of those under its activity that began before
}

// isFramework reports whether an ActivitySource is one of .NET's own.
func isFramework(source string) bool {
	for _, prefix := range []string{"System.", "Microsoft.", "Experimental."} {
		if strings.HasPrefix(source, prefix) {
			return true
		}
	}
	return false
}

// span handles the start or the stop of an activity that is not a request's.
func (l *Log) span(ev *codec.Event, w Writer, e *clr.DiagnosticsPlainEvent, stop bool) {
	d := arguments(e)
	switch {
	case d.spanID == "" && stop:
	case d.spanID == "":
		l.child(ev, w)
	case stop:
		l.detailed(spanEnded, ev, w, detail{spanID: d.spanID})
	default:
		l.detailed(spanBegan, ev, w, detail{
			name: text(e.EventName()), program: !isFramework(text(e.SourceName())), traceID: d.traceID, spanID: d.spanID, parentSpanID: d.parentSpanID,
		})
	}
}

// beginSpan handles the start of an activity of an ActivitySource.
func (p *pairing) beginSpan(e *entry) {
	d := &p.log.details[e.detail]
	p.child(e)
	s := &openSpan{Span: Span{d.name, d.traceID, d.spanID, d.parentSpanID}, program: d.program, begin: e.ticks, end: ^uint64(0)}
	p.spans[d.spanID] = s
	if e.activity != 0 {
		p.spansUnder[e.activity] = append(p.spansUnder[e.activity], s)
	}
}

// child notes that an activity begins within another one.
func (p *pairing) child(e *entry) {
	if e.activity == 0 || e.related == 0 {
		return
	}
	if up, ok := p.only[e.activity]; ok && up != e.related {
		p.only[e.activity] = unknown
	} else {
		p.only[e.activity] = e.related
	}
	p.parents[e.activity] = append(p.parents[e.activity], parent{e.ticks, e.related})
}

// reachSpans finds how far the spans under each activity reach, after the last record.
func (p *pairing) reachSpans() {
	for _, under := range p.spansUnder {
		reach := uint64(0)
		for _, s := range under {
			reach = max(reach, s.end)
			s.reach = reach
		}
	}
}

// endSpan handles its stop.
func (p *pairing) endSpan(e *entry) {
	if s := p.spans[p.log.details[e.detail].spanID]; s != nil {
		s.end = e.ticks
	}
}

// Span returns the innermost open span of a request's work at a moment, of those that the program's own ActivitySources
// began: of a moment that Owner gives to the request. It is nil without one, and if it is not known. That takes the
// activity of the thread (SetActivityId), or that of the event, and that nothing else of the request has its id.
func (r *Requests) Span(m Moment, request int) *Span {
	activity, _ := r.activityAt(m.Thread, m.Ticks)
	if activity == unknown {
		activity = r.numbers[m.Activity]
	}
	of := r.List[request]
	for depth := 0; activity > 0 && depth < deepest; depth++ {
		s, known := r.openUnder(activity, m.Ticks, of)
		if s != nil || !known {
			return s
		}
		activity = r.only[activity]
	}
	return nil
}

// mostUnder is how many spans under one activity are looked at.
const mostUnder = 1000

// openUnder returns the span of the program that is open under an activity in a request. It is not known if another
// activity with the id began since, unless that one is of another request.
func (r *Requests) openUnder(activity int32, ticks uint64, of *Request) (found *Span, known bool) {
	under := r.spansUnder[activity]
	n := sort.Search(len(under), func(i int) bool { return under[i].begin > ticks })
	var last *openSpan
	others := map[uint64]bool{} // ticks of the starts of other requests' spans
	for i := n - 1; i >= 0 && under[i].reach >= ticks; i-- {
		switch s := under[i]; {
		case n-i > mostUnder:
			return nil, false
		case !r.isWithin(&s.Span, of):
			others[s.begin] = true
		case s.end < ticks || !s.program:
		case last != nil:
			return nil, false
		default:
			last = s
		}
	}
	if last == nil {
		return nil, true
	}
	starts := r.parents[activity]
	for i := sort.Search(len(starts), func(i int) bool { return starts[i].ticks > last.begin }); i < len(starts) && starts[i].ticks <= ticks; i++ {
		if !others[starts[i].ticks] {
			return nil, false
		}
	}
	return &last.Span, true
}

// Enclosing returns the span that a span is within, nil if that is none of an ActivitySource or if the trace does not have it.
func (r *Requests) Enclosing(s *Span) *Span {
	if up := r.spans[s.ParentSpanID]; up != nil && up.TraceID == s.TraceID {
		return &up.Span
	}
	return nil
}

// isWithin reports whether a span is within a request, by the ids of the trace.
func (r *Requests) isWithin(s *Span, of *Request) bool {
	for range deepest {
		switch {
		case s == nil || s.TraceID != of.TraceID:
			return false
		case s.ParentSpanID == of.SpanID:
			return of.SpanID != ""
		}
		s = r.Enclosing(s)
	}
	return false
}
