package requests

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/locks"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// Direction says who sent a request.
type Direction string

// The directions of requests.
const (
	Incoming Direction = "incoming" // the process serves it
	Outgoing Direction = "outgoing" // the process sends it with HttpClient
)

// State says what is known of the end of a request.
type State string

// The states of requests.
const (
	Completed  State = "completed"
	Unfinished State = "unfinished" // open at the end of the recording
	Ambiguous  State = "ambiguous"  // open at once with others under one activity id: no duration
	Unknown    State = "unknown"    // the events have no id, or events are lost: no duration
)

// Row is a request. Unknown Numbers are not in JSON.
type Row struct {
	Direction Direction `json:"direction"`          // Incoming or Outgoing
	State     State     `json:"state"`              // Completed, Unfinished, Ambiguous or Unknown
	Method    string    `json:"method,omitempty"`   // "GET"; "" for an outgoing request, whose events do not have it
	Origin    string    `json:"origin,omitempty"`   // scheme, host and port of an outgoing request
	Protocol  string    `json:"protocol,omitempty"` // "HTTP/1.1" of an incoming request
	Path      string    `json:"path"`               // without the query; of an incoming request percent-decoded, except %2F
	Route     string    `json:"route"`              // the template of the application, or Path with {n} and {guid}
	// RouteSource of an incoming request tells where Route comes from: "tag" (of the activity), "log",
	// "mvc", or "path".
	RouteSource  string          `json:"routeSource,omitempty"`
	Status       analysis.Number `json:"status,omitzero"`        // of the answer
	Failed       bool            `json:"failed"`                 // no answer; an exception that the application did not handle, or the status 500
	Failure      string          `json:"failure,omitempty"`      // message of the exception of an outgoing request
	RequestID    string          `json:"requestId,omitempty"`    // of Kestrel: the connection and the number of the request in it
	Connection   string          `json:"connection,omitempty"`   // of Kestrel
	TraceID      string          `json:"traceId,omitempty"`      // of the W3C trace, if the bridge was recorded
	SpanID       string          `json:"spanId,omitempty"`       // of the request in it
	ParentSpanID string          `json:"parentSpanId,omitempty"` // of the caller
	Request      string          `json:"request,omitempty"`      // of Kestrel: the incoming request that sent an outgoing one
	ServedBy     string          `json:"servedBy,omitempty"`     // of Kestrel: the incoming request of the same trace that an outgoing one became

	BeganBefore bool            `json:"beganBefore,omitzero"` // the start is not in the recording
	StartNs     analysis.Number `json:"startNs,omitzero"`     // since the trace's sync time
	DurationNs  analysis.Number `json:"durationNs,omitzero"`  // up to the end of the recording if the request is Unfinished
	QueueNs     analysis.Number `json:"queueNs,omitzero"`     // part of DurationNs that an outgoing request waited for a connection

	ConnectionNs    analysis.Number `json:"connectionNs,omitzero"`    // from the begin of its connection to StartNs, of the first incoming request there
	TLSNs           analysis.Number `json:"tlsNs,omitzero"`           // the TLS handshake of this connection
	BeforeHandlerNs analysis.Number `json:"beforeHandlerNs,omitzero"` // part of DurationNs before the handler of an incoming request
	GCNs            analysis.Number `json:"gcNs,omitzero"`            // pauses of the collector while an incoming request was served
	CPUNs           analysis.Number `json:"cpuNs,omitzero"`           // processor time of an incoming request, by samples: see AddCPU
	AllocatedBytes  analysis.Number `json:"allocatedBytes,omitzero"`  // estimated, of the allocations that have an event
	OutgoingCount   analysis.Number `json:"outgoing,omitzero"`        // requests that it sent; unknown for none
	WaitsByCause    []CauseSum      `json:"waitsByCause,omitempty"`   // of its threads, the longest sum first; with Part.With

	// Threads are the ids of the threads that wrote its events: its start, its
	// stop and what Timeline can have.
	Threads []uint64 `json:"threads,omitempty"`

	Exceptions analysis.Number `json:"exceptions,omitzero"` // thrown while it was served; unknown for none

	// Parts are the times in which threads worked for an incoming request, as far as the trace has
	// their ends, and Waits the locks and waits in it; with Part.Details only.
	Parts []Work `json:"parts,omitempty"`
	Waits []Wait `json:"waits,omitempty"` // in the order of their begins

	Timeline        []Moment `json:"timeline,omitempty"`       // of the slowest requests, in the order of time
	TimelineLeftOut int64    `json:"timelineLeftOut,omitzero"` // moments above the limit of 50

	served  *incoming.Request // nil for an outgoing one
	longest *Wait             // nil for none
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "direction", Doc: "incoming or outgoing", Head: "direction", Of: func(r *Row) any { return string(r.Direction) }},
		{Key: "state", Doc: "completed, unfinished, ambiguous or unknown", Of: func(r *Row) any { return string(r.State) }},
		{Key: "method", Doc: "such as GET; null for an outgoing request", Of: func(r *Row) any { return r.Method }},
		{Key: "origin", Doc: "scheme, host and port of an outgoing request", Of: func(r *Row) any { return r.Origin }},
		{Key: "protocol", Doc: "such as HTTP/1.1", Of: func(r *Row) any { return r.Protocol }},
		{Key: "path", Doc: "without the query", Head: "request", Form: analysis.Cut, Empty: true, Show: func(r *Row) any { return Title(r.Method, r.Origin, r.Path) }, Of: func(r *Row) any { return r.Path }},
		{Key: "route", Doc: "the template of the application, or the path with {n} and {guid}", Empty: true, Of: func(r *Row) any { return r.Route }},
		{Key: "routeSource", Doc: "tag, log, mvc or path: where the route of an incoming request comes from", Of: func(r *Row) any { return r.RouteSource }},
		{Key: "status", Doc: "of the answer", Head: "status", Of: func(r *Row) any { return r.Status }, Show: func(r *Row) any { return r.Status.String() }},
		{Key: "failed", Doc: "no answer; an exception that the application did not handle, or the status 500", Of: func(r *Row) any { return r.Failed }},
		{Key: "failure", Doc: "message of the exception of an outgoing request", Head: "failure", Form: analysis.Cut, Blank: true, Of: func(r *Row) any { return r.Failure }},
		{Key: "requestId", Doc: "of Kestrel: the connection and the number of the request in it", Of: func(r *Row) any { return r.RequestID }},
		{Key: "connection", Doc: "of Kestrel", Of: func(r *Row) any { return r.Connection }},
		{Key: "traceId", Doc: "of the W3C trace", Of: func(r *Row) any { return r.TraceID }},
		{Key: "spanId", Doc: "of the request in the trace", Of: func(r *Row) any { return r.SpanID }},
		{Key: "parentSpanId", Doc: "of the caller", Of: func(r *Row) any { return r.ParentSpanID }},
		{Key: "request", Doc: "request_id of the incoming request that sent an outgoing one", SQL: "sent_by", Of: func(r *Row) any { return r.Request }},
		{Key: "servedBy", Doc: "request_id of the incoming request that an outgoing one became, in the same trace", Of: func(r *Row) any { return r.ServedBy }},
		{Key: "beganBefore", Doc: "the start is not in the recording: at_ns is that of the first request that has one", Of: func(r *Row) any { return r.BeganBefore }},
		{Key: "startNs", Doc: "start of the request", Head: "start s", Form: analysis.Seconds, Of: func(r *Row) any { return r.StartNs }, Show: func(r *Row) any { return r.StartNs.Or(0) }},
		{Key: "durationNs", Doc: "up to the end of the recording if the request is unfinished", Head: "duration", Form: analysis.Million, Of: func(r *Row) any { return r.DurationNs }},
		{Key: "queueNs", Doc: "part of duration_ns that an outgoing request waited for a connection", Head: "queue", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.QueueNs }},
		{Key: "connectionNs", Doc: "from the begin of its connection to its start, of the first incoming request there", Of: func(r *Row) any { return r.ConnectionNs }},
		{Key: "tlsNs", Doc: "TLS handshake of the connection whose first request it is", Of: func(r *Row) any { return r.TLSNs }},
		{Key: "beforeHandlerNs", Doc: "part of duration_ns before the handler of an incoming request", Of: func(r *Row) any { return r.BeforeHandlerNs }},
		{Key: "gcNs", Doc: "pauses of the garbage collector while an incoming request was served", Of: func(r *Row) any { return r.GCNs }},
		{Key: "cpuNs", Doc: "processor time of an incoming request, by samples", Of: func(r *Row) any { return r.CPUNs }},
		{Key: "allocatedBytes", Doc: "estimated", Of: func(r *Row) any { return r.AllocatedBytes }},
		{Key: "outgoing", Doc: "requests that an incoming one sent", Of: func(r *Row) any { return r.OutgoingCount }},
		{Key: "waitsByCause", Doc: "waits of its threads, the longest sum first"},
		{Key: "threads", Doc: "threads that wrote its events"},
		{Key: "exceptions", Doc: "thrown while an incoming request was served", Of: func(r *Row) any { return r.Exceptions }},
		{Key: "parts", Doc: "times in which threads worked for an incoming request"},
		{Key: "waits", Doc: "locks and waits of these threads"},
		{Key: "timeline", Doc: "what happened in it, of the slowest requests"},
		{Key: "timelineLeftOut", Doc: "of that, not listed", Of: func(r *Row) any { return r.TimelineLeftOut }},
	},
	Text:    "startNs durationNs direction path status queueNs failure",
	Query:   "direction state method origin path route status failed durationNs queueNs traceId spanId parentSpanId requestId connection protocol routeSource beganBefore exceptions request servedBy outgoing gcNs beforeHandlerNs tlsNs allocatedBytes",
	Page:    "startNs durationNs status route method failed direction",
	Longest: &analysis.Longest{Key: "durationNs", Name: "Slowest request", Why: []string{"method", "route", "status", "waitsByCause"}},
}

// Work is a time in which a thread worked for a request.
type Work struct {
	Thread  uint64 `json:"thread"`  // id of the operating system
	BeginNs int64  `json:"beginNs"` // since the trace's sync time
	EndNs   int64  `json:"endNs"`   // since the trace's sync time
}

// Wait is a time in which a thread that worked for a request was blocked.
type Wait struct {
	Cause   string `json:"cause"`            // as the kind of a Moment
	Method  string `json:"method,omitempty"` // that waits, without those of the classes for waiting
	Thread  uint64 `json:"thread"`           // id of the operating system
	BeginNs int64  `json:"beginNs"`          // since the trace's sync time
	EndNs   int64  `json:"endNs"`            // since the trace's sync time

	holder *locks.Holder // of the lock, nil if it is not known
}

// timelines is the number of requests of a direction that have a time line.
const timelines = 10

// report makes the report of a process after the last event.
func (p *process) report(t *analysis.Trace) analysis.Report {
	in, leftOut := p.incomingRows(t.Limits().Rows)
	rows := make([]Row, 0, len(in)+len(p.outgoing))
	for i := range in {
		rows = append(rows, p.incomingOf(&in[i]))
	}
	for _, r := range p.outgoing {
		rows = append(rows, p.outgoingOf(r))
	}
	p.connect(rows, len(in))
	for _, direction := range []Direction{Incoming, Outgoing} {
		for _, i := range slowest(rows, direction, timelines) {
			if i < len(in) {
				rows[i].Timeline, rows[i].TimelineLeftOut = p.timeline(in[i].moments, in[i].of.Begin, in[i].of.End), in[i].momentsLeftOut
				continue
			}
			r := p.outgoing[i-len(in)]
			rows[i].Timeline, rows[i].TimelineLeftOut = p.timeline(r.moments, r.begin, r.end), r.momentsLeftOut
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.StartNs.Or(0), b.StartNs.Or(0)) })
	report := analysis.NewReport(Name, p.id)
	totals := p.totals(rows, leftOut)
	report.Rows, report.Totals = rows, totals
	report.Findings = append(analysis.Findings(rules, rows, totals), analysis.Findings(causes, rows, totals)...)
	analysis.SortFindings(report.Findings)
	report.NotRecorded = append(report.NotRecorded, p.notRecorded(totals)...)
	return report
}

// notRecorded lists the events that the trace lacks.
func (p *process) notRecorded(t *Totals) []analysis.NotRecorded {
	var list []analysis.NotRecorded
	for _, n := range []struct {
		missing bool
		events  analysis.NotRecorded
	}{
		{t.Incoming == nil, incomingRequests},
		{t.Outgoing == nil, outgoingRequests},
		{p.unidentified(), activities},
		{t.Incoming != nil && len(t.Incoming.Statuses) == 0, statuses},
	} {
		if n.missing {
			list = append(list, n.events)
		}
	}
	return list
}

// unidentified reports whether a request has no id by which it can be paired.
func (p *process) unidentified() bool {
	if requests := p.served.Requests(p.id); requests != nil {
		if slices.ContainsFunc(requests.List, func(r *incoming.Request) bool { return r.Unidentified }) {
			return true
		}
	}
	return slices.ContainsFunc(p.outgoing, func(r *request) bool { return r.unidentified })
}

// outgoingOf makes the row of an outgoing request.
func (p *process) outgoingOf(r *request) Row {
	row := Row{
		Direction: Outgoing, State: r.state(), Origin: r.origin, Path: r.path, Route: incoming.PathPattern(r.path), Status: r.status, Failed: r.failed, Failure: r.failure,
		StartNs: analysis.Known(p.trace.Nanos(r.begin)), QueueNs: r.queueNs, Threads: r.threads,
	}
	switch _, end := p.trace.Bounds(p.id); row.State {
	case Completed:
		row.DurationNs = analysis.Known(p.trace.Between(r.begin, r.end))
	case Unfinished:
		row.DurationNs = analysis.Known(p.trace.Between(r.begin, end))
	}
	return row
}

// connect tells which incoming requests sent the outgoing ones, the rows from first on, and which ones these
// became in the same trace.
func (p *process) connect(rows []Row, first int) {
	became := map[string]string{} // by the span of the caller
	for _, id := range p.served.Processes() {
		for _, r := range p.served.Requests(id).List {
			if r.ParentSpanID != "" {
				became[r.ParentSpanID] = r.ID
			}
		}
	}
	for i, r := range p.outgoing {
		row := &rows[first+i]
		row.TraceID, row.SpanID, row.ParentSpanID = r.span.TraceID, r.span.SpanID, r.span.ParentSpanID
		if r.span.SpanID != "" {
			row.ServedBy = became[r.span.SpanID]
		}
		if at := p.served.Owner(r.from).Request; at >= 0 && at < first {
			row.Request = rows[at].RequestID
			rows[at].OutgoingCount = rows[at].OutgoingCount.Add(1)
		}
	}
}

// slowest returns the indices of the slowest completed rows of a direction, the
// slowest first.
func slowest(rows []Row, direction Direction, most int) []int {
	var list []int
	for i := range rows {
		if rows[i].Direction == direction && rows[i].State == Completed {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(rows[b].DurationNs.Or(0), rows[a].DurationNs.Or(0))
	})
	return list[:min(most, len(list))]
}

// Title returns the name of a request, or of a route, for users: "GET /cart", or of an outgoing one
// "https://shop:443/cart". An outgoing one has no method, an incoming one no origin.
func Title(method, origin, path string) string {
	if method == "" {
		return origin + path
	}
	return method + " " + origin + path
}
