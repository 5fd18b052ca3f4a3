package requests

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// incomingRow is a row in the making.
type incomingRow struct {
	of             *incoming.Request
	parts          []incoming.Part
	threads        []uint64
	moments        []Moment
	momentsLeftOut int64
	waits          []Wait
	sums           []CauseSum // of the waits
	longest        *Wait      // nil for none
	allocated      int64      // bytes
	exceptions     int64
}

// incomingRows makes the rows of the requests that the process served, up to the limit.
func (p *process) incomingRows(most int64) (rows []incomingRow, leftOut int64) {
	if requests := p.served.Requests(p.id); requests != nil {
		list := requests.List[:min(int64(len(requests.List)), most)]
		rows, p.first = make([]incomingRow, len(list)), firstRequests(requests.List)
		parts := make([][]incoming.Part, len(requests.List))
		if p.details {
			parts = requests.Parts()
		}
		for i, r := range list {
			rows[i] = incomingRow{of: r, parts: parts[i]}
			for _, thread := range r.Threads {
				rows[i].threads = ranOn(rows[i].threads, thread)
			}
		}
		leftOut = int64(len(requests.List)-len(rows)) + p.served.LeftOut(p.id)
	}
	for i := range p.happened {
		h := &p.happened[i]
		if h.client != nil {
			h.client.happened(p, h)
		}
		if p.part.waits != nil && h.kind != exception {
			continue
		}
		if at := p.served.Owner(h.of).Request; at >= 0 && at < len(rows) {
			rows[at].happened(p, h)
		}
	}
	p.sharesLeftOut = p.addShares(rows)
	return rows, leftOut
}

// happened adds what happened in the time of an outgoing request.
func (r *request) happened(p *process, h *happening) {
	r.threads = ranOn(r.threads, h.of.Thread.ID)
	r.moments, r.momentsLeftOut = add(r.moments, r.momentsLeftOut, p.momentOf(h))
}

// happened adds what happened in the time of a request.
func (r *incomingRow) happened(p *process, h *happening) {
	r.threads = ranOn(r.threads, h.of.Thread.ID)
	r.moments, r.momentsLeftOut = add(r.moments, r.momentsLeftOut, p.momentOf(h))
	if h.kind == exception {
		r.exceptions++
	} else if p.details {
		r.waits = append(r.waits, Wait{Cause: h.kind, Thread: h.of.Thread.ID, BeginNs: p.trace.Nanos(h.of.Ticks), EndNs: p.trace.Nanos(h.until)})
	}
}

// stateOf returns what is known of the end of a request.
func stateOf(r *incoming.Request) State {
	switch {
	case r.Began && r.Ended:
		return Completed
	case r.Ambiguous:
		return Ambiguous
	case !r.Began, r.Unidentified, r.Lossy:
		return Unknown
	}
	return Unfinished
}

// failed reports whether a request ended with an exception that the application did not handle. A
// middleware that shows exceptions answers with 500, and Hosting does not hear of them.
func failed(r *incoming.Request) bool { return r.Unhandled || r.HasStatus && r.Status == serverError }

// failures returns the number of requests that failed, and of exceptions of which it is unknown in
// which request the application did not handle them.
func failures(requests *incoming.Requests) int64 {
	n := requests.Unhandled
	for _, r := range requests.List {
		if r.Unhandled {
			n--
		}
		if failed(r) {
			n++
		}
	}
	return n
}

// incomingOf makes the row of a request that the process served.
func (p *process) incomingOf(in *incomingRow) Row {
	r := in.of
	row := Row{
		Direction: Incoming, State: stateOf(r), BeganBefore: !r.Began, Protocol: r.Protocol, Method: r.Method, Path: r.Path, Route: r.Pattern(), RouteSource: string(r.RouteSource),
		Failed: failed(r), RequestID: r.ID, Connection: r.Connection, TraceID: r.TraceID, SpanID: r.SpanID, ParentSpanID: r.ParentSpanID,
		Threads: in.threads, Waits: in.waits, WaitsByCause: in.sums, longest: in.longest, served: r,
	}
	if r.RouteSource == incoming.NoRoute {
		row.RouteSource = string(incoming.RoutePath)
	}
	if r.HasStatus {
		row.Status = analysis.Known(r.Status)
	}
	if r.Began {
		row.StartNs = analysis.Known(p.trace.Nanos(r.Begin))
	}
	switch _, end := p.trace.Bounds(p.id); row.State {
	case Completed:
		row.DurationNs = analysis.Known(p.trace.Between(r.Begin, r.End))
	case Unfinished:
		row.DurationNs = analysis.Known(p.trace.Between(r.Begin, end))
	}
	if in.exceptions > 0 {
		row.Exceptions = analysis.Known(in.exceptions)
	}
	if in.allocated > 0 {
		row.AllocatedBytes = analysis.Known(in.allocated)
	}
	p.before(&row, r)
	for _, part := range in.parts {
		row.Parts = append(row.Parts, Work{Thread: part.Thread, BeginNs: p.trace.Nanos(part.Begin), EndNs: p.trace.Nanos(part.End)})
	}
	slices.SortFunc(row.Waits, func(a, b Wait) int { return cmp.Or(cmp.Compare(a.BeginNs, b.BeginNs), cmp.Compare(a.Thread, b.Thread)) })
	return row
}

// before sets what is known of the time before the handler, and of the collector.
func (p *process) before(row *Row, r *incoming.Request) {
	if !r.Began {
		return
	}
	if r.Handler > r.Begin {
		row.BeforeHandlerNs = analysis.Known(p.trace.Between(r.Begin, r.Handler))
	}
	if c := p.served.Requests(p.id).Connections[r.Connection]; c != nil && p.first[r.Connection] == r {
		if c.Begin != 0 && c.Begin <= r.Begin {
			row.ConnectionNs = analysis.Known(p.trace.Between(c.Begin, r.Begin))
		}
		if c.TLSBegin != 0 && c.TLSEnd > c.TLSBegin {
			row.TLSNs = analysis.Known(p.trace.Between(c.TLSBegin, c.TLSEnd))
		}
	}
	if r.Ended && len(p.pauses) > 0 {
		nanos := int64(0)
		for _, pause := range p.paused(r.Begin, r.End) {
			nanos += p.trace.Between(pause.From, pause.To)
		}
		row.GCNs = analysis.Known(nanos)
	}
}

// firstRequests returns the first request of each connection.
func firstRequests(list []*incoming.Request) map[string]*incoming.Request {
	first := map[string]*incoming.Request{}
	for _, r := range list {
		if before := first[r.Connection]; r.Began && (before == nil || r.Begin < before.Begin) {
			first[r.Connection] = r
		}
	}
	return first
}

// incomingSide sums up the requests that the process served, nil for none. leftOut are those
// without a row.
func (p *process) incomingSide(rows []Row, leftOut int64) *Side {
	requests := p.served.Requests(p.id)
	if requests == nil {
		return nil
	}
	c := counts{starts: leftOut}
	statuses := map[int64]int64{}
	hosted := false
	type change struct {
		ticks uint64
		by    int64
	}
	var changes []change
	for _, r := range requests.List {
		hosted = hosted || r.HasStatus || r.Times[incoming.Hosting].Began || r.Times[incoming.Hosting].Ended
		if r.Began {
			c.starts++
		}
		changes = append(changes, change{r.Begin, 1})
		switch {
		case r.Ended:
			c.stops++
			changes = append(changes, change{r.End, -1})
			if !r.Began {
				c.without++
			}
		}
		if r.HasStatus {
			statuses[r.Status]++
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.ticks, b.ticks), cmp.Compare(a.by, b.by)) })
	for _, one := range changes {
		c.open += one.by
		c.most = max(c.most, c.open)
	}
	side := newSide(rows, Incoming, c)
	if side.Statuses = statusList(statuses); hosted {
		side.Failed = analysis.Known(failures(requests))
	}
	return side
}
