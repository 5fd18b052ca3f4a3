package requests

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// begun is the incoming request that a thread began last. Hosting, the bridge and
// Kestrel write their starts on one thread, one after the other.
type begun struct {
	request         *request
	hosting, bridge wire.GUID // their activity ids
}

// began returns the request that a start of a further source is about, by the
// id of the activity that it is a child of. It is a new one if there is none. method
// is "" if the event does not have it.
func (p *process) began(s source, ev *codec.Event, method string) *request {
	r := p.begun[p.trace.Thread(ev)].of(s, ev)
	if r == nil || method != "" && r.method != "" && r.method != method {
		r = p.newRequest(Incoming)
	}
	if r != nil && method != "" {
		r.method = method
	}
	return r
}

// of returns the begun request if a start of a further source is about it, nil
// otherwise. A plain event of a DiagnosticSource, which it writes without a filter,
// begins no activity: its id is the one that Hosting began.
func (b begun) of(s source, ev *codec.Event) *request {
	related := ev.RelatedActivity()
	switch {
	case b.request == nil || b.request.spans[s].began:
		return nil
	case related == b.hosting, s == kestrel && related == b.bridge, s == bridge && ev.Activity() == b.hosting:
		return b.request
	}
	return nil
}

// hostingStart handles RequestStart of Hosting.
func (p *process) hostingStart(ev *codec.Event) {
	e := clr.HostingRequestStart(ev)
	r := p.newRequest(Incoming)
	if r != nil {
		r.method, r.path = text(e.Method()), decoded(text(e.Path()))
		p.setBegun(p.trace.Thread(ev), begun{request: r, hosting: ev.Activity()})
	}
	p.start(r, hosting, ev)
}

// setBegun stores what a thread began.
func (p *process) setBegun(thread analysis.Thread, b begun) {
	if int64(len(p.begun)) >= p.trace.Limits().Threads {
		clear(p.begun)
	}
	p.begun[thread] = b
}

// hostingStop handles RequestStop of Hosting.
func (p *process) hostingStop(ev *codec.Event) { p.stop(hosting, "", ev) }

// unhandledException handles UnhandledException of Hosting.
func (p *process) unhandledException(ev *codec.Event) {
	p.unhandled++
	if r := p.open.only(openKey{clr.HostingProvider, ev.Activity()}); r != nil {
		r.failed, r.failure = true, "unhandled exception"
	}
}

// kestrelStart handles RequestStart of Kestrel.
func (p *process) kestrelStart(ev *codec.Event) {
	e := clr.KestrelRequestStart(ev)
	id := text(e.RequestID())
	r := p.began(kestrel, ev, text(e.Method()))
	if r != nil {
		r.path, r.id = text(e.Path()), id
	}
	p.start(r, kestrel, ev)
	p.identify(r, kestrel, id)
}

// kestrelStop handles RequestStop of Kestrel.
func (p *process) kestrelStop(ev *codec.Event) {
	p.stop(kestrel, text(clr.KestrelRequestStop(ev).RequestID()), ev)
}

// bridge handles an event of a DiagnosticSource.
func (p *process) bridge(ev *codec.Event) {
	e := clr.DiagnosticsPlain(ev)
	name := text(e.EventName())
	start := strings.HasSuffix(name, "HttpRequestIn.Start")
	if !start && !strings.HasSuffix(name, "HttpRequestIn.Stop") {
		return
	}
	arguments := map[string]string{}
	for key, value := range e.Arguments() {
		arguments[text(key)] = text(value)
	}
	if start {
		p.bridgeStart(ev, arguments)
		return
	}
	r := p.stop(bridge, arguments["ActivityId"], ev)
	status, err := strconv.ParseInt(arguments["StatusCode"], 10, 64)
	if err != nil {
		return
	}
	p.bridgeStatus[status]++
	if r != nil {
		r.status = analysis.Known(status)
	}
}

// bridgeStart handles the start of an incoming request by a DiagnosticSource.
func (p *process) bridgeStart(ev *codec.Event, arguments map[string]string) {
	r := p.began(bridge, ev, arguments["Method"])
	if r != nil {
		r.traceID = arguments["ActivityTraceId"]
		if r.path == "" {
			r.path = decoded(arguments["PathBase"] + arguments["Path"])
		}
		p.setBegun(p.trace.Thread(ev), begun{request: r, hosting: ev.RelatedActivity(), bridge: ev.Activity()})
	}
	p.start(r, bridge, ev)
	p.identify(r, bridge, arguments["ActivityId"])
}
