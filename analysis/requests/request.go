package requests

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// counts are the numbers of events of HttpClient.
type counts struct {
	starts, stops, without int64 // without: stops that have no start
	open, most             int64 // started and not stopped: now, and at most
}

// request is an outgoing request.
type request struct {
	origin, path   string
	begin, end     uint64 // ticks
	ended          bool
	ambiguous      bool // the stop cannot be distinguished from those of other requests
	unidentified   bool // the events have no id
	lossy          bool // it was open when events were lost
	status         analysis.Number
	failed         bool
	failure        string
	queueNs        analysis.Number
	from           model.Owned   // where it was sent
	span           incoming.Span // that the bridge wrote
	threads        []uint64      // that wrote its events, in that order
	moments        []Moment
	momentsLeftOut int64
}

// maxThreads bounds the threads of a request.
const maxThreads = 32

// ranOn adds a thread that wrote an event of a request.
func ranOn(threads []uint64, thread uint64) []uint64 {
	known := thread < 1<<32 // those above have no id
	if known && len(threads) < maxThreads && !slices.Contains(threads, thread) {
		return append(threads, thread)
	}
	return threads
}

// start adds an outgoing request. It returns nil above the limit.
func (p *process) start(ev *codec.Event) *request {
	c := &p.sent
	c.starts++
	c.open++
	c.most = max(c.most, c.open)
	if int64(len(p.outgoing)) >= p.trace.Limits().Rows {
		p.leftOut++
		return nil
	}
	r := &request{from: p.owned(ev), begin: ev.Timestamp, threads: ranOn(nil, p.trace.Thread(ev).ID)}
	p.outgoing = append(p.outgoing, r)
	p.pending[r] = struct{}{}
	if ev.Activity() == (wire.GUID{}) {
		r.unidentified = true
		return r
	}
	for _, other := range p.open.start(openKey{clr.HTTPProvider, ev.Activity()}, r) {
		other.ambiguous = true
	}
	return r
}

// stop records the stop of an outgoing request, and returns the request. It is nil if it is
// unknown.
func (p *process) stop(ev *codec.Event) *request {
	c := &p.sent
	c.stops++
	r, found := p.open.stop(openKey{clr.HTTPProvider, ev.Activity()})
	switch {
	case found || ev.Activity() == wire.GUID{}:
		c.open = max(0, c.open-1)
	case p.leftOut == 0:
		c.without++
	}
	if r != nil {
		r.threads = ranOn(r.threads, p.trace.Thread(ev).ID)
		r.end, r.ended = ev.Timestamp, true
		delete(p.pending, r)
	}
	return r
}

// of returns the outgoing request that an activity belongs to, nil if it is unknown.
func (p *process) of(activity wire.GUID) *request {
	if activity == (wire.GUID{}) {
		return nil
	}
	return p.open.only(openKey{clr.HTTPProvider, activity})
}

// state returns what is known of the end of an outgoing request.
func (r *request) state() State {
	switch {
	case r.ended:
		return Completed
	case r.ambiguous:
		return Ambiguous
	case r.unidentified, r.lossy:
		return Unknown
	}
	return Unfinished
}
