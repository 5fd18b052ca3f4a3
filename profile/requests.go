package profile

import (
	"regexp"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/model/incoming"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// served are the requests of one process, with Options.Requests.
type served struct {
	log     incoming.Log
	version runtimes.Version
	found   *incoming.Requests
	slowest *incoming.Request // nil for none
}

// RequestFilter selects the work for requests, and in spans. An empty field selects all.
type RequestFilter struct {
	TraceID string         // of the W3C trace
	SpanID  string         // of the request in it, or of a span of the program that the work is within
	Route   *regexp.Regexp // matches method and route: "GET /orders/{id}"
	ID      string         // of Kestrel
	Slowest bool           // the request of the process that took longest, of those whose begin and end are known
	In      *SpanFilter    // what happens in spans, also outside of requests; nil for all
}

// selects reports whether the filter selects a request, but for SpanID. It does not select nil.
func (f *RequestFilter) selects(r, slowest *incoming.Request) bool {
	return r != nil && (f.TraceID == "" || f.TraceID == r.TraceID) && (f.ID == "" || f.ID == r.ID) &&
		(f.Route == nil || f.Route.MatchString(RouteName(r))) && (!f.Slowest || r == slowest)
}

// RouteName returns the method and the route of a request: "GET /orders/{id}".
func RouteName(r *incoming.Request) string {
	if r.Method == "" {
		return r.Pattern()
	}
	return r.Method + " " + r.Pattern()
}

// Keys of the labels of requests: those of OpenTelemetry, with "_" in place of dots, and those by which Pyroscope finds the
// profile of a span, which are of the request's own span.
const (
	keyRequestTrace  = "trace_id"
	keyRequestSpan   = "span_id"
	keyRequestRoute  = "http_route"
	keyRequestMethod = "http_method"
	keyRequestStatus = "status"
	keyProfileID     = "profile_id"
	keySpanName      = "span_name"
)

// requestLabels adds the labels of the request whose work a sample is.
func (p *Profile) requestLabels(list []Label, s *Sample) []Label {
	w := p.workOf(s)
	r := w.request
	if r == nil {
		return list
	}
	id := r.SpanID
	if span := w.span(); span != nil {
		id = span.SpanID
	}
	for _, l := range []Label{
		{Key: keyRequestTrace, Text: r.TraceID}, {Key: keyRequestSpan, Text: id}, {Key: keyRequestRoute, Text: r.Pattern()}, {Key: keyRequestMethod, Text: r.Method},
		{Key: keyProfileID, Text: r.SpanID}, {Key: keySpanName, Text: RouteName(r)},
	} {
		if l.Text != "" {
			list = append(list, l)
		}
	}
	if r.HasStatus {
		list = append(list, Label{Key: keyRequestStatus, Text: strconv.FormatInt(r.Status, 10)})
	}
	return list
}

// servedBy returns what is known of the requests of a process.
func (b *builder) servedBy(process uint64) *served {
	of := b.p.served[process]
	if of == nil {
		of = &served{}
		b.p.served[process] = of
	}
	return of
}

// withRequests adds to the handling of an event what Options.Requests needs of it.
func (b *builder) withRequests(m *codec.Metadata, own handling) handling {
	if !b.p.opt.Requests {
		return own
	}
	add := incoming.HandlerOf(m)
	version := runtimes.IsInformation(m)
	if add == nil && !version {
		return own
	}
	return handling{do: func(b *builder, ev *codec.Event) {
		writer := &b.p.threads.rows[b.thread(ev)]
		of := b.servedBy(writer.ProcessID)
		if version {
			of.version = runtimes.ReadVersion(ev)
		} else {
			by := incoming.Writer{Thread: writer.ID}
			if b.captures.counted {
				from := originOf(ev)
				by.Losses = b.capture(&from, ev.Sequence).gaps
			}
			if incoming.NeedsStack(m, of.version) {
				by.Stack = int32(b.stack(ev))
			}
			add(&of.log, ev, by)
		}
		if own.do != nil {
			own.do(b, ev)
		}
	}}
}

// finishRequests joins the records of requests. The frames have names.
func (b *builder) finishRequests() {
	for process, of := range b.p.served {
		if !of.log.Recorded() {
			delete(b.p.served, process)
			continue
		}
		facts := incoming.Facts{Version: of.version, Lossy: b.p.Lost > 0, Stacks: func(number int32) incoming.Stack { return b.p.servedOn(StackID(number)) }}
		if chains := b.p.chains[process]; chains != nil {
			facts.Changes = chains.log.Changes(facts.Lossy)
		}
		of.found = of.log.Requests(facts)
		of.log = incoming.Log{}
		for _, r := range of.found.List {
			if r.Began && r.Ended && (of.slowest == nil || r.End-r.Begin > of.slowest.End-of.slowest.Begin) {
				of.slowest = r
			}
		}
	}
}

// Requests returns the requests that a process served, with Options.Requests; nil if the trace has
// none.
func (p *Profile) Requests(process uint64) []*incoming.Request {
	if of := p.served[process]; of != nil {
		return of.found.List
	}
	return nil
}

// Request returns the request whose work a sample is, and how that is known. It is nil outside of
// requests, for incoming.Ambiguous, and without Options.Requests.
func (p *Profile) Request(s *Sample) (*incoming.Request, incoming.Rule) {
	w := p.workOf(s)
	return w.request, w.rule
}

// Span returns the innermost open span of the program in the request whose work a sample is: see incoming.Requests.Span. It is
// nil without one, if it is not known, and without Request.
func (p *Profile) Span(s *Sample) *incoming.Span {
	w := p.workOf(s)
	return w.span()
}

// work is what is known of the request whose work a sample is.
type work struct {
	of      *served // the requests of the process, nil for none
	moment  incoming.Moment
	request *incoming.Request // nil for none
	number  int               // of the request
	rule    incoming.Rule
}

// workOf returns the request whose work a sample is.
func (p *Profile) workOf(s *Sample) work {
	row := &p.threads.rows[s.Thread]
	w := work{of: p.served[row.ProcessID], rule: incoming.NoOwner}
	if w.of == nil {
		return w
	}
	w.moment = incoming.Moment{
		Thread: row.ID, Ticks: s.Ticks, Activity: s.Activity, Stack: func() incoming.Stack { return p.servedOn(s.recorded) },
	}
	owner := w.of.found.Owner(w.moment)
	if w.rule = owner.Rule; owner.Request >= 0 {
		w.request, w.number = w.of.found.List[owner.Request], owner.Request
	}
	return w
}

// span returns the innermost open span of the program, as Profile.Span.
func (w *work) span() *incoming.Span {
	if w.request == nil {
		return nil
	}
	return w.of.found.Span(w.moment, w.number)
}

// servedOn returns what a stack shows of requests.
func (p *Profile) servedOn(id StackID) incoming.Stack {
	known, ok := p.handling[id]
	if !ok {
		frames := p.stacks.get(id)
		known = incoming.StackOf(len(frames), func(i int) (class, method string) {
			if s := p.names.sources[p.names.frames[frames[i]].Function].Symbol; s != nil {
				return s.Namespace, s.Method
			}
			return "", ""
		})
		if p.handling == nil {
			p.handling = map[StackID]incoming.Stack{}
		}
		p.handling[id] = known
	}
	return known
}
