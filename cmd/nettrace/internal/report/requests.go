package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
)

// requestsView prints the part requests.
var requestsView = view{
	name:  requests.Name,
	short: "Print the HTTP requests of a trace",
	long: "report requests prints the HTTP requests that the process served (incoming) and sent with HttpClient\n" +
		"(outgoing): a line for each route, and the slowest requests with their time lines. --json has all\n" +
		"requests. Times are in milliseconds; a value that the trace does not have is a dash.\n\n" +
		"  route        the application's template where it is recorded (tags of .NET 11, the log message\n" +
		"               \"Executing endpoint\", actions of MVC), or else the path without the query: {n} is a\n" +
		"               segment of digits, {guid} one that is a GUID\n" +
		"  ambiguous    open at once with others under one activity id: which stop belongs to which start is\n" +
		"               unknown, so these requests are not in the percentiles\n" +
		"  unfinished   open at the end of the recording\n" +
		"  unknown      began before the recording, or events were lost while it was open: no duration\n" +
		"  errors       failed requests, unhandled exceptions, and answers with a status of 500 or more\n" +
		"  at once      highest number of requests of the route that were open at once\n" +
		"  cpu          processor time by the samples of the file, which is read a second time for it; those\n" +
		"               of the runtime are of threads that run or are ready to. Not of standard input, nor\n" +
		"               with -p\n" +
		"  waits        times in which a thread that worked for the request was blocked, by cause\n\n" +
		"A time line lists pauses of the garbage collector, waits with the method that waits, locks,\n" +
		"exceptions, and the phases of an outgoing request, each with its start in the request, if the trace\n" +
		"has these events, or samples that show the wait. In JSON a row has their sums (waitsByCause, gcNs),\n" +
		"allocatedBytes, the time before its handler (beforeHandlerNs), the TLS handshake (tlsNs), and an\n" +
		"outgoing one the request that sent it and the one it became (request, servedBy). With --details,\n" +
		"which needs --format json, a row has the times in which threads worked for the request (parts) and\n" +
		"its locks and waits (waits), as far as the trace tells whose work a thread does. The profile\n" +
		"requests of collect records all of them but waits, as -p does, and the status of incoming\n" +
		"requests.",
	details: "print the parts and the waits of each request",
	profile: "requests",
	summary: requestsSummary,
	totals:  requestsTotals,
	tables:  requestsTables,
}

// requestsSides returns the totals of the directions that the trace has.
func requestsSides(t *requests.Totals) (names []string, sides []*requests.Side) {
	for _, s := range []struct {
		name string
		side *requests.Side
	}{{string(requests.Incoming), t.Incoming}, {string(requests.Outgoing), t.Outgoing}} {
		if s.side != nil {
			names, sides = append(names, s.name), append(sides, s.side)
		}
	}
	return names, sides
}

func requestsSummary(r *analysis.Report) string {
	names, sides := requestsSides(r.Totals.(*requests.Totals))
	texts := make([]string, len(sides))
	for i, s := range sides {
		texts[i] = display.Grouped(s.Starts) + " " + names[i]
		if d := s.Durations; d != nil {
			texts[i] += fmt.Sprintf(", median %s, p95 %s", milliseconds(d.P50Ns), milliseconds(d.P95Ns))
		}
		if failed := s.Failed.Or(0); failed > 0 {
			texts[i] += ", failed " + display.Grouped(failed)
		}
	}
	return strings.Join(texts, "; ")
}

// requestsTotals lists the totals.
func requestsTotals(r *analysis.Report) []property {
	t := r.Totals.(*requests.Totals)
	var list []property
	names, sides := requestsSides(t)
	for i, s := range sides {
		list = append(list, property{names[i], fmt.Sprintf("%d started, %d stopped, at most %d at once: completed %d, ambiguous %d, unfinished %d, unknown %d; failed %s",
			s.Starts, s.Stops, s.MaxConcurrent, s.Completed, s.Ambiguous, s.Unfinished, s.Unknown, cmp.Or(s.Failed.String(), "not recorded"))})
		list = append(list, durations("", s.Durations)...)
		if len(s.Statuses) > 0 {
			list = append(list, property{"", "status " + statusText(s.Statuses)})
		}
		if s.StopsWithoutStart > 0 {
			list = append(list, property{"note", "stops without a start: " + display.Grouped(s.StopsWithoutStart)})
		}
	}
	if established, ok := t.ConnectionsEstablished.Get(); ok {
		list = append(list, property{"connections", fmt.Sprintf("%d established, %d closed", established, t.ConnectionsClosed.Or(0))})
	}
	list = append(list, durations("waited for a connection", t.Queue)...)
	if cpu := t.CPU; cpu != nil {
		list = append(list, property{"processor time", fmt.Sprintf("%s of incoming requests, %s of several possible ones, %s of other work, by samples (%s)",
			milliseconds(cpu.RequestsNs), milliseconds(cpu.AmbiguousNs), milliseconds(cpu.OtherNs), cpu.Sampler)})
	}
	for _, p := range t.Phases {
		list = append(list, durations(phaseName(p.Kind), p.Durations)...)
		if p.Failed > 0 {
			list = append(list, property{phaseName(p.Kind), "failed " + display.Grouped(p.Failed)})
		}
	}
	if t.SharesLeftOut > 0 {
		list = append(list, property{"note", "waits and allocations left out because of the limit: " + display.Grouped(t.SharesLeftOut)})
	}
	if t.RowsLeftOut > 0 {
		list = append(list, property{"note", "requests left out because of the limit: " + display.Grouped(t.RowsLeftOut)})
	}
	return list
}

// durations returns the property of a distribution, none for nil.
func durations(name string, d *analysis.Distribution) []property {
	if d == nil {
		return nil
	}
	return []property{{name, fmt.Sprintf("%d: mean %s, median %s, p95 %s, p99 %s, longest %s",
		d.Count, milliseconds(d.MeanNs), milliseconds(d.P50Ns), milliseconds(d.P95Ns), milliseconds(d.P99Ns), milliseconds(d.MaxNs))}}
}

// phaseNames are the kinds of phases and moments as they are printed.
var phaseNames = map[string]string{
	"dns": "DNS", "tls": "TLS", "gc": "GC", "requestHeaders": "request headers", "requestContent": "request content",
	"responseHeaders": "response headers", "responseContent": "response content",
}

func phaseName(kind string) string {
	if name := phaseNames[kind]; name != "" {
		return name
	}
	return kind
}

// statusText lists statuses and their numbers.
func statusText(list []requests.Status) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = fmt.Sprintf("%d: %d", s.Status, s.Count)
	}
	return strings.Join(texts, ", ")
}

// mostRoutes bounds the routes that are printed; --json has all.
const mostRoutes = 50

// requestsTables lists the routes, the slowest requests and their time lines.
func requestsTables(r *analysis.Report) []table {
	all := r.Totals.(*requests.Totals).Routes
	title := "Routes"
	if len(all) > mostRoutes {
		title = fmt.Sprintf("The first %d of %s routes", mostRoutes, display.Grouped(int64(len(all))))
	}
	routes := listing(title+", times in ms", routeFields, all[:min(len(all), mostRoutes)])
	slow, times := slowRequests(r.Rows.([]requests.Row))
	return []table{routes, slow, times}
}

// causesText lists what threads waited for.
func causesText(list []requests.CauseSum) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.Cause + " " + millionths(analysis.Known(s.TotalNs))
	}
	return strings.Join(texts, ", ")
}

// quantile returns a time of the distribution of a route, unknown without it.
func quantile(of func(*analysis.Distribution) int64) func(*requests.RouteTotals) any {
	return func(r *requests.RouteTotals) any {
		if r.Durations == nil {
			return analysis.Number{}
		}
		return analysis.Known(of(r.Durations))
	}
}

// routeFields are the columns of the routes.
var routeFields = []analysis.Field[requests.RouteTotals]{
	{Head: "direction", Of: func(r *requests.RouteTotals) any { return string(r.Direction) }},
	{Head: "route", Form: analysis.Cut, Of: func(r *requests.RouteTotals) any { return requests.Title(r.Method, r.Origin, r.Route) }},
	{Head: "count", Of: func(r *requests.RouteTotals) any { return r.Count }},
	{Head: "ambiguous", Wide: true, Of: func(r *requests.RouteTotals) any { return r.Ambiguous }},
	{Head: "unfinished", Wide: true, Of: func(r *requests.RouteTotals) any { return r.Unfinished }},
	{Head: "errors", Of: func(r *requests.RouteTotals) any { return r.Errors }},
	{Head: "at once", Wide: true, Of: func(r *requests.RouteTotals) any { return r.MaxConcurrent }},
	{Head: "median", Form: analysis.Million, Of: quantile(func(d *analysis.Distribution) int64 { return d.P50Ns })},
	{Head: "p95", Form: analysis.Million, Of: quantile(func(d *analysis.Distribution) int64 { return d.P95Ns })},
	{Head: "p99", Form: analysis.Million, Wide: true, Of: quantile(func(d *analysis.Distribution) int64 { return d.P99Ns })},
	{Head: "max", Form: analysis.Million, Of: quantile(func(d *analysis.Distribution) int64 { return d.MaxNs })},
	{Head: "status", Form: analysis.Cut, Of: func(r *requests.RouteTotals) any { return statusText(r.Statuses) }},
	{Head: "cpu", Form: analysis.Million, Wide: true, Of: func(r *requests.RouteTotals) any { return r.CPUNs }},
	{Head: "waits", Form: analysis.Cut, Wide: true, Of: func(r *requests.RouteTotals) any { return causesText(r.WaitsByCause) }},
}
