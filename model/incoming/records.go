package incoming

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// maxText bounds the bytes of a text of an event that is kept.
const maxText = 2000

// text returns a text of UTF-16 units: the part that is kept.
func text(units []byte) string {
	return string(wire.AppendUTF16(nil, units[:min(len(units), maxText)]))
}

// hostingStart handles RequestStart of Hosting.
func (l *Log) hostingStart(ev *codec.Event, w Writer) {
	e := clr.HostingRequestStart(ev)
	l.request(starts+kind(Hosting), ev, w, detail{method: text(e.Method()), path: Decoded(text(e.Path()))})
}

// kestrelStart handles RequestStart of Kestrel.
func (l *Log) kestrelStart(ev *codec.Event, w Writer) {
	l.request(starts+kind(Kestrel), ev, w, kestrelDetail(clr.KestrelRequestStart(ev)))
}

// kestrelStop handles RequestStop of Kestrel, which has the fields of the start.
func (l *Log) kestrelStop(ev *codec.Event, w Writer) {
	l.request(stops+kind(Kestrel), ev, w, kestrelDetail(clr.KestrelRequestStart(ev)))
}

func kestrelDetail(e clr.KestrelRequestStartEvent) detail {
	return detail{
		id: text(e.RequestID()), connection: text(e.ConnectionID()), protocol: text(e.HttpVersion()), method: text(e.Method()), path: text(e.Path()),
	}
}

// connection handles ConnectionStart, TlsHandshakeStart and TlsHandshakeStop of Kestrel, whose first field
// is the connection.
func (l *Log) connection(ev *codec.Event, w Writer) {
	of := connected
	switch clr.KindOf(ev.Metadata()) {
	case clr.KindKestrelTlsHandshakeStart:
		of = tlsBegan
	case clr.KindKestrelTlsHandshakeStop:
		of = tlsEnded
	}
	l.detailed(of, ev, w, detail{connection: text(clr.KestrelConnectionStart(ev).ConnectionID())})
	if of != tlsEnded {
		l.child(ev, w)
	}
}

// Names of the events and activities of requests.
const (
	requestIn    = "HttpRequestIn"
	beforeAction = "Microsoft.AspNetCore.Mvc.BeforeAction"
)

// bridge handles an event of a DiagnosticSource.
func (l *Log) bridge(ev *codec.Event, w Writer) {
	e := clr.DiagnosticsPlain(ev)
	name := text(e.EventName())
	of := said
	switch {
	case strings.HasSuffix(name, requestIn+".Start"):
		of = starts + kind(Bridge)
	case strings.HasSuffix(name, requestIn+".Stop"):
		of = stops + kind(Bridge)
	case !strings.HasPrefix(name, "Microsoft.AspNetCore."):
		l.child(ev, w)
		return
	}
	d := arguments(&e)
	if of == said && name != beforeAction {
		d.route = ""
	}
	l.request(of, ev, w, d)
}

// activity handles the start or the stop of an activity of an ActivitySource.
func (l *Log) activity(ev *codec.Event, w Writer) {
	e := clr.DiagnosticsPlain(ev) // the name of the activity is where others have that of the event
	stop := clr.KindOf(ev.Metadata()) == clr.KindDiagnosticsActivityStop
	if !strings.HasSuffix(text(e.EventName()), requestIn) {
		l.span(ev, w, &e, stop)
		return
	}
	of := starts
	if stop {
		of = stops
	}
	l.request(of+kind(Activity), ev, w, arguments(&e))
}

// arguments reads what the bridge writes about a request. Which values there are depends on
// the specification of the session; each has the name of the property that it is, or one that
// the specification gives.
func arguments(e *clr.DiagnosticsPlainEvent) detail {
	var d detail
	base, display := "", ""
	for k, v := range e.Arguments() {
		value := text(v)
		switch text(k) {
		case "TraceIdentifier":
			d.id = value
		case "ActivityId":
			d.activityID = value
		case "ActivityTraceId", "TraceId":
			d.traceID = hexadecimal(value, 32)
		case "ActivitySpanId", "SpanId":
			d.spanID = hexadecimal(value, 16)
		case "ActivityParentSpanId", "ParentSpanId":
			d.parentSpanID = hexadecimal(value, 16)
		case "PathBase":
			base = value
		case "Path":
			d.path = value
		case "Method":
			d.method = value
		case "Protocol":
			d.protocol = value
		case "Template":
			d.route, d.routeSource = value, RouteMVC
		case "DisplayName":
			display = value
		case "Tags", "TagObjects":
			d.tags(value)
		case "StatusCode":
			d.setStatus(value)
		}
	}
	d.path = Decoded(base + d.path)
	if parts := strings.Split(d.activityID, "-"); len(parts) == 4 { // 00-trace-span-flags
		if d.traceID == "" {
			d.traceID = hexadecimal(parts[1], 32)
		}
		if d.spanID == "" {
			d.spanID = hexadecimal(parts[2], 16)
		}
	}
	if method, route, ok := strings.Cut(display, " "); ok && d.route == "" && method == strings.ToUpper(method) && strings.Contains(route, "/") {
		d.route, d.routeSource = route, RouteTag
	}
	return d
}

func (d *detail) setStatus(value string) {
	if status, err := strconv.ParseInt(value, 10, 64); err == nil {
		d.status, d.hasStatus = status, true
	}
}

// hexadecimal returns an id of a number of hexadecimal digits, "" for another text and for zero.
func hexadecimal(value string, digits int) string {
	if len(value) != digits || strings.Trim(value, "0123456789abcdef") != "" || strings.Trim(value, "0") == "" {
		return ""
	}
	return value
}

// tags reads the tags of an activity.
func (d *detail) tags(list string) {
	for key, value := range clr.Tags(list) {
		switch key {
		case "http.route":
			d.route, d.routeSource = value, RouteTag
		case "http.response.status_code":
			d.setStatus(value)
		case "http.request.method":
			d.method = cmp.Or(d.method, value)
		case "url.path":
			d.path = cmp.Or(d.path, value)
		}
	}
}

// message handles a log message: ExecutingEndpoint names the route.
func (l *Log) message(ev *codec.Event, w Writer) {
	e := clr.LoggingFormattedMessage(ev)
	if text(e.EventName()) != "ExecutingEndpoint" {
		return
	}
	name, ok := strings.CutPrefix(text(e.FormattedMessage()), "Executing endpoint '")
	route := endpointRoute(strings.TrimSuffix(name, "'"))
	if !ok || route == "" {
		return
	}
	l.request(said, ev, w, detail{
		route: route, routeSource: RouteLog, traceID: hexadecimal(text(e.ActivityTraceID()), 32), spanID: hexadecimal(text(e.ActivitySpanID()), 16),
	})
}

// endpointRoute returns the route in the name of an endpoint: "HTTP: GET /a/{id}", or the template
// alone. It is "" for a name that the application gave, and for an action of MVC.
func endpointRoute(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	rest, ok := strings.CutPrefix(name, "HTTP: ")
	for ok {
		var word string
		if word, rest, ok = strings.Cut(rest, " "); !strings.HasSuffix(word, ",") {
			break
		}
	}
	return rest
}

// Decoded returns a path in the spelling of Kestrel: percent-decoded, but %2F is as it was sent.
// Hosting writes the encoded spelling.
func Decoded(path string) string {
	path, _, _ = strings.Cut(path, "?")
	if !strings.Contains(path, "%") {
		return path
	}
	slash := strings.NewReplacer("%2F", "%252F", "%2f", "%252f")
	if plain, err := url.PathUnescape(slash.Replace(path)); err == nil {
		return plain
	}
	return path
}
