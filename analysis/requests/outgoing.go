package requests

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// httpStart handles RequestStart of HttpClient.
func (p *process) httpStart(ev *codec.Event) {
	e := clr.HTTPRequestStart(ev)
	if r := p.start(ev); r != nil {
		r.origin = text(e.Scheme()) + "://" + text(e.Host()) + ":" + strconv.FormatInt(int64(e.Port()), 10)
		r.path, _, _ = strings.Cut(text(e.PathAndQuery()), "?")
	}
}

// requestOut is the name of the activity of an outgoing request.
const requestOut = "System.Net.Http.HttpRequestOut"

// span handles the start of an activity of the bridge: that of an outgoing request begins within it.
func (p *process) span(ev *codec.Event) {
	r := p.of(ev.RelatedActivity())
	if r == nil {
		return
	}
	if span := incoming.SpanOf(ev); strings.TrimSuffix(span.Name, ".Start") == requestOut && r.span.SpanID == "" {
		r.span = span
	}
}

// httpStop handles RequestStop of HttpClient. Version 1 has the status, -1 for a
// request without an answer.
func (p *process) httpStop(ev *codec.Event) {
	r := p.stop(ev)
	e := clr.HTTPRequestStop(ev)
	status := int64(e.StatusCode())
	if !e.HasStatusCode() || status < 0 {
		return
	}
	p.sentStatus[status]++
	if r != nil {
		r.status = analysis.Known(status)
	}
}

// httpFailed handles RequestFailed of HttpClient. Version 1 has the message of
// the exception.
func (p *process) httpFailed(ev *codec.Event) {
	p.failed++
	if r := p.open.only(openKey{clr.HTTPProvider, ev.Activity()}); r != nil {
		r.failed, r.failure = true, text(clr.HTTPRequestFailed(ev).ExceptionMessage())
	}
}

// connectionEstablished handles ConnectionEstablished of HttpClient.
func (p *process) connectionEstablished(*codec.Event) { p.connectionsEstablished++ }

// connectionClosed handles ConnectionClosed of HttpClient.
func (p *process) connectionClosed(*codec.Event) { p.connectionsEnded++ }

// leftQueue handles RequestLeftQueue of HttpClient.
func (p *process) leftQueue(ev *codec.Event) {
	e := clr.HTTPRequestLeftQueue(ev)
	nanos := int64(e.TimeOnQueueMilliseconds() * 1e6)
	if e.Short() || nanos < 0 {
		return
	}
	if int64(len(p.queueNs)) < p.trace.Limits().Rows {
		p.queueNs = append(p.queueNs, nanos)
	}
	if r := p.open.only(openKey{clr.HTTPProvider, ev.Activity()}); r != nil {
		r.queueNs = analysis.Known(nanos)
	}
}

// kind is a kind of phase.
type kind int

// The kinds of phases.
const (
	dns kind = iota
	connect
	tls
	requestHeaders
	requestContent
	responseHeaders
	responseContent
	kinds
)

// kindNames are the names of the phases in JSON.
var kindNames = [kinds]string{"dns", "connect", "tls", "requestHeaders", "requestContent", "responseHeaders", "responseContent"}

// phase is a part of an outgoing request, or of what made its connection.
type phase struct {
	kind  kind
	owner *request // nil if it is unknown
	start uint64   // ticks
}

// phaseStep is what an event means to a phase.
type phaseStep struct {
	kind kind
	step step
}

type step int

const (
	begins step = iota
	ends
	fails // the event of the end follows
)

// phases are the events of phases.
var phases = map[clr.Kind]phaseStep{
	clr.KindNameResolutionResolutionStart: {dns, begins}, clr.KindNameResolutionResolutionStop: {dns, ends}, clr.KindNameResolutionResolutionFailed: {dns, fails},
	clr.KindSocketsConnectStart: {connect, begins}, clr.KindSocketsConnectStop: {connect, ends}, clr.KindSocketsConnectFailed: {connect, fails},
	clr.KindSecurityHandshakeStart: {tls, begins}, clr.KindSecurityHandshakeStop: {tls, ends}, clr.KindSecurityHandshakeFailed: {tls, fails},
	clr.KindHTTPRequestHeadersStart: {requestHeaders, begins}, clr.KindHTTPRequestHeadersStop: {requestHeaders, ends},
	clr.KindHTTPRequestContentStart: {requestContent, begins}, clr.KindHTTPRequestContentStop: {requestContent, ends},
	clr.KindHTTPResponseHeadersStart: {responseHeaders, begins}, clr.KindHTTPResponseHeadersStop: {responseHeaders, ends},
	clr.KindHTTPResponseContentStart: {responseContent, begins}, clr.KindHTTPResponseContentStop: {responseContent, ends},
}

// phase handles an event of a phase. It is paired like a request.
func (p *process) phase(s phaseStep, ev *codec.Event) {
	if s.step == fails {
		p.phaseFailed[s.kind]++
		return
	}
	if ev.Activity() == (wire.GUID{}) {
		return
	}
	key := openKey{kindNames[s.kind], ev.Activity()}
	if s.step == begins {
		if int64(len(p.phases)) < p.trace.Limits().Rows {
			p.phases.start(key, &phase{s.kind, p.of(ev.RelatedActivity()), ev.Timestamp})
		}
		return
	}
	one, _ := p.phases.stop(key)
	if one == nil {
		return
	}
	if list := &p.phaseNs[s.kind]; int64(len(*list)) < p.trace.Limits().Rows {
		*list = append(*list, p.trace.Between(one.start, ev.Timestamp))
	}
	if one.owner != nil {
		one.owner.moments, one.owner.momentsLeftOut = add(one.owner.moments, one.owner.momentsLeftOut, p.moment(kindNames[s.kind], one.start, ev.Timestamp))
	}
}
