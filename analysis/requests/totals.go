package requests

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
)

// Totals are the totals of one process.
type Totals struct {
	Incoming *Side         `json:"incoming,omitempty"` // nil if the trace has none
	Outgoing *Side         `json:"outgoing,omitempty"` // nil if the trace has none
	Routes   []RouteTotals `json:"routes"`             // those with the most time first
	Phases   []Phase       `json:"phases,omitempty"`   // of outgoing requests
	// SharesLeftOut is the number of waits and allocations that may belong to requests and are in no row,
	// because of the limit.
	SharesLeftOut int64 `json:"sharesLeftOut,omitzero"`
	RowsLeftOut   int64 `json:"rowsLeftOut"` // because of the limit; only Starts, Stops and MaxConcurrent count them

	CPU *CPU `json:"cpu,omitempty"` // of incoming requests; nil without AddCPU

	// Queue has the times that outgoing requests waited for a connection, of those
	// that waited.
	Queue                  *analysis.Distribution `json:"queue,omitempty"`
	ConnectionsEstablished analysis.Number        `json:"connectionsEstablished,omitzero"` // by HttpClient
	ConnectionsClosed      analysis.Number        `json:"connectionsClosed,omitzero"`      // by HttpClient
}

// Side has the totals of a direction.
type Side struct {
	Starts            int64 `json:"starts"`            // number of requests whose start is recorded
	Stops             int64 `json:"stops"`             // number of requests whose stop is recorded
	Completed         int64 `json:"completed"`         // rows of this state, and so on
	Ambiguous         int64 `json:"ambiguous"`         // without a duration
	Unfinished        int64 `json:"unfinished"`        // open at the end of the recording
	Unknown           int64 `json:"unknown"`           // without a duration
	StopsWithoutStart int64 `json:"stopsWithoutStart"` // of requests that began before the recording, or whose start is lost
	MaxConcurrent     int64 `json:"maxConcurrent"`     // highest number of requests that were open at once
	// Failed is the number of outgoing requests without an answer, or of incoming
	// ones with an exception that the application did not handle or the status 500: of the rows that
	// say so, and of exceptions whose request is unknown. It is unknown for incoming
	// ones without events of Hosting and without a status.
	Failed    analysis.Number        `json:"failed,omitzero"`
	Statuses  []Status               `json:"statuses,omitempty"`  // of incoming requests: of the rows; of outgoing ones: of all stops; in ascending order
	Durations *analysis.Distribution `json:"durations,omitempty"` // of the completed requests; nil for none
}

// Status is the number of answers with a status.
type Status struct {
	Status int64 `json:"status"` // of HTTP
	Count  int64 `json:"count"`  // number of answers
}

// Phase has the durations of a part of outgoing requests.
type Phase struct {
	// Kind is "dns", "connect", "tls", "requestHeaders", "requestContent",
	// "responseHeaders" or "responseContent".
	Kind      string                 `json:"kind"`
	Failed    int64                  `json:"failed"`              // events that report a failure
	Durations *analysis.Distribution `json:"durations,omitempty"` // of those with one start open under their activity id
}

// RouteTotals has the totals of the requests with one method, origin and route.
type RouteTotals struct {
	Direction      Direction              `json:"direction"`               // Incoming or Outgoing
	Method         string                 `json:"method,omitempty"`        // "GET"; "" for outgoing requests
	Origin         string                 `json:"origin,omitempty"`        // scheme, host and port of outgoing requests
	Route          string                 `json:"route"`                   // the path with {n} and {guid}, see Route
	Count          int64                  `json:"count"`                   // rows with this route
	Completed      int64                  `json:"completed"`               // rows of this state
	Ambiguous      int64                  `json:"ambiguous"`               // rows of this state
	Unfinished     int64                  `json:"unfinished"`              // rows of this state
	Errors         int64                  `json:"errors"`                  // failed, or a status of 500 or more
	MaxConcurrent  analysis.Number        `json:"maxConcurrent,omitzero"`  // unknown if a request has no duration
	Statuses       []Status               `json:"statuses,omitempty"`      // in ascending order
	Durations      *analysis.Distribution `json:"durations,omitempty"`     // of the completed ones
	CPUNs          analysis.Number        `json:"cpuNs,omitzero"`          // the sum of the rows
	AllocatedBytes analysis.Number        `json:"allocatedBytes,omitzero"` // of the rows of incoming requests, as the others here
	GCNs           analysis.Number        `json:"gcNs,omitzero"`           // the sum of the rows
	Exceptions     analysis.Number        `json:"exceptions,omitzero"`     // the sum of the rows
	Outgoing       analysis.Number        `json:"outgoing,omitzero"`       // requests that they sent
	WaitsByCause   []CauseSum             `json:"waitsByCause,omitempty"`  // the sums of the rows
	BeforeHandler  *analysis.Distribution `json:"beforeHandler,omitempty"` // of the requests whose handler is recorded to begin
	TLS            *analysis.Distribution `json:"tls,omitempty"`           // handshakes before the first requests of connections
}

// serverError is the lowest status that is an error of the server.
const serverError = 500

// totals sums up the rows of a process. leftOut are incoming requests without a row.
func (p *process) totals(rows []Row, leftOut int64) *Totals {
	t := &Totals{RowsLeftOut: p.leftOut + leftOut, SharesLeftOut: p.sharesLeftOut, Routes: routesOf(rows), Incoming: p.incomingSide(rows, leftOut)}
	if c := p.sent; c.starts+c.stops > 0 {
		t.Outgoing = newSide(rows, Outgoing, c)
		t.Outgoing.Failed, t.Outgoing.Statuses = analysis.Known(p.failed), statusList(p.sentStatus)
		t.ConnectionsEstablished, t.ConnectionsClosed = analysis.Known(p.connectionsEstablished), analysis.Known(p.connectionsEnded)
	}
	t.Queue = analysis.NewDistribution(p.queueNs)
	for kind, name := range kindNames {
		if d := analysis.NewDistribution(p.phaseNs[kind]); d != nil || p.phaseFailed[kind] > 0 {
			t.Phases = append(t.Phases, Phase{name, p.phaseFailed[kind], d})
		}
	}
	return t
}

// newSide sums up the rows of a direction. c are the counts of its events.
func newSide(rows []Row, direction Direction, c counts) *Side {
	s := &Side{Starts: c.starts, Stops: c.stops, StopsWithoutStart: c.without, MaxConcurrent: c.most}
	byState := map[State]*int64{Completed: &s.Completed, Ambiguous: &s.Ambiguous, Unfinished: &s.Unfinished, Unknown: &s.Unknown}
	var durations []int64
	for i := range rows {
		if rows[i].Direction != direction {
			continue
		}
		*byState[rows[i].State]++
		if rows[i].State == Completed {
			durations = append(durations, rows[i].DurationNs.Or(0))
		}
	}
	s.Durations = analysis.NewDistribution(durations)
	return s
}

// statusList returns the numbers by status in ascending order.
func statusList(counts map[int64]int64) []Status {
	var list []Status
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, Status{status, counts[status]})
	}
	return list
}

// routeKey identifies a route.
type routeKey struct {
	direction             Direction
	method, origin, route string
}

// routesOf sums up the rows by route.
func routesOf(rows []Row) []RouteTotals {
	byRoute := map[routeKey][]*Row{}
	var keys []routeKey
	for i := range rows {
		row := &rows[i]
		key := routeKey{row.Direction, row.Method, row.Origin, row.Route}
		if byRoute[key] == nil {
			keys = append(keys, key)
		}
		byRoute[key] = append(byRoute[key], row)
	}
	list := make([]RouteTotals, len(keys))
	for i, key := range keys {
		list[i] = newRoute(key, byRoute[key])
	}
	slices.SortStableFunc(list, func(a, b RouteTotals) int {
		return cmp.Or(cmp.Compare(b.time(), a.time()), cmp.Compare(b.Count, a.Count))
	})
	return list
}

// time returns the sum of the durations.
func (r *RouteTotals) time() int64 {
	if r.Durations == nil {
		return 0
	}
	return r.Durations.TotalNs
}

// newRoute sums up the rows of a route.
func newRoute(key routeKey, rows []*Row) RouteTotals {
	r := RouteTotals{Direction: key.direction, Method: key.method, Origin: key.origin, Route: key.route, Count: int64(len(rows))}
	var durations []int64
	statuses := map[int64]int64{}
	for _, row := range rows {
		switch row.State {
		case Completed:
			r.Completed++
			durations = append(durations, row.DurationNs.Or(0))
		case Ambiguous:
			r.Ambiguous++
		case Unfinished:
			r.Unfinished++
		}
		status, known := row.Status.Get()
		if known {
			statuses[status]++
		}
		if row.Failed || status >= serverError {
			r.Errors++
		}
	}
	r.sum(rows)
	r.Statuses, r.Durations = statusList(statuses), analysis.NewDistribution(durations)
	r.MaxConcurrent = maxConcurrent(rows)
	return r
}

// sum sums up what the rows have.
func (r *RouteTotals) sum(rows []*Row) {
	var before, tls []int64
	for _, row := range rows {
		for _, f := range []struct {
			sum *analysis.Number
			of  analysis.Number
		}{{&r.CPUNs, row.CPUNs}, {&r.AllocatedBytes, row.AllocatedBytes}, {&r.GCNs, row.GCNs}, {&r.Exceptions, row.Exceptions}, {&r.Outgoing, row.OutgoingCount}} {
			if n, known := f.of.Get(); known {
				*f.sum = f.sum.Add(n)
			}
		}
		for _, one := range row.WaitsByCause {
			r.WaitsByCause = addCause(r.WaitsByCause, one)
		}
		if n, known := row.BeforeHandlerNs.Get(); known {
			before = append(before, n)
		}
		if n, known := row.TLSNs.Get(); known {
			tls = append(tls, n)
		}
	}
	r.BeforeHandler, r.TLS = analysis.NewDistribution(before), analysis.NewDistribution(tls)
}

// maxConcurrent returns the highest number of rows that were open at once; it is
// unknown if a row has no duration.
func maxConcurrent(rows []*Row) analysis.Number {
	var begins, ends []int64
	for _, row := range rows {
		duration, known := row.DurationNs.Get()
		if !known {
			return analysis.Number{}
		}
		start := row.StartNs.Or(0)
		begins, ends = append(begins, start), append(ends, start+duration)
	}
	slices.Sort(begins)
	slices.Sort(ends)
	most, ended := 0, 0
	for i, begin := range begins {
		for ended < len(ends) && ends[ended] <= begin {
			ended++
		}
		most = max(most, i+1-ended)
	}
	return analysis.Known(int64(most))
}
