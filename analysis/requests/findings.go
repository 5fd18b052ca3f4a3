package requests

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
)

// command shows the details of all findings of the part.
const command = "nettrace report requests FILE"

// rules are the findings of the part. Each has the lowest value that is one.
var rules = []analysis.Measured[Row, Totals]{
	{Rule: analysis.Rule{
		Name: "requests-server-errors", Threshold: 1, High: 25, Unit: "percent", Severity: analysis.Medium, Command: command,
		Advice: "Look at the routes with errors, and with report exceptions at what was thrown.",
	}, Measure: serverErrors},
	{Rule: analysis.Rule{
		Name: "requests-outgoing-failed", Threshold: 1, High: 25, Unit: "percent", Severity: analysis.Medium, Command: command,
		Advice: "Look at the messages of the failed requests: the other side refuses connections, or requests take too long.",
	}, Measure: outgoingFailed},
	{Rule: analysis.Rule{
		Name: "requests-slow-route", Threshold: 2e9, High: 10e9, Unit: "nanoseconds", Severity: analysis.Medium, Command: command,
		Advice: "Look at the time lines of the slowest requests. Streams are long on purpose.",
	}, Measure: slowRoute},
	{Rule: analysis.Rule{
		Name: "requests-queue", Threshold: 250e6, High: 2e9, Unit: "nanoseconds", Severity: analysis.Medium, Command: command,
		Advice: "Raise SocketsHttpHandler.MaxConnectionsPerServer, use HTTP/2, or send fewer requests at once.",
	}, Measure: longQueue},
	{Rule: analysis.Rule{
		Name: "requests-new-connections", Threshold: 80, Unit: "percent", Severity: analysis.Low, Command: command,
		Advice: "Use one HttpClient or IHttpClientFactory for many requests, and read answers to their end: connections are then used again.",
	}, Measure: newConnections},
}

// The numbers of events below which a share of requests, or a percentile, is no
// finding.
const (
	fewErrors      = 10
	fewRequests    = 20
	fewConnections = 50
)

func serverErrors(_ []Row, t *Totals) (float64, string) {
	if t.Incoming == nil {
		return 0, ""
	}
	errors, answered := int64(0), int64(0)
	for _, s := range t.Incoming.Statuses {
		answered += s.Count
		if s.Status >= serverError {
			errors += s.Count
		}
	}
	of := "answers have a status of 500 or more"
	if answered == 0 { // without a DiagnosticSource
		errors, answered, of = t.Incoming.Failed.Or(0), t.Incoming.Stops, "incoming requests ended with an unhandled exception"
	}
	if errors < fewErrors {
		return 0, ""
	}
	text := fmt.Sprintf("%d of %d %s", errors, answered, of)
	if r := worst(t, Incoming); r != nil {
		text += fmt.Sprintf("; most of them of %s: %d of %d", r.name(), r.Errors, r.Count)
	}
	return analysis.Percent(errors, answered), text
}

func outgoingFailed(_ []Row, t *Totals) (float64, string) {
	if t.Outgoing == nil || t.Outgoing.Failed.Or(0) < fewErrors {
		return 0, ""
	}
	failed := t.Outgoing.Failed.Or(0)
	text := fmt.Sprintf("%d of %d outgoing requests failed without an answer", failed, t.Outgoing.Starts)
	if r := worst(t, Outgoing); r != nil {
		text += fmt.Sprintf("; most errors of %s: %d of %d", r.name(), r.Errors, r.Count)
	}
	return analysis.Percent(failed, t.Outgoing.Starts), text
}

// worst returns the route of a direction with the most errors, nil for none.
func worst(t *Totals, direction Direction) *RouteTotals {
	var found *RouteTotals
	for i := range t.Routes {
		r := &t.Routes[i]
		if r.Direction == direction && r.Errors > 0 && (found == nil || r.Errors > found.Errors) {
			found = r
		}
	}
	return found
}

// name names the route for users.
func (r *RouteTotals) name() string {
	if r.Direction == Outgoing {
		return r.Origin + r.Route
	}
	return r.Method + " " + r.Route
}

func slowRoute(_ []Row, t *Totals) (float64, string) {
	var found *RouteTotals
	for i := range t.Routes {
		r := &t.Routes[i]
		if r.Completed >= fewRequests && (found == nil || r.Durations.P95Ns > found.Durations.P95Ns) {
			found = r
		}
	}
	if found == nil {
		return 0, ""
	}
	d := found.Durations
	return float64(d.P95Ns), fmt.Sprintf("%s requests %s: 95 %% of %d take at most %s, half of them %s, the slowest %s",
		found.Direction, found.name(), d.Count, analysis.Milliseconds(d.P95Ns), analysis.Milliseconds(d.P50Ns), analysis.Milliseconds(d.MaxNs))
}

func longQueue(_ []Row, t *Totals) (float64, string) {
	if t.Queue == nil || t.Queue.Count < fewRequests {
		return 0, ""
	}
	return float64(t.Queue.P95Ns), fmt.Sprintf("%d outgoing requests waited for a connection: 95 %% at most %s, the longest %s",
		t.Queue.Count, analysis.Milliseconds(t.Queue.P95Ns), analysis.Milliseconds(t.Queue.MaxNs))
}

func newConnections(_ []Row, t *Totals) (float64, string) {
	established := t.ConnectionsEstablished.Or(0)
	if t.Outgoing == nil || established < fewConnections {
		return 0, ""
	}
	return analysis.Percent(established, t.Outgoing.Starts),
		fmt.Sprintf("%d connections were established for %d outgoing requests", established, t.Outgoing.Starts)
}
