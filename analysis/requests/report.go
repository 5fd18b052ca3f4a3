package requests

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
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
	Direction Direction       `json:"direction"`           // Incoming or Outgoing
	State     State           `json:"state"`               // Completed, Unfinished, Ambiguous or Unknown
	Method    string          `json:"method,omitempty"`    // "GET"; "" for an outgoing request, whose events do not have it
	Origin    string          `json:"origin,omitempty"`    // scheme, host and port of an outgoing request
	Path      string          `json:"path"`                // without the query; of an incoming request percent-decoded, except %2F
	Route     string          `json:"route"`               // Path with {n} and {guid}, see Route
	Status    analysis.Number `json:"status,omitzero"`     // of the answer
	Failed    bool            `json:"failed"`              // no answer, or an exception that the application did not handle
	Failure   string          `json:"failure,omitempty"`   // message of the exception of an outgoing request
	RequestID string          `json:"requestId,omitempty"` // of Kestrel: the connection and the number of the request in it
	TraceID   string          `json:"traceId,omitempty"`   // of the W3C trace, if a DiagnosticSource was recorded

	StartNs    int64           `json:"startNs"`             // since the trace's sync time
	DurationNs analysis.Number `json:"durationNs,omitzero"` // up to the end of the recording if the request is Unfinished
	QueueNs    analysis.Number `json:"queueNs,omitzero"`    // part of DurationNs that an outgoing request waited for a connection

	// Threads are the ids of the threads that wrote its events: its start, its
	// stop and what Timeline can have.
	Threads []uint64 `json:"threads,omitempty"`

	Timeline        []Moment `json:"timeline,omitempty"`       // of the slowest requests, in the order of time
	TimelineLeftOut int64    `json:"timelineLeftOut,omitzero"` // moments above the limit of 50
}

// timelines is the number of requests of a direction that have a time line.
const timelines = 10

// report makes the report of a process after the last event.
func (p *process) report(t *analysis.Trace) analysis.Report {
	rows := make([]Row, len(p.requests))
	for i, r := range p.requests {
		rows[i] = p.row(r)
	}
	for _, direction := range []Direction{Incoming, Outgoing} {
		for _, i := range slowest(rows, direction, timelines) {
			r := p.requests[i]
			span := r.spans[r.source()]
			rows[i].Timeline, rows[i].TimelineLeftOut = p.timeline(r, span.start, span.end), r.momentsLeftOut
		}
	}
	report := analysis.NewReport(Name, p.id)
	totals := p.totals(rows)
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
		{t.Incoming != nil && len(p.bridgeStatus) == 0, statuses},
	} {
		if n.missing {
			list = append(list, n.events)
		}
	}
	return list
}

// unidentified reports whether a request has no id by which it can be paired.
func (p *process) unidentified() bool {
	return slices.ContainsFunc(p.requests, func(r *request) bool {
		return r.spans[r.source()].unidentified
	})
}

// source returns the source of the times of a request: the first one with both
// the start and the stop, or else the first one with a start.
func (r *request) source() source {
	is := func(good func(span) bool) int {
		return slices.IndexFunc(r.spans[:], good)
	}
	if i := is(func(s span) bool { return s.began && s.ended }); i >= 0 {
		return source(i)
	}
	if i := is(func(s span) bool { return s.began && !s.ambiguous && !s.unidentified }); i >= 0 {
		return source(i)
	}
	return source(max(0, is(func(s span) bool { return s.began })))
}

// state returns what is known of the end of a request.
func (r *request) state() State {
	s := &r.spans[r.source()]
	switch {
	case s.ended:
		return Completed
	case s.ambiguous:
		return Ambiguous
	case s.unidentified, r.lossy:
		return Unknown
	}
	return Unfinished
}

// row makes the row of a request.
func (p *process) row(r *request) Row {
	span := &r.spans[r.source()]
	row := Row{
		Direction: r.direction, State: r.state(), Method: r.method, Origin: r.origin, Path: r.path, Route: Route(r.path),
		Status: r.status, Failed: r.failed, Failure: r.failure, RequestID: r.id, TraceID: r.traceID,
		StartNs: p.trace.Nanos(span.start), QueueNs: r.queueNs, Threads: r.threads,
	}
	switch row.State {
	case Completed:
		row.DurationNs = analysis.Known(p.trace.Between(span.start, span.end))
	case Unfinished:
		_, end := p.trace.Bounds(p.id)
		row.DurationNs = analysis.Known(p.trace.Between(span.start, end))
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
