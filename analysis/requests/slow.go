package requests

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
)

// causes are the rules for what makes incoming requests slow. They need Part.With.
var causes = []analysis.Measured[Row, Totals]{
	{Rule: analysis.Rule{
		Name: "requests-slow-wait", Threshold: 50e6, High: 1e9, Unit: "nanoseconds", Severity: analysis.Medium, Command: command,
		Advice: "Look at its time line, and at the method that waits: others of this route do not wait there for so long.",
	}, Measure: slowWait},
	{Rule: analysis.Rule{
		Name: "requests-blocked", Threshold: 25, High: 50, Unit: "percent", Severity: analysis.Medium, Command: command,
		Advice: "Look with report locks at who holds the lock, or with report gc at why the collector pauses: without it these requests take less time.",
	}, Measure: blockedRequests},
	{Rule: analysis.Rule{
		Name: "requests-sync-over-async", Threshold: 25, High: 75, Unit: "percent", Severity: analysis.Medium, Command: command,
		Advice: "Await the task: each of these requests takes a thread of the pool, and others wait for one (starvation).",
	}, Measure: syncOverAsync},
	{Rule: analysis.Rule{
		Name: "requests-n-plus-one", Threshold: 10, High: 100, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "Ask for all of them in one outgoing request, or send them at once.",
	}, Measure: nPlusOne},
}

// fewOfRoute is the number of requests below which the median of their route is no measure for one of them.
const fewOfRoute = 10

// slower is how many times the median of its route a request takes at least that is slow.
const slower = 5

// slowWait is how much longer than the median of its route the request takes that loses most time in one
// wait, or in pauses of the collector: the cause is at least half of what it takes longer.
func slowWait(rows []Row, t *Totals) (float64, string) {
	medians := map[routeKey]*analysis.Distribution{}
	for i := range t.Routes {
		r := &t.Routes[i]
		if r.Completed >= fewOfRoute {
			medians[routeKey{r.Direction, r.Method, r.Origin, r.Route}] = r.Durations
		}
	}
	most, text := int64(0), ""
	for i := range rows {
		row := &rows[i]
		of := medians[routeKey{row.Direction, row.Method, row.Origin, row.Route}]
		nanos, known := row.DurationNs.Get()
		if row.Direction != Incoming || row.State != Completed || of == nil || !known || nanos < slower*of.P50Ns || nanos-of.P50Ns <= most {
			continue
		}
		more := nanos - of.P50Ns
		why := ""
		if gc := row.GCNs.Or(0); gc >= more/2 {
			why = "the garbage collector paused the process for " + analysis.Milliseconds(gc)
		}
		if w := row.longest; w != nil && w.EndNs-w.BeginNs >= more/2 {
			why = fmt.Sprintf("thread %d waited %s (%s)", w.Thread, analysis.Milliseconds(w.EndNs-w.BeginNs), w.Cause)
			if w.Method != "" {
				why += " in " + w.Method
			}
			why += w.heldBy()
		}
		if why == "" {
			continue
		}
		most = more
		text = fmt.Sprintf("%s %s took %s, and half of the %d requests of its route at most %s: %s", row.Method, row.Path,
			analysis.Milliseconds(nanos), of.Count, analysis.Milliseconds(of.P50Ns), why)
		if row.RequestID != "" {
			text += " (request " + row.RequestID + ")"
		}
	}
	return float64(most), text
}

// blockedRequests is the share of the time of the incoming requests in which a thread of them waited for a lock,
// or the collector paused the process.
func blockedRequests(rows []Row, t *Totals) (float64, string) {
	if t.Incoming == nil || t.Incoming.Completed < fewRequests {
		return 0, ""
	}
	all, locked, paused, longest := int64(0), int64(0), int64(0), int64(0)
	var at *Wait
	for i := range rows {
		row := &rows[i]
		if row.Direction != Incoming || row.State != Completed {
			continue
		}
		nanos := row.DurationNs.Or(0)
		all += nanos
		paused += row.GCNs.Or(0)
		for _, s := range row.WaitsByCause {
			if s.Cause == lock {
				locked += min(s.TotalNs, nanos) // parts of one request can wait at once
			}
		}
		if w := row.longest; w != nil && w.Cause == lock && w.EndNs-w.BeginNs > longest {
			longest, at = w.EndNs-w.BeginNs, w
		}
	}
	if paused > locked {
		share := analysis.Percent(paused, all)
		return share, fmt.Sprintf("incoming requests were paused by the garbage collector for %.0f %% of their time", share)
	}
	share := analysis.Percent(locked, all)
	text := fmt.Sprintf("incoming requests waited for locks for %.0f %% of their time, the longest time %s", share, analysis.Milliseconds(longest))
	if at != nil && at.Method != "" {
		text += " in " + at.Method
	}
	if at != nil {
		text += at.heldBy()
	}
	return share, text
}

// heldBy says what held the lock of a wait, "" if it is not known.
func (w *Wait) heldBy() string {
	if w.holder == nil {
		return ""
	}
	text := fmt.Sprintf(", which thread %d held", w.holder.ThreadID)
	if w.holder.Method != "" {
		text += " in " + w.holder.Method
	}
	return text
}

// syncOverAsync is the share of the time of the incoming requests in which a thread of them waited for a task: it is missing
// in the pool meanwhile.
func syncOverAsync(rows []Row, t *Totals) (float64, string) {
	if t.Incoming == nil || t.Incoming.Completed < fewRequests {
		return 0, ""
	}
	all, blocked, longest, requests := int64(0), int64(0), int64(0), 0
	var of *Row
	where := ""
	for i := range rows {
		row := &rows[i]
		if row.Direction != Incoming || row.State != Completed {
			continue
		}
		nanos := row.DurationNs.Or(0)
		all += nanos
		for _, s := range row.WaitsByCause {
			if s.Cause == task {
				blocked, requests = blocked+min(s.TotalNs, nanos), requests+1 // parts of one request can wait at once
			}
		}
		if w := row.longest; w != nil && w.Cause == task && w.EndNs-w.BeginNs > longest {
			longest, where, of = w.EndNs-w.BeginNs, w.Method, row
		}
	}
	share := analysis.Percent(blocked, all)
	text := fmt.Sprintf("%d incoming requests blocked a thread until a task ended (sync over async) for %.0f %% of the time of all", requests, share)
	if of != nil {
		text += ", the longest time " + analysis.Milliseconds(longest)
		if where != "" {
			text += " in " + where
		}
		text += " of " + of.Method + " " + of.Path
	}
	return share, text
}

// nPlusOne is the highest number of outgoing requests with one route that an incoming one sent.
func nPlusOne(rows []Row, _ *Totals) (float64, string) {
	type call struct {
		from          *Row
		origin, route string
	}
	senders, counts := map[string]*Row{}, map[call]int{}
	for i := range rows {
		if rows[i].Direction == Incoming && rows[i].RequestID != "" {
			senders[rows[i].RequestID] = &rows[i]
		}
	}
	most, text := 0, ""
	for i := range rows {
		row := &rows[i]
		from := senders[row.Request]
		if row.Direction != Outgoing || from == nil {
			continue
		}
		key := call{from, row.Origin, row.Route}
		if counts[key]++; counts[key] > most {
			most = counts[key]
			text = fmt.Sprintf("%s %s sent %d requests to %s%s (request %s)", from.Method, from.Path, most, row.Origin, row.Route, from.RequestID)
		}
	}
	return float64(most), text
}
