package requests_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// made is a trace in the making. Times are in microseconds.
type made struct {
	*tracetest.Trace
	types map[string]uint32
}

func newMade() made { return made{tracetest.New(wire.V4), map[string]uint32{}} }

// event is an event of a made trace.
type event struct {
	at, thread        uint64
	provider          string
	id                uint32
	name              string
	activity, related byte // the first byte of the ids; 0 for none
	payload           []any
}

// add adds events.
func (m made) add(list ...event) {
	for _, e := range list {
		key := fmt.Sprint(e.provider, e.id)
		if m.types[key] == 0 {
			m.types[key] = m.Metadata(&codec.Metadata{Provider: e.provider, EventID: e.id, Name: e.name, Level: 4})
		}
		m.Now = e.at
		var payload []byte
		for _, field := range e.payload {
			if text, ok := field.(string); ok {
				payload = wire.AppendUTF16Z(payload, text)
				continue
			}
			payload = append(payload, tracetest.Pack(field)...)
		}
		m.Event(&codec.EventRow{
			MetadataID: m.types[key], CaptureThreadIndex: e.thread, ThreadIndex: e.thread, Timestamp: e.at, Processor: wire.UnknownProcessor,
			Payload: payload, Activity: wire.GUID{e.activity}, Related: wire.GUID{e.related},
		})
	}
}

// httpStart and httpStop are events of HttpClient.
func httpStart(at uint64, activity byte) event {
	return event{at: at, thread: 1, provider: clr.HTTPProvider, id: 1, activity: activity, payload: []any{"http", "host", uint32(80), "/a/7?b=1"}}
}

func httpStop(at uint64, activity byte, status int32) event {
	return event{at: at, thread: 2, provider: clr.HTTPProvider, id: 2, activity: activity, payload: []any{status}}
}

// hostingStart, hostingStop, kestrelStart and kestrelStop are events of incoming requests.
func hostingStart(at uint64, activity byte) event {
	return event{at: at, thread: 1, provider: clr.HostingProvider, id: 3, activity: activity, payload: []any{"GET", "/a%20b/x%2Fy"}}
}

func hostingStop(at uint64, activity byte) event {
	return event{at: at, thread: 2, provider: clr.HostingProvider, id: 4, activity: activity}
}

func kestrelStart(at uint64, activity, related byte, id string) event {
	return event{
		at: at, thread: 1, provider: clr.KestrelProvider, id: 3, activity: activity, related: related,
		payload: []any{"C", id, "HTTP/1.1", "/a b/x%2Fy", "GET"},
	}
}

func kestrelStop(at uint64, activity byte, id string) event {
	return event{at: at, thread: 2, provider: clr.KestrelProvider, id: 4, activity: activity, payload: []any{"C", id, "HTTP/1.1", "/a b/x%2Fy", "GET"}}
}

// statesOf returns the states of rows.
func statesOf(rows []requests.Row) []requests.State {
	var list []requests.State
	for _, row := range rows {
		list = append(list, row.State)
	}
	return list
}

// TestAmbiguous: requests that are open at once under one id are ambiguous until none is
// open.
func TestAmbiguous(t *testing.T) {
	m := newMade()
	m.add(httpStart(10, 1), httpStart(20, 1), httpStop(30, 1, 200), httpStart(40, 1), httpStop(50, 1, 200), httpStop(60, 1, 404),
		httpStart(70, 1), httpStop(90, 1, 500), httpStart(100, 2), httpStart(110, 1), httpStop(120, 2, 200))
	rows, totals, _ := resultsOf(t, m.Bytes())
	expect.Slices(t, "states", statesOf(rows), []requests.State{
		requests.Ambiguous, requests.Ambiguous, requests.Ambiguous, requests.Completed, requests.Completed, requests.Unfinished,
	})
	expect.Equal(t, "duration of the fourth request", rows[3].DurationNs.Or(0), 20e3)
	expect.Equal(t, "its status", rows[3].Status.Or(0), 500)
	expect.Equal(t, "path", rows[3].Path, "/a/7")
	expect.Equal(t, "route", rows[3].Route, "/a/{n}")
	expect.Equal(t, "origin", rows[3].Origin, "http://host:80")
	expect.Equal(t, "duration of the open request", rows[5].DurationNs.Or(0), 10e3)
	expect.Equal(t, "requests in the percentiles", totals.Outgoing.Durations.Count, 2)
	expect.Equal(t, "highest number at once", totals.Outgoing.MaxConcurrent, 2)
	expect.Slices(t, "statuses of all stops", totals.Outgoing.Statuses, []requests.Status{{Status: 200, Count: 3}, {Status: 404, Count: 1}, {Status: 500, Count: 1}})
	expect.Equal(t, "concurrency of a route with ambiguous requests is unknown", totals.Routes[0].MaxConcurrent.IsZero(), true)
}

// TestJoined: the events of Hosting, DiagnosticSource and Kestrel about one request are
// one row, from the first to the last of them, with the status of the DiagnosticSource.
func TestJoined(t *testing.T) {
	bridge := func(at, thread uint64, name string, id uint32, related byte, arguments ...any) event {
		pairs := append([]any{"Microsoft.AspNetCore", "Microsoft.AspNetCore.Hosting.HttpRequestIn." + name, uint16(len(arguments) / 2)}, arguments...)
		return event{at: at, thread: thread, provider: clr.DiagnosticsProvider, id: id, name: "Activity1" + name, activity: 2, related: related, payload: pairs}
	}
	m := newMade()
	m.add(hostingStart(10, 1), bridge(20, 1, "Start", 22, 1, "Method", "GET", "ActivityId", "w3c", "ActivityTraceId", "0af7651916cd43dd8448eb211c80319c"), kestrelStart(30, 3, 2, "C:1"),
		kestrelStop(50, 3, "C:1"), bridge(60, 2, "Stop", 23, 0, "StatusCode", "404", "ActivityId", "w3c"), hostingStop(70, 1))
	rows, totals, report := resultsOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 1)
	expect.Equal(t, "start", rows[0].StartNs.Or(0), 10e3)
	expect.Equal(t, "duration", rows[0].DurationNs.Or(0), 60e3)
	expect.Equal(t, "status", rows[0].Status.Or(0), 404)
	expect.Equal(t, "path", rows[0].Path, "/a b/x%2Fy")
	expect.Equal(t, "request id", rows[0].RequestID, "C:1")
	expect.Equal(t, "trace id", rows[0].TraceID, "0af7651916cd43dd8448eb211c80319c")
	expect.Equal(t, "starts", totals.Incoming.Starts, 1)
	expect.Len(t, "not recorded", report.NotRecorded, 1) // outgoing requests
}

// TestUnfiltered: without a filter the DiagnosticSource writes plain events, which have
// the activity id that is current, not one of their own, and neither the method nor the
// status.
func TestUnfiltered(t *testing.T) {
	bridge := func(at, thread uint64, name string, activity byte) event {
		return event{at: at, thread: thread, provider: clr.DiagnosticsProvider, id: 159, name: "Event", activity: activity, payload: []any{
			"Microsoft.AspNetCore", "Microsoft.AspNetCore.Hosting." + name, uint16(1), "RequestServices", "Microsoft.Extensions.DependencyInjection.ServiceProvider",
		}}
	}
	for _, c := range []struct {
		name   string
		events []event
		method string
		micros int64
	}{
		{"Hosting and Kestrel", []event{
			hostingStart(10, 1), bridge(20, 1, "HttpRequestIn.Start", 1), bridge(22, 1, "BeginRequest", 1), kestrelStart(30, 3, 1, "C:1"),
			kestrelStop(50, 3, "C:1"), bridge(55, 2, "EndRequest", 1), bridge(60, 2, "HttpRequestIn.Stop", 1), hostingStop(70, 1),
		}, "GET", 60},
		{"Hosting", []event{hostingStart(10, 1), bridge(30, 1, "HttpRequestIn.Start", 1), bridge(50, 2, "HttpRequestIn.Stop", 1), hostingStop(70, 1)}, "GET", 60},
		{"Kestrel", []event{
			bridge(20, 1, "HttpRequestIn.Start", 8), kestrelStart(30, 3, 8, "C:1"), kestrelStop(50, 3, "C:1"), bridge(60, 2, "HttpRequestIn.Stop", 8),
		}, "GET", 40},
		{"alone", []event{bridge(30, 1, "HttpRequestIn.Start", 8), bridge(50, 2, "HttpRequestIn.Stop", 8)}, "", 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			m.add(c.events...)
			rows, totals, report := resultsOf(t, m.Bytes())
			expect.Len(t, "rows", rows, 1)
			expect.Equal(t, "state", rows[0].State, requests.Completed)
			expect.Equal(t, "method", rows[0].Method, c.method)
			expect.Equal(t, "duration", rows[0].DurationNs.Or(0), c.micros*1000)
			expect.Equal(t, "starts", totals.Incoming.Starts, 1)
			var missing []string
			for _, n := range report.NotRecorded {
				missing = append(missing, n.Provider)
			}
			expect.Slices(t, "providers not recorded", missing, []string{clr.HTTPProvider, clr.DiagnosticsProvider})
			expect.Contains(t, "advice", report.NotRecorded[1].String(), "collect --profile requests records them")
		})
	}
}

// TestNoIDs: without activity ids Kestrel's requests have pairs, those of Hosting alone
// have none.
func TestNoIDs(t *testing.T) {
	for _, c := range []struct {
		name    string
		events  []event
		path    string
		state   requests.State
		missing []string
	}{
		{
			"Kestrel", []event{hostingStart(10, 0), kestrelStart(20, 0, 0, "C:1"), kestrelStop(30, 0, "C:1"), hostingStop(40, 0)},
			"/a b/x%2Fy", requests.Completed, []string{clr.HTTPProvider, clr.DiagnosticsProvider},
		},
		{"Hosting", []event{hostingStart(10, 0), hostingStop(40, 0)}, "/a b/x%2Fy", requests.Unknown, []string{clr.HTTPProvider, clr.TasksProvider, clr.DiagnosticsProvider}},
		{"HttpClient", []event{httpStart(10, 0), httpStop(40, 0, 200)}, "/a/7", requests.Unknown, []string{clr.KestrelProvider, clr.TasksProvider}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			m.add(c.events...)
			rows, _, report := resultsOf(t, m.Bytes())
			expect.Slices(t, "states", statesOf(rows), []requests.State{c.state})
			expect.Equal(t, "path", rows[0].Path, c.path)
			var missing []string
			for _, n := range report.NotRecorded {
				missing = append(missing, n.Provider)
			}
			expect.Slices(t, "providers not recorded", missing, c.missing)
		})
	}
}

// TestStopAlone: a stop without a start is counted. An incoming request that began before the
// recording is a row without times.
func TestStopAlone(t *testing.T) {
	m := newMade()
	m.add(kestrelStop(10, 3, "C:1"), httpStop(20, 1, 200), kestrelStart(30, 3, 0, "C:2"), kestrelStop(40, 3, "C:2"))
	rows, totals, _ := resultsOf(t, m.Bytes())
	expect.Slices(t, "states", statesOf(rows), []requests.State{requests.Unknown, requests.Completed})
	expect.Equal(t, "began before", rows[0].BeganBefore, true)
	expect.Equal(t, "start is unknown", rows[0].StartNs.IsZero(), true)
	expect.Equal(t, "id", rows[0].RequestID, "C:1")
	expect.Equal(t, "failures are unknown", totals.Incoming.Failed.IsZero(), true)
	expect.Equal(t, "incoming stops without a start", totals.Incoming.StopsWithoutStart, 1)
	expect.Equal(t, "outgoing stops without a start", totals.Outgoing.StopsWithoutStart, 1)
}

// TestLosses: a loss of events ends what is known of open requests, but for those that
// have an id of their own.
func TestLosses(t *testing.T) {
	m := newMade()
	m.add(httpStart(10, 1), kestrelStart(20, 3, 0, "C:1"), kestrelStart(25, 4, 0, "C:2"), httpStart(27, 2), httpStop(28, 2, 200))
	m.Lose(1, 3)
	m.add(httpStart(30, 1), httpStop(40, 1, 200), kestrelStop(50, 3, "C:1"))
	rows, _, _ := resultsOf(t, m.Bytes())
	expect.Slices(t, "states", statesOf(rows), []requests.State{
		requests.Unknown, requests.Completed, requests.Unknown, requests.Completed, requests.Completed,
	})
}

// TestRowLimit: requests above the limit are counted.
func TestRowLimit(t *testing.T) {
	m := newMade()
	for n := range uint64(30) {
		m.add(httpStart(n*10, 1), httpStop(n*10+5, 1, 200))
	}
	part := requests.New()
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime}),
		analysis.Options{Parts: []analysis.Part{part}, Limits: analysis.Limits{Rows: 10}})
	expect.NoError(t, err)
	report := rules.Saw(part.Reports(tr))[0]
	totals := report.Totals.(*requests.Totals)
	expect.Len(t, "rows", report.Rows.([]requests.Row), 10)
	expect.Equal(t, "left out", totals.RowsLeftOut, 20)
	expect.Equal(t, "starts", totals.Outgoing.Starts, 30)
	expect.Equal(t, "stops without a start", totals.Outgoing.StopsWithoutStart, 0)
}

// TestTimeline: a request has the pauses of the collector, and the waits, locks,
// exceptions and phases with its activity id. A wait in a contention belongs to the lock.
func TestTimeline(t *testing.T) {
	runtime := func(at, thread uint64, id uint32, activity byte, payload ...any) event {
		return event{at: at, thread: thread, provider: clr.RuntimeProvider, id: id, activity: activity, payload: payload}
	}
	m := newMade()
	m.add(httpStart(10, 1),
		runtime(12, 9, 9, 0, uint32(0)), runtime(13, 9, 3, 0), // the sampler
		runtime(15, 9, 9, 0, uint32(1)), runtime(18, 9, 3, 0),
		runtime(20, 3, 301, 1), runtime(25, 3, 302, 1),
		runtime(30, 3, 81, 1), runtime(31, 3, 301, 1), runtime(36, 3, 302, 1), runtime(37, 3, 91, 1),
		runtime(40, 3, 80, 1, "System.Exception"), runtime(41, 3, 80, 7, "System.OtherException"),
		event{at: 50, thread: 3, provider: clr.NameResolutionProvider, id: 1, activity: 8, related: 1}, event{at: 59, thread: 4, provider: clr.NameResolutionProvider, id: 2, activity: 8},
		httpStop(90, 1, 200), runtime(91, 3, 80, 1, "System.Exception"))
	rows, totals, _ := resultsOf(t, m.Bytes())
	span := func(kind string, start, duration int64) requests.Moment {
		return requests.Moment{Kind: kind, StartNs: start, DurationNs: analysis.Known(duration)}
	}
	expect.Slices(t, "time line", rows[0].Timeline, []requests.Moment{
		span("gc", 15e3, 3e3), span("wait", 20e3, 5e3), span("lock", 30e3, 7e3),
		{Kind: "exception", StartNs: 40e3, Text: "System.Exception"}, span("dns", 50e3, 9e3),
	})
	i := slices.IndexFunc(totals.Phases, func(p requests.Phase) bool { return p.Kind == "dns" })
	expect.Equal(t, "time of DNS", totals.Phases[i].Durations.TotalNs, 9e3)
}

// TestFindings: each rule has a trace just below its threshold and one at it.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name      string
		count     int    // requests
		failed    int    // of these
		connected int    // connections established
		micros    uint64 // duration of a request
		queue     float64
		rules     []string
	}{
		{"healthy", 100, 0, 10, 100, 10, nil},
		{"few failed", 100, 9, 10, 100, 10, nil},
		{"failed of many", 1100, 10, 10, 100, 10, nil},
		{"one in a hundred", 1000, 10, 10, 100, 10, []string{"requests-outgoing-failed"}},
		{"failed", 100, 10, 10, 100, 10, []string{"requests-outgoing-failed"}},
		{"few connections", 40, 0, 40, 100, 10, nil},
		{"new connections", 60, 0, 50, 100, 10, []string{"requests-new-connections"}},
		{"slow", 20, 0, 10, 2e6, 10, []string{"requests-slow-route"}},
		{"few slow", 19, 0, 10, 2e6, 10, nil},
		{"queue", 20, 0, 10, 100, 250, []string{"requests-queue"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			at := uint64(0)
			for n := range c.count {
				m.add(httpStart(at, 1), event{at: at + 1, thread: 1, provider: clr.HTTPProvider, id: 6, activity: 1, payload: []any{c.queue, uint8(1), uint8(1)}})
				if n < c.failed {
					m.add(event{at: at + 2, thread: 1, provider: clr.HTTPProvider, id: 3, activity: 1, payload: []any{"refused"}})
				}
				if n < c.connected {
					m.add(event{at: at + 3, thread: 1, provider: clr.HTTPProvider, id: 4, activity: 1})
				}
				at += c.micros
				m.add(httpStop(at, 1, 200))
				at += 10
			}
			_, totals, report := resultsOf(t, m.Bytes())
			expect.Equal(t, "completed", totals.Outgoing.Completed, int64(c.count))
			var rules []string
			for _, f := range report.Findings {
				rules = append(rules, f.Rule)
			}
			expect.Slices(t, "findings", rules, c.rules)
		})
	}
}
