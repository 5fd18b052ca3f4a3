package counters

import (
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// command shows the details of all findings of the part.
const command = "nettrace report counters FILE"

// rules are the findings of the part, about counters whose meaning is known. Each
// has the lowest value that is one.
var rules = []analysis.Measured[Row, Totals]{
	{Rule: analysis.Rule{
		Name: "counters-gc-pause", Threshold: 10, High: 20, Unit: "percent", Severity: analysis.Medium, Command: command,
		Advice: "Record garbage collections and look at report gc: the program allocates too much, or collects on purpose.",
	}, Measure: lasting("GC paused the process at least %.0f %% of the time", gcPause)},
	{Rule: analysis.Rule{
		Name: "counters-thread-pool-queue", Threshold: 100, High: 1000, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "Record the thread pool and blocking waits, and look at report threads: its threads may be blocked.",
	}, Measure: lasting("at least %.0f work items waited in the thread pool", poolQueue)},
	{Rule: analysis.Rule{
		Name: "counters-server-queue", Threshold: 10, High: 100, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "The server accepts connections and requests later than they come: look at report threads, requests and gc.",
	}, Measure: lasting("at least %.0f connections or requests waited in Kestrel", serverQueue)},
	{Rule: analysis.Rule{
		Name: "counters-exceptions", Threshold: 100, High: 1000, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "Record exceptions and look at report exceptions, which shows what throws them.",
	}, Measure: lasting("the program threw at least %.0f exceptions a second", exceptions)},
	{Rule: analysis.Rule{
		Name: "counters-lock-contention", Threshold: 1000, High: 10e3, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "Record contended locks and look at report locks, which shows where threads wait.",
	}, Measure: lasting("threads waited for a lock at least %.0f times a second", contention)},
	{Rule: analysis.Rule{
		Name: "counters-memory-growth", Threshold: 100e6, High: 1e9, Unit: "bytes", Severity: analysis.Medium, Command: command,
		Advice: "Compare two heap dumps of the process: objects that nothing releases are in both.",
	}, Measure: memoryGrowth},
	{Rule: analysis.Rule{
		Name: "counters-growth", Threshold: 100, High: 10e3, Unit: "count", Severity: analysis.Low, Command: command,
		Advice: "Check that the program takes away what it adds: timers, connections and requests that never end.",
	}, Measure: countGrowth},
	{Rule: analysis.Rule{
		Name: "counters-failed-requests", Threshold: 5, High: 25, Unit: "percent", Severity: analysis.Medium, Command: command,
		Advice: "Record the requests and look at report requests, which shows the routes and the errors.",
	}, Measure: failedRequests},
	{Rule: analysis.Rule{
		Name: "counters-callback-error", Threshold: 1, Unit: "count", Severity: analysis.Low, Command: command,
		Advice: "Correct the callback of the observable instrument: its values are missing.",
	}, Measure: callbackErrors},
}

// name identifies a counter or an instrument.
type name struct{ provider, counter string }

// scales are counters with one meaning: by name, the factor to the unit of a rule.
type scales map[name]float64

// of returns the factor for a row, 0 if it has another meaning.
func (s scales) of(r *Row) float64 { return s[name{r.Provider, r.Name}] }

// The providers of counters with a known meaning.
const (
	kestrelSource = clr.KestrelProvider
	kestrelMeter  = "Microsoft.AspNetCore.Server.Kestrel"
	hosting       = clr.HostingProvider
)

// The counters of the rules. An EventCounter and an instrument can have the same
// meaning.
var (
	gcPause = scales{
		{analysis.RuntimeCounters, "total-pause-time-by-gc"}: 0.1, // ms in a second
		{analysis.RuntimeCounters, "dotnet.gc.pause.time"}:   100, // s in a second
	}
	poolQueue = scales{
		{analysis.RuntimeCounters, "threadpool-queue-length"}:         1,
		{analysis.RuntimeCounters, "dotnet.thread_pool.queue.length"}: 1,
	}
	serverQueue = scales{
		{kestrelSource, "connection-queue-length"}:   1,
		{kestrelSource, "request-queue-length"}:      1,
		{kestrelMeter, "kestrel.queued_connections"}: 1,
		{kestrelMeter, "kestrel.queued_requests"}:    1,
	}
	exceptions = scales{
		{analysis.RuntimeCounters, "exception-count"}:   1,
		{analysis.RuntimeCounters, "dotnet.exceptions"}: 1,
	}
	contention = scales{
		{analysis.RuntimeCounters, "monitor-lock-contention-count"}:   1,
		{analysis.RuntimeCounters, "dotnet.monitor.lock_contentions"}: 1,
	}
	memory = scales{
		{analysis.RuntimeCounters, "gc-heap-size"}:                                    1e6,
		{analysis.RuntimeCounters, "gc-committed"}:                                    1e6,
		{analysis.RuntimeCounters, "working-set"}:                                     1e6,
		{analysis.RuntimeCounters, "dotnet.gc.last_collection.heap.size"}:             1,
		{analysis.RuntimeCounters, "dotnet.gc.last_collection.memory.committed_size"}: 1,
		{analysis.RuntimeCounters, "dotnet.process.memory.working_set"}:               1,
	}
	counts = scales{
		{analysis.RuntimeCounters, "active-timer-count"}: 1,
		{hosting, "current-requests"}:                    1,
		{kestrelSource, "current-connections"}:           1,
	}
)

// lasting returns a rule's measure: the highest level of successive values among
// some counters. format has a place for the level.
func lasting(format string, of scales) func([]Row, *Totals) (float64, string) {
	return func(rows []Row, _ *Totals) (float64, string) {
		best, text := 0.0, ""
		for i := range rows {
			r := &rows[i]
			scale := of.of(r)
			if scale == 0 || r.Sustained == nil || r.Sustained.Value*scale <= best {
				continue
			}
			l := r.Sustained
			best = l.Value * scale
			text = fmt.Sprintf(format+" for %.1f s from %.1f s on (%s)", best, seconds(l.DurationNs), seconds(l.StartNs), title(r))
		}
		return best, text
	}
}

// memoryGrowth is the growth of the memory in bytes.
func memoryGrowth(rows []Row, _ *Totals) (float64, string) {
	return grown(rows, "%s grew from %.0f to %.0f MB in %.0f s", 1e6, memory.of)
}

// countGrowth is the growth of a number of things.
func countGrowth(rows []Row, _ *Totals) (float64, string) {
	return grown(rows, "%s grew from %.0f to %.0f in %.0f s", 1, func(r *Row) float64 {
		if r.Type == "UpDownCounter" && r.Unit != "By" {
			return 1
		}
		return counts.of(r)
	})
}

// grown is the largest growth among some rows. The text has it in a unit.
func grown(rows []Row, format string, unit float64, scaleOf func(*Row) float64) (float64, string) {
	best, text := 0.0, ""
	for i := range rows {
		r := &rows[i]
		scale := scaleOf(r)
		for _, a := range r.Anomalies {
			if a.Kind != Growth || (a.Value-a.Usual)*scale <= best {
				continue
			}
			best = (a.Value - a.Usual) * scale
			text = fmt.Sprintf(format, title(r), a.Usual*scale/unit, a.Value*scale/unit, seconds(r.EndNs-r.StartNs))
		}
	}
	return best, text
}

// minFailed is the number of failed requests below which their share is no finding.
const minFailed = 20

// failedRequests is the share of the requests that failed on the server, in
// percent: by the EventCounters, otherwise by the status in the tags of the Meter.
func failedRequests(rows []Row, _ *Totals) (float64, string) {
	var failed, all float64
	for i := range rows {
		r := &rows[i]
		switch (name{r.Provider, r.Name}) {
		case name{hosting, "failed-requests"}:
			failed += increase(r)
		case name{hosting, "total-requests"}:
			all += increase(r)
		}
	}
	if all == 0 {
		failed, all = failedByStatus(rows)
	}
	if failed < minFailed || failed > all {
		return 0, ""
	}
	return 100 * failed / all, fmt.Sprintf("%.0f of %.0f requests failed on the server", failed, all)
}

// increase is the difference of the last and the first value.
func increase(r *Row) float64 {
	if r.First == nil {
		return 0
	}
	return *r.Last - *r.First
}

// failedByStatus counts the requests with a status of 500 to 599.
func failedByStatus(rows []Row) (failed, all float64) {
	for i := range rows {
		r := &rows[i]
		if r.Provider != hosting || r.Name != "http.server.request.duration" {
			continue
		}
		count := float64(r.Measurements.Or(0))
		all += count
		if strings.Contains(r.Tags, "http.response.status_code=5") {
			failed += count
		}
	}
	return failed, all
}

// callbackErrors is the number of exceptions of observable instruments.
func callbackErrors(_ []Row, t *Totals) (float64, string) {
	count, first := int64(0), ""
	for _, e := range t.Errors {
		if !e.Callback {
			continue
		}
		if count == 0 {
			first, _, _ = strings.Cut(e.Text, "\n")
		}
		count += e.Count
	}
	if count == 0 {
		return 0, ""
	}
	return float64(count), fmt.Sprintf("the callback of an instrument failed: %s", strings.TrimSpace(first))
}

// title names a row.
func title(r *Row) string {
	if r.Tags != "" {
		return r.Name + " with " + r.Tags
	}
	return r.Name
}

// seconds returns a time in seconds.
func seconds(nanos int64) float64 { return float64(nanos) / 1e9 }
