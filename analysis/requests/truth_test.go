package requests_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// reportOf returns the report of a trace with one process, and the trace.
func reportOf(t *testing.T, trace []byte) (analysis.Report, *analysis.Trace) {
	t.Helper()
	part := requests.New()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	expect.NoError(t, err)
	reports := rules.Saw(part.Reports(tr))
	if len(reports) != 1 {
		t.Fatalf("%d reports, want 1", len(reports))
	}
	return reports[0], tr
}

// resultsOf returns the rows and the totals of a trace with requests.
func resultsOf(t *testing.T, trace []byte) ([]requests.Row, *requests.Totals, analysis.Report) {
	t.Helper()
	report, _ := reportOf(t, trace)
	if !report.Recorded() {
		t.Fatal("the trace has no requests")
	}
	return report.Rows.([]requests.Row), report.Totals.(*requests.Totals), report
}

// call is a request as the program that sent it describes it, on the clock of the
// trace.
type call struct {
	ID         int64
	Type       string
	Phase      string
	Method     string
	Path       string
	Status     *int64
	Outcome    string
	TraceID    string
	Note       string
	Aborted    bool
	Begin, End int64
}

// callsOf returns the requests in a file of truth.
func callsOf(t *testing.T, name string) []call {
	t.Helper()
	var list []call
	for line := range bytes.Lines(shared.TruthFile(t, name+".truth.ndjson")) {
		var c call
		if json.Unmarshal(line, &c) == nil && c.ID > 0 { // others are about the program
			list = append(list, c)
		}
	}
	return list
}

// syncOf returns the sync time of a trace of truth in nanoseconds.
func syncOf(t *testing.T, trace []byte) int64 {
	t.Helper()
	_, tr := reportOf(t, trace)
	return int64(tr.Header.SyncTicks)
}

// TestOutgoingTruth compares with the calls of HttpClient that a program wrote down.
func TestOutgoingTruth(t *testing.T) {
	for _, c := range []struct {
		name             string
		pairs, ambiguous int64
	}{{"http-client", 93, 0}, {"http-client-plain", 53, 40}} {
		t.Run(c.name, func(t *testing.T) {
			trace := shared.TruthFile(t, c.name+".v4.nettrace.zst")
			rows, totals, report := resultsOf(t, trace)
			out := totals.Outgoing
			expect.Equal(t, "starts", out.Starts, 93)
			expect.Equal(t, "stops", out.Stops, 93)
			expect.Equal(t, "pairs", out.Completed, c.pairs)
			expect.Equal(t, "durations", out.Durations.Count, c.pairs)
			expect.Equal(t, "ambiguous", out.Ambiguous, c.ambiguous)
			expect.Equal(t, "failed", out.Failed.Or(0), 2)
			expect.Equal(t, "findings", len(report.Findings), 0)
			calls, sync, first := map[int64]call{}, syncOf(t, trace), true
			for _, one := range callsOf(t, c.name) {
				calls[one.ID] = one
			}
			expect.Len(t, "rows", rows, len(calls))
			for _, row := range rows {
				id, err := strconv.ParseInt(strings.Split(row.Path, "/")[2], 10, 64)
				expect.NoError(t, err)
				t.Run(fmt.Sprintf("call %d", id), func(t *testing.T) { compareCall(t, row, calls[id], sync, first) })
				first = false
			}
		})
	}
}

// compareCall compares an outgoing request with the call that the program wrote
// down. The first call takes longer than its events.
func compareCall(t *testing.T, row requests.Row, c call, sync int64, first bool) {
	expect.Equal(t, "path", row.Path, c.Path)
	if row.State == requests.Ambiguous {
		expect.Equal(t, "phase", c.Phase, "eight")
		expect.Equal(t, "status is unknown", row.Status.IsZero(), true)
		expect.Equal(t, "duration is unknown", row.DurationNs.IsZero(), true)
		return
	}
	expect.Equal(t, "state", row.State, requests.Completed)
	expect.Equal(t, "status", row.Status.Or(0), *c.Status)
	expect.Equal(t, "failed", row.Failed, c.Outcome != "answered")
	start := row.StartNs.Or(0) + sync
	end := start + row.DurationNs.Or(0)
	if start < c.Begin || end > c.End {
		t.Errorf("request from %d to %d, want it within %d to %d", start, end, c.Begin, c.End)
	}
	if more := c.End - c.Begin - row.DurationNs.Or(0); more > 1e6 && !first {
		t.Errorf("duration %d ns, want %d ns within 1 ms", row.DurationNs.Or(0), c.End-c.Begin)
	}
}

// TestIncomingTruth compares with the requests that a client sent.
func TestIncomingTruth(t *testing.T) {
	for _, c := range []struct {
		name                                                 string
		starts, stops, pairs, unfinished, without, unhandled int64
	}{
		{"aspnet-requests", 197, 197, 196, 1, 1, 16},
		{"aspnet-async", 120, 120, 120, 0, 0, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, totals, _ := resultsOf(t, shared.TruthFile(t, c.name+".v4.nettrace.zst"))
			in := totals.Incoming
			expect.Equal(t, "starts", in.Starts, c.starts)
			expect.Equal(t, "stops", in.Stops, c.stops)
			expect.Equal(t, "pairs", in.Completed, c.pairs)
			expect.Equal(t, "unfinished", in.Unfinished, c.unfinished)
			expect.Equal(t, "ambiguous", in.Ambiguous, 0)
			expect.Equal(t, "stops without a start", in.StopsWithoutStart, c.without)
			expect.Equal(t, "unhandled exceptions", in.Failed.Or(0), c.unhandled)
			expect.Equal(t, "rows that failed", failedRows(rows), c.unhandled)
			expect.Len(t, "rows", rows, int(c.starts+c.without))
		})
	}
}

// failedRows returns the number of incoming requests whose row says that they failed.
func failedRows(rows []requests.Row) (n int64) {
	for i := range rows {
		if rows[i].Direction == requests.Incoming && rows[i].Failed {
			n++
		}
	}
	return n
}

// TestFailedRows: the total of failed requests is the number of rows that say so, in all recordings of
// ASP.NET Core.
func TestFailedRows(t *testing.T) {
	for _, name := range []string{
		"aspnet10-async", "aspnet10-requests", "aspnet10-spans", "aspnet10-logging",
		"aspnet11-async", "aspnet11-async-machines", "aspnet11-asyncprofiler", "aspnet11-requests", "aspnet11-spans",
	} {
		rows, totals, _ := resultsOf(t, shared.File(t, "aspnet/"+name+".v4.nettrace.zst"))
		if want, known := totals.Incoming.Failed.Get(); !known || want == 0 || failedRows(rows) != want {
			t.Errorf("%s: %d rows failed, the total is %d, known %t", name, failedRows(rows), want, known)
		}
	}
}

// TestStatuses: the DiagnosticSource of aspnet-requests has the statuses.
func TestStatuses(t *testing.T) {
	trace := shared.TruthFile(t, "aspnet-requests.v4.nettrace.zst")
	rows, totals, _ := resultsOf(t, trace)
	calls, sync := map[string]call{}, syncOf(t, trace)
	for _, one := range callsOf(t, "aspnet-requests") {
		calls[one.TraceID] = one
	}
	want := map[int64]int64{200: 1, 400: 1} // the client gave up a stream and a body that it cut short
	var more []int64                        // how much longer a request takes for the client than for the server
	for _, row := range rows {
		if row.BeganBefore {
			continue
		}
		c := calls[row.TraceID]
		if c.Status != nil {
			want[*c.Status]++
		}
		if c.Phase == "sequential" && row.State == requests.Completed {
			more = append(more, c.End-c.Begin-row.DurationNs.Or(0))
		}
		t.Run(fmt.Sprintf("request %d", c.ID), func(t *testing.T) { compareIncoming(t, row, c, sync) })
	}
	expect.Equal(t, "answers with 500", want[500], 16)
	expect.Len(t, "statuses", totals.Incoming.Statuses, len(want))
	for _, s := range totals.Incoming.Statuses {
		expect.Equal(t, fmt.Sprintf("answers with %d", s.Status), s.Count, want[s.Status])
	}
	slices.Sort(more)
	expect.AtLeast(t, "requests one after the other", len(more), 60)
	expect.AtMost(t, "median of the differences in ns", more[len(more)/2], 1e6)
}

// later is how long after the answer the server writes its last record of a request.
const later = 2e6

// compareIncoming compares an incoming request with the one that the client sent.
func compareIncoming(t *testing.T, row requests.Row, c call, sync int64) {
	expect.Equal(t, "method", row.Method, c.Method)
	expect.Equal(t, "path", row.Path, decodedPath(t, c.Path))
	expect.Equal(t, "unfinished", row.State == requests.Unfinished, c.Note == openAtEnd)
	if row.State == requests.Unfinished {
		return
	}
	if start, end := row.StartNs.Or(0)+sync, row.StartNs.Or(0)+sync+row.DurationNs.Or(0); start < c.Begin || end > c.End+later && !c.Aborted {
		t.Errorf("request from %d to %d, want it within %d to %d", start, end, c.Begin, c.End)
	}
	if c.Status != nil {
		expect.Equal(t, "status", row.Status.Or(0), *c.Status)
		expect.Equal(t, "failed", row.Failed, *c.Status == 500)
	}
}

// openAtEnd is the note of the request that the recording ends in.
const openAtEnd = "open when the recording ended"

// decodedPath returns the path that a client sent as Kestrel writes it.
func decodedPath(t *testing.T, path string) string {
	t.Helper()
	plain, err := url.PathUnescape(strings.ReplaceAll(strings.ReplaceAll(path, "%2F", "%252F"), "%2f", "%252f"))
	expect.NoError(t, err)
	return plain
}
