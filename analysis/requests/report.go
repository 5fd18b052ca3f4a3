package requests

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
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
	Failed       bool            `json:"failed"`                 // no answer, or an exception that the application did not handle
	Failure      string          `json:"failure,omitempty"`      // message of the exception of an outgoing request
	RequestID    string          `json:"requestId,omitempty"`    // of Kestrel: the connection and the number of the request in it
	Connection   string          `json:"connection,omitempty"`   // of Kestrel
	TraceID      string          `json:"traceId,omitempty"`      // of the W3C trace, if the bridge was recorded
	SpanID       string          `json:"spanId,omitempty"`       // of the request in it
	ParentSpanID string          `json:"parentSpanId,omitempty"` // of the caller

	BeganBefore bool            `json:"beganBefore,omitzero"` // the start is not in the recording
	StartNs     analysis.Number `json:"startNs,omitzero"`     // since the trace's sync time
	DurationNs  analysis.Number `json:"durationNs,omitzero"`  // up to the end of the recording if the request is Unfinished
	QueueNs     analysis.Number `json:"queueNs,omitzero"`     // part of DurationNs that an outgoing request waited for a connection

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
}

// Work is a time in which a thread worked for a request.
type Work struct {
	Thread  uint64 `json:"thread"`  // id of the operating system
	BeginNs int64  `json:"beginNs"` // since the trace's sync time
	EndNs   int64  `json:"endNs"`   // since the trace's sync time
}

// Wait is a time in which a thread that worked for a request was blocked.
type Wait struct {
	Cause   string `json:"cause"`   // "lock" or "wait", as the kind of a Moment
	Thread  uint64 `json:"thread"`  // id of the operating system
	BeginNs int64  `json:"beginNs"` // since the trace's sync time
	EndNs   int64  `json:"endNs"`   // since the trace's sync time
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
	report.Findings = analysis.Findings(rules, rows, totals)
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
