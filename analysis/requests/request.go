package requests

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// source is what writes starts and stops of requests.
type source int

// The sources. The earlier one of incoming requests has the better pairs.
const (
	kestrel source = iota
	bridge
	hosting
	http
	sources
)

// sourceProviders are the providers of the sources.
var sourceProviders = [sources]string{clr.KestrelProvider, clr.DiagnosticsProvider, clr.HostingProvider, clr.HTTPProvider}

// counts are the numbers of events of a source.
type counts struct {
	starts, stops, without int64 // without: stops that have no start
	open, most             int64 // started and not stopped: now, and at most
}

// request is an incoming or an outgoing request.
type request struct {
	direction            Direction
	method, origin, path string
	id, traceID          string // of Kestrel; of the W3C trace
	spans                [sources]span
	status               analysis.Number
	failed               bool
	failure              string
	queueNs              analysis.Number
	lossy                bool     // it was open when events were lost
	threads              []uint64 // that wrote its events, in that order
	moments              []Moment
	momentsLeftOut       int64
}

// span is the time of a request by one source.
type span struct {
	start, end   uint64 // ticks
	began, ended bool
	ambiguous    bool // the stop cannot be distinguished from those of other requests
	unidentified bool // the events have no id
}

// exactKey identifies a request by an id that its source writes.
type exactKey struct {
	source source
	id     string
}

// maxThreads bounds the threads of a request.
const maxThreads = 32

// ranOn records that a thread wrote an event of the request.
func (r *request) ranOn(thread analysis.Thread) {
	known := thread.ID < 1<<32 // those above have no id
	if known && len(r.threads) < maxThreads && !slices.Contains(r.threads, thread.ID) {
		r.threads = append(r.threads, thread.ID)
	}
}

// newRequest adds a request, nil above the limit.
func (p *process) newRequest(direction Direction) *request {
	if int64(len(p.requests)) >= p.trace.Limits().Rows {
		p.leftOut++
		return nil
	}
	r := &request{direction: direction}
	p.requests = append(p.requests, r)
	p.pending[r] = struct{}{}
	return r
}

// start records the start of a request by a source. r is nil above the limit.
func (p *process) start(r *request, s source, ev *codec.Event) {
	c := &p.sources[s]
	c.starts++
	c.open++
	c.most = max(c.most, c.open)
	if r == nil {
		return
	}
	r.ranOn(p.trace.Thread(ev))
	span := &r.spans[s]
	span.start, span.began = ev.Timestamp, true
	if ev.Activity() == (wire.GUID{}) {
		span.unidentified = true
		return
	}
	for _, other := range p.open.start(openKey{sourceProviders[s], ev.Activity()}, r) {
		other.spans[s].ambiguous = true
	}
}

// stop records the stop of a request by a source, and returns the request. It is
// nil if it is unknown. id is the id that the source writes, or "".
func (p *process) stop(s source, id string, ev *codec.Event) *request {
	c := &p.sources[s]
	c.stops++
	r, found := p.open.stop(openKey{sourceProviders[s], ev.Activity()})
	if id != "" {
		key := exactKey{s, id}
		r = p.exact[key]
		found = r != nil
		delete(p.exact, key)
	}
	unidentified := id == "" && ev.Activity() == wire.GUID{}
	switch {
	case found || unidentified:
		c.open = max(0, c.open-1)
	case p.leftOut == 0:
		c.without++
	}
	if r != nil {
		r.ranOn(p.trace.Thread(ev))
		r.spans[s].end, r.spans[s].ended = ev.Timestamp, true
		delete(p.pending, r)
	}
	return r
}

// identify stores an open request by the id that its source writes.
func (p *process) identify(r *request, s source, id string) {
	if r == nil || id == "" {
		return
	}
	p.exact[exactKey{s, id}] = r
	r.spans[s].ambiguous, r.spans[s].unidentified = false, false
}

// of returns the request that an activity belongs to, nil if it is unknown.
func (p *process) of(activity wire.GUID) *request {
	if activity == (wire.GUID{}) {
		return nil
	}
	for _, provider := range sourceProviders {
		if r := p.open.only(openKey{provider, activity}); r != nil {
			return r
		}
	}
	return nil
}
