package traces

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/telemetry"
)

// Stats counts what a Decoder could not make a span of, or not a whole one.
type Stats struct {
	Unsampled int64 // activities of traces that are not in Options.Ratio: .NET writes them, because the program has them
	NoIDs     int64 // activities without W3C ids: they are no spans
	Malformed int64 // events and links that cannot be read: the span lacks them
	Forgotten int64 // spans that had begun when too many were open: they are not among those of Open
}

// Decoder makes spans of the events of one process.
type Decoder struct {
	options Options
	begin   time.Time
	stats   Stats
	open    map[telemetry.SpanID]*Span
	extra   map[telemetry.SpanID]*request
}

// request is what the listener of ASP.NET Core wrote about a span.
type request struct {
	method, path, scheme, protocol, route string
	status                                string
}

// NewDecoder returns a decoder for the events of a session of Providers(o, ...). begin is the begin of the session, which
// codec.Trace has as SyncTime.
func NewDecoder(o Options, begin time.Time) *Decoder {
	return &Decoder{options: o, begin: begin, open: map[telemetry.SpanID]*Span{}, extra: map[telemetry.SpanID]*request{}}
}

// Stats returns the counts so far.
func (d *Decoder) Stats() Stats { return d.stats }

// maxOpen bounds the spans that are open. Above it all are forgotten: their ends were lost.
const maxOpen = 100_000

// Decode calls yield with the span that an event completes. The span belongs to the caller. Events must come in the order of
// time; those of other providers are passed over.
func (d *Decoder) Decode(ev *codec.Event, yield func(*Span)) {
	m := ev.Metadata()
	if m == nil || m.Provider != clr.DiagnosticsProvider {
		return
	}
	switch clr.KindOf(m) {
	case clr.KindDiagnosticsActivityStart:
		if s := d.span(ev); s != nil {
			if len(d.open) >= maxOpen {
				d.stats.Forgotten += int64(len(d.open))
				clear(d.open)
				clear(d.extra)
			}
			d.open[s.SpanID] = s
		}
	case clr.KindDiagnosticsActivityStop:
		if s := d.span(ev); s != nil {
			delete(d.open, s.SpanID)
			delete(d.extra, s.SpanID)
			if d.options.samples() && !s.Sampled {
				d.stats.Unsampled++
				return
			}
			yield(s)
		}
	case clr.KindDiagnosticsActivity1Start, clr.KindDiagnosticsActivity1Stop, clr.KindDiagnosticsPlain:
		d.listener(ev)
	}
}

// Open calls yield with the spans that have not ended, at the end of the session, in the order of their starts.
func (d *Decoder) Open(at time.Time, yield func(*Span)) {
	list := make([]*Span, 0, len(d.open))
	for _, s := range d.open {
		if d.options.samples() && !s.Sampled {
			d.stats.Unsampled++
			continue
		}
		s.Unfinished, s.End = true, at
		list = append(list, s)
	}
	clear(d.open)
	clear(d.extra)
	slices.SortFunc(list, func(a, b *Span) int { return a.Start.Compare(b.Start) })
	for _, s := range list {
		yield(s)
	}
}

// text returns a text of UTF-16 units.
func text(units []byte) string { return string(wire.AppendUTF16(nil, units)) }

// listener reads an event of the listener of ASP.NET Core.
func (d *Decoder) listener(ev *codec.Event) {
	e := clr.DiagnosticsPlain(ev)
	name := text(e.EventName())
	if !strings.HasPrefix(name, requestIn+".") && name != beforeAction {
		return
	}
	var r request
	var id telemetry.SpanID
	for key, value := range e.Arguments() {
		value := text(value)
		switch text(key) {
		case "SpanId":
			id = telemetry.ParseSpanID(value)
		case "Method":
			r.method = value
		case "Path":
			r.path = value
		case "Scheme":
			r.scheme = value
		case "Protocol":
			r.protocol = value
		case "Template":
			r.route = value
		case "StatusCode":
			r.status = value
		}
	}
	if id == (telemetry.SpanID{}) || len(d.extra) >= maxOpen {
		return
	}
	known := d.extra[id]
	if known == nil {
		d.extra[id] = &r
		return
	}
	for _, f := range []struct{ to, from *string }{{&known.method, &r.method}, {&known.path, &r.path}, {&known.scheme, &r.scheme}, {&known.protocol, &r.protocol}, {&known.route, &r.route}, {&known.status, &r.status}} {
		if *f.from != "" {
			*f.to = *f.from
		}
	}
}

// The clock of .NET: ticks of 100 ns since the year 1.
const (
	tick      = 100 * time.Nanosecond
	unixTicks = 621_355_968_000_000_000 // of 1970
)

// span reads the start or the stop of an activity, nil if it is no span.
func (d *Decoder) span(ev *codec.Event) *Span {
	e := clr.DiagnosticsPlain(ev) // the name of the activity is where others have that of the event
	s := &Span{Source: text(e.SourceName()), Operation: text(e.EventName())}
	var duration int64
	tags, events, links, description := "", "", "", ""
	for key, value := range e.Arguments() {
		value := text(value)
		switch text(key) {
		case "TraceId":
			s.TraceID = telemetry.ParseTraceID(value)
		case "SpanId":
			s.SpanID = telemetry.ParseSpanID(value)
		case "ParentSpanId":
			s.ParentID = telemetry.ParseSpanID(value)
		case "ActivityTraceFlags":
			s.Sampled = strings.Contains(value, "Recorded")
		case "TraceStateString":
			s.TraceState = value
		case "SourceVersion":
			s.Version = value
		case "Kind":
			s.Kind = Kind(number(kindNames[:], value))
		case "DisplayName":
			s.Name = value
		case "Status":
			s.Status = Status(number(statusNames[:], value))
		case "StatusDescription":
			description = value
		case "StartTimeTicks":
			ticks, _ := strconv.ParseInt(value, 10, 64)
			s.Start = time.Unix(0, 0).UTC().Add(time.Duration(ticks-unixTicks) * tick)
		case "DurationTicks":
			duration, _ = strconv.ParseInt(value, 10, 64)
		case "Tags":
			tags = value
		case "Events":
			events = value
		case "Links":
			links = value
		}
	}
	if s.TraceID == (telemetry.TraceID{}) || s.SpanID == (telemetry.SpanID{}) {
		d.stats.NoIDs++
		return nil
	}
	s.End = s.Start.Add(time.Duration(duration) * tick)
	s.BeganBefore = s.Start.Before(d.begin)
	if s.Source == "" && s.Operation == requestIn { // one that began before the session
		s.Source, s.Kind = aspNet, Server
	}
	for key, value := range clr.Tags(tags) {
		s.Attributes = d.options.add(s.Attributes, s.Kind, key, value)
	}
	d.request(s)
	s.judge()
	if d.options.Exceptions {
		s.StatusText = description
	}
	d.events(s, events)
	d.links(s, links)
	return s
}

// request adds what the listener wrote, where the activity lacks it.
func (d *Decoder) request(s *Span) {
	r := d.extra[s.SpanID]
	if r == nil {
		return
	}
	_, version, _ := strings.Cut(r.protocol, "/")
	for _, f := range []struct{ key, value string }{
		{requestMethod, r.method}, {"url.scheme", r.scheme}, {"url.path", r.path}, {statusCode, r.status}, {"network.protocol.version", version}, {route, r.route},
	} {
		if f.value != "" && !slices.ContainsFunc(s.Attributes, func(a telemetry.Attribute) bool { return a.Key == f.key }) {
			s.Attributes = d.options.add(s.Attributes, s.Kind, f.key, f.value)
		}
	}
	if s.Name == s.Operation && r.method != "" { // the name of the conventions
		s.Name = strings.TrimSuffix(r.method+" "+r.route, " ")
	}
}
