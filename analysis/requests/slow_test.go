package requests_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// detailed returns the report of a trace with one process, with the parts that requests take facts from.
func detailed(t *testing.T, trace []byte) (analysis.Report, *analysis.Trace) {
	t.Helper()
	list := parts.With(requests.Name)
	list[len(list)-1].(*requests.Part).Details = true
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime}), analysis.Options{Parts: list})
	expect.NoError(t, err)
	var reports []analysis.Report
	for _, part := range list {
		reports = part.Reports(tr)
	}
	expect.Len(t, "reports", rules.Saw(reports), 1)
	return reports[0], tr
}

// TestCauses: each rule has a trace just below its threshold and one at it.
func TestCauses(t *testing.T) {
	for _, c := range []struct {
		name   string
		last   uint64 // us that the last request takes; the others take 100
		locked uint64 // of them, us in a contention
		paused uint64 // us in a pause of the collector
		each   uint64 // us of each of the others in a contention
		task   bool   // each of the others waits for a task in place of a contention
		calls  int    // outgoing requests of the last one
		rules  string
		text   string
	}{
		{name: "healthy", last: 100},
		{name: "lock", last: 60_000, locked: 59_000, rules: "[requests-slow-wait]", text: "thread 1 waited 59.0 ms (lock) (request C:24)"},
		{name: "collector", last: 60_000, paused: 59_000, rules: "[requests-slow-wait]", text: "the garbage collector paused the process for 59.0 ms"},
		{name: "short", last: 50_000, locked: 49_000},
		{name: "another cause", last: 60_000, locked: 20_000},
		{name: "no cause", last: 60_000},
		{name: "all blocked", last: 100, each: 98, rules: "[requests-blocked]", text: "incoming requests waited for locks for 26 % of their time"},
		{name: "nearly blocked", last: 100, each: 90},
		{name: "all wait for tasks", last: 100, each: 98, task: true, rules: "[requests-sync-over-async]", text: "24 incoming requests blocked a thread until a task ended (sync over async) for 26 % of the time of all"},
		{name: "nearly all wait for tasks", last: 100, each: 90, task: true},
		{name: "calls", last: 2000, calls: 10, rules: "[requests-n-plus-one]", text: "sent 10 requests to http://host:80/a/{n} (request C:24)"},
		{name: "few calls", last: 2000, calls: 9},
	} {
		m := newMade()
		runtime := func(at uint64, id uint32, activity byte, payload ...any) event {
			return event{at: at, thread: 1, provider: clr.RuntimeProvider, id: id, activity: activity, payload: payload}
		}
		other := func(at uint64, id uint32) event { // a long request of another route
			return event{at: at, thread: 9, provider: clr.KestrelProvider, id: id, activity: 90, payload: []any{"D", "D:1", "HTTP/1.1", "/long", "GET"}}
		}
		length := uint64(900_000)
		if c.each > 0 {
			length = 6_500
		}
		m.add(other(1, 3))
		at := uint64(10)
		for n := range byte(25) {
			id, activity, takes, locked := fmt.Sprintf("C:%d", n), n+1, uint64(100), c.each
			if n == 24 {
				takes, locked = c.last, c.locked
			}
			m.add(kestrelStart(at, activity, 0, id))
			switch {
			case locked > 0 && c.task && n < 24:
				m.add(event{at: at, thread: 1, provider: clr.TasksProvider, id: 10, name: "TaskWaitBegin", activity: activity, payload: []any{int32(1), int32(0), int32(7), int32(1), int32(0)}},
					event{at: at + locked, thread: 1, provider: clr.TasksProvider, id: 11, name: "TaskWaitEnd", activity: activity, payload: []any{int32(1), int32(0), int32(7)}})
			case locked > 0:
				m.add(runtime(at, 81, activity), runtime(at+locked, 91, activity))
			}
			if n == 24 && c.paused > 0 {
				m.add(runtime(at+1, 9, 0, uint32(1)), runtime(at+1+c.paused, 3, 0))
			}
			for k := 0; n == 24 && k < c.calls; k++ {
				sent := httpStart(at+uint64(k)*100+10, byte(100+k))
				sent.related = activity
				m.add(sent, httpStop(at+uint64(k)*100+90, byte(100+k), 200))
			}
			at += takes
			m.add(kestrelStop(at, activity, id))
			at += 10
		}
		m.add(other(max(at, length), 4))
		report, _ := detailed(t, m.Bytes())
		var names []string
		for _, f := range report.Findings {
			names = append(names, f.Rule)
			expect.Contains(t, c.name+": text", f.Text, c.text)
		}
		expect.Equal(t, c.name+": findings", strings.TrimPrefix(fmt.Sprint(names), "[]"), c.rules)
	}
}

// TestFindingsNameMethods: a finding has names of methods, or no place.
func TestFindingsNameMethods(t *testing.T) {
	report, _ := detailed(t, shared.File(t, "aspnet/aspnet10-load.v4.nettrace.zst"))
	expect.NotZero(t, "findings", len(report.Findings))
	for _, f := range report.Findings {
		expect.Equal(t, f.Text, strings.Contains(f.Text, "?!"), false)
	}
}

// TestDetailsOfTruth: the waits of a request are those that the program wrote down, the outgoing requests
// belong to the one that sent them.
func TestDetailsOfTruth(t *testing.T) {
	waits, calls := 0, 0
	for _, name := range []string{"aspnet10-async", "aspnet10-switch", "aspnet11-switch", "aspnet11-asyncprofiler", "aspnet10-requests", "aspnet11-requests", "aspnet10-attach", "aspnet11-attach", "aspnet10-load"} {
		type trueRequest struct {
			Type, N, Parent, Path, RequestID string
			Begin, End                       int64
			Waits                            []struct {
				Kind       string
				Thread     uint64
				Begin, End int64
			}
		}
		byID, byNumber := map[string]*trueRequest{}, map[string]*trueRequest{}
		for line := range bytes.Lines(shared.File(t, "aspnet/"+name+".truth.ndjson.zst")) {
			var r trueRequest
			expect.NoError(t, json.Unmarshal(line, &r))
			if r.Type == "request" {
				byID[r.RequestID], byNumber[r.N] = &r, &r
			}
		}
		report, tr := detailed(t, shared.File(t, "aspnet/"+name+".v4.nettrace.zst"))
		sync := int64(tr.Header.SyncTicks) // a tick is a nanosecond
		for _, row := range report.Rows.([]requests.Row) {
			for _, w := range row.Waits {
				if !strings.HasPrefix(w.Method, "Shop.App.") || w.Cause != "lock" && w.Cause != "sleep" {
					continue
				}
				found := false
				for _, of := range byID[row.RequestID].Waits {
					found = found || of.Kind == w.Cause && of.Thread == w.Thread && of.Begin <= sync+w.BeginNs && sync+w.BeginNs <= of.End
				}
				if waits++; !found {
					t.Errorf("%s: request %s has no %s on thread %d from %d to %d in %s", name, row.RequestID, w.Cause, w.Thread, w.BeginNs, w.EndNs, w.Method)
				}
			}
			if row.Direction != requests.Outgoing || row.Request == "" {
				continue
			}
			begin, end := sync+row.StartNs.Or(0), int64(math.MaxInt64)
			if row.State == requests.Completed {
				end = begin + row.DurationNs.Or(0)
			}
			for _, of := range byNumber {
				if of.Path != row.Path || of.Begin < begin || of.End > end || of.Parent == "" {
					continue
				}
				if from := byNumber[of.Parent]; from != nil && from.RequestID == row.Request {
					calls++
					begin = 0
				}
			}
			if begin != 0 {
				t.Errorf("%s: %s at %d: the truth has no such call of request %s", name, row.Path, row.StartNs.Or(0), row.Request)
			}
		}
	}
	if t.Logf("%d waits, %d calls", waits, calls); waits < 50 || calls < 50 {
		t.Errorf("%d waits and %d calls compared", waits, calls)
	}
}

// TestDistributed: an outgoing request has its span, and the incoming request of the trace with this parent is what
// it became.
func TestDistributed(t *testing.T) {
	m := newMade()
	bridge := func(at uint64, activity, related byte, name, span, parent string) event {
		arguments := []any{"TraceId", "0af7651916cd43dd8448eb211c80319c", "SpanId", span, "ParentSpanId", parent}
		return event{
			at: at, thread: 1, provider: clr.DiagnosticsProvider, id: 90, name: "ActivityStart", activity: activity, related: related,
			payload: append([]any{"Source", name, uint16(3)}, arguments...),
		}
	}
	const client, server = "b7ad6b7169203331", "00f067aa0ba902b7"
	m.add(kestrelStart(10, 1, 0, "C:1"))
	sent := httpStart(20, 2)
	sent.related = 1
	m.add(sent, bridge(21, 3, 2, "System.Net.Http.HttpRequestOut", client, "1111111111111111"))
	m.add(bridge(30, 4, 0, "Microsoft.AspNetCore.Hosting.HttpRequestIn", server, client), kestrelStart(31, 5, 4, "C:2"), kestrelStop(40, 5, "C:2"))
	m.add(httpStop(50, 2, 200), kestrelStop(60, 1, "C:1"))
	report, _ := detailed(t, m.Bytes())
	rows := report.Rows.([]requests.Row)
	expect.Len(t, "rows", rows, 3)
	out := rows[1]
	expect.Equal(t, "direction", out.Direction, requests.Outgoing)
	expect.Equal(t, "span", out.SpanID, client)
	expect.Equal(t, "sent by", out.Request, "C:1")
	expect.Equal(t, "served by", out.ServedBy, "C:2")
	expect.Equal(t, "number of those sent", rows[0].OutgoingCount.Or(0), 1)
}
