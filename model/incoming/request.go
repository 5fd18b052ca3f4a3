package incoming

import "slices"

// Source is what writes a start and a stop of a request.
type Source uint8

// The sources, in the order of their starts.
const (
	Hosting  Source = iota
	Activity        // an ActivitySource, by the bridge
	Bridge          // a DiagnosticSource, by the bridge
	Kestrel
	Sources
)

// RouteSource tells where the route of a request comes from.
type RouteSource string

// The sources of routes.
const (
	NoRoute  RouteSource = ""
	RouteTag RouteSource = "tag" // tag http.route of the activity: .NET 11
	RouteLog RouteSource = "log" // log message "Executing endpoint"
	RouteMVC RouteSource = "mvc" // template of the action of MVC
)

// Times are the start and the stop of a request by one source.
type Times struct {
	Begin, End uint64 // ticks
	Began      bool   // there is a start
	Ended      bool   // there is a stop
}

// Request is a request that the process served. Unknown texts are "".
type Request struct {
	ID           string      // of Kestrel: connection and number of the request in it
	Connection   string      // of Kestrel
	Protocol     string      // "HTTP/1.1"
	Method       string      // "GET"
	Path         string      // percent-decoded but for %2F, without the query
	Route        string      // the template of the application
	RouteSource  RouteSource // NoRoute for none
	TraceID      string      // of the W3C trace, 32 hexadecimal digits
	SpanID       string      // 16 hexadecimal digits
	ParentSpanID string      // "" also for none
	Status       int64       // of the answer, if HasStatus; 499 if the client gave up
	HasStatus    bool        // a source has the status
	Unhandled    bool        // the application did not handle an exception

	// Times are those of each source. Begin is the earliest start, End the latest stop.
	Times [Sources]Times
	Begin uint64 // ticks, if Began
	End   uint64 // ticks, if Ended
	Began bool   // there is a start
	Ended bool   // there is a stop
	// Handler is when its handler began: the log message "Executing endpoint", or an action of MVC. 0 if
	// it is not recorded.
	Handler uint64 // ticks
	// Ambiguous reports that the request was open at once with others under one activity id,
	// which is all that the trace has to find its stop.
	Ambiguous bool
	// Unidentified reports that the trace has nothing to find its stop by.
	Unidentified bool
	// Lossy reports that events were lost while the request was open: its stop may be among them.
	Lossy bool
	// Threads wrote its starts and stops.
	Threads []uint64

	activities  [Sources]int32 // numbers of guids, 0 for none
	startThread uint64         // of Kestrel's start, or else of the last one
	into        *Request       // that it turned out to be
	at          int            // in Requests.List
}

// begin records a start.
func (r *Request) begin(s Source, e *entry) {
	r.Times[s].Begin, r.Times[s].Began = e.ticks, true
	if !r.Began || e.ticks < r.Begin {
		r.Begin, r.Began = e.ticks, true
	}
	r.activities[s] = e.activity
	r.ranOn(e.thread)
}

// end records a stop.
func (r *Request) end(s Source, e *entry) {
	r.Times[s].End, r.Times[s].Ended = e.ticks, true
	if !r.Ended || e.ticks > r.End {
		r.End, r.Ended = e.ticks, true
	}
	if r.activities[s] == 0 {
		r.activities[s] = e.activity
	}
	r.ranOn(e.thread)
}

// maxThreads bounds Request.Threads.
const maxThreads = 32

// ranOn adds a thread.
func (r *Request) ranOn(thread uint64) {
	if len(r.Threads) < maxThreads && !slices.Contains(r.Threads, thread) {
		r.Threads = append(r.Threads, thread)
	}
}

// openAt reports whether the request was served at a time: by Kestrel's times if it wrote the
// start.
func (r *Request) openAt(ticks uint64) bool {
	begin, end := uint64(0), ^uint64(0)
	if r.Began {
		begin = r.Begin
	}
	if r.Ended {
		end = r.End
	}
	if k := &r.Times[Kestrel]; k.Began {
		begin = k.Begin
		if k.Ended {
			end = k.End
		}
	}
	return begin <= ticks && ticks <= end
}

// describe sets what a record says of the request. What is known stays.
func (r *Request) describe(d *detail) {
	for _, f := range []struct {
		field *string
		value string
	}{
		{&r.ID, d.id}, {&r.Connection, d.connection}, {&r.Protocol, d.protocol}, {&r.Method, d.method}, {&r.Path, d.path},
		{&r.TraceID, d.traceID}, {&r.SpanID, d.spanID}, {&r.ParentSpanID, d.parentSpanID},
	} {
		if *f.field == "" {
			*f.field = f.value
		}
	}
	if d.hasStatus {
		r.Status, r.HasStatus = d.status, true
	}
	if d.route != "" {
		r.Route, r.RouteSource = d.route, d.routeSource
	}
}
