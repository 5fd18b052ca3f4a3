package requests_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestShared: of the 201 requests of net10-http ten have an id of their own; one of the
// others was alone under their common id.
func TestShared(t *testing.T) {
	rows, totals, _ := resultsOf(t, shared.Trace(t, "net10-http.v4"))
	out := totals.Outgoing
	expect.Len(t, "rows", rows, 201)
	expect.Equal(t, "starts", out.Starts, 201)
	expect.Equal(t, "stops", out.Stops, 201)
	expect.Equal(t, "failed", out.Failed.Or(0), 1)
	expect.Equal(t, "pairs", out.Completed, 11)
	expect.Equal(t, "ambiguous", out.Ambiguous, 190)
	expect.Equal(t, "highest number at once", out.MaxConcurrent, 8)
	i := slices.IndexFunc(rows, func(r requests.Row) bool { return r.Failed })
	expect.Equal(t, "path of the failed request", rows[i].Path, "/")
	expect.Equal(t, "its port", rows[i].Origin, "http://127.0.0.1:1")
	expect.Equal(t, "its status is unknown", rows[i].Status.IsZero(), true)
	expect.Contains(t, "its failure", rows[i].Failure, "Connection refused")
}

// rulesOf returns the rules of the findings of a trace.
func rulesOf(t *testing.T, trace []byte) []string {
	t.Helper()
	part := requests.New()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	if tr == nil {
		t.Fatal(err)
	}
	var names []string
	for _, report := range rules.Saw(part.Reports(tr)) {
		for _, f := range report.Findings {
			names = append(names, f.Rule)
		}
	}
	return names
}

// TestHealthy: no trace of the repository and no program of truth has a finding, but the
// one that answers every twelfth request with 500.
func TestHealthy(t *testing.T) {
	for _, name := range shared.Traces(t) {
		t.Run(name, func(t *testing.T) { expect.Len(t, "findings", rulesOf(t, shared.Trace(t, name)), 0) })
	}
	for _, c := range []struct {
		name  string
		rules []string
	}{
		{"aspnet-requests", []string{"requests-server-errors"}}, {"aspnet-async", nil}, {"http-client", nil}, {"http-client-plain", nil},
		{"no-starve", nil}, {"no-deadlock", nil}, {"sync-over-async", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Slices(t, "findings", rulesOf(t, shared.TruthFile(t, c.name+".v4.nettrace.zst")), c.rules)
		})
	}
}

// TestNotRecorded: a trace without requests has what records them, and no zeros.
func TestNotRecorded(t *testing.T) {
	report, _ := reportOf(t, shared.Trace(t, "net10-mix-gc.v4"))
	expect.Equal(t, "rows", report.Rows, nil)
	expect.Equal(t, "totals", report.Totals, nil)
	expect.Len(t, "not recorded", report.NotRecorded, 2)
	expect.Contains(t, "advice", report.NotRecorded[0].String(), "none happened", clr.KestrelProvider+":0xffffffffffffffff:4")
}

// TestOneRow: a request that Hosting, an ActivitySource, a DiagnosticSource and Kestrel recorded is one row.
func TestOneRow(t *testing.T) {
	for _, c := range []struct {
		path                string
		requests, completed int64
	}{{"defects/turn3/requests-doubled.v4.nettrace", 12, 10}, {"aspnet/aspnet10-spans.v4.nettrace.zst", 281, 281}, {"aspnet/aspnet11-spans.v4.nettrace.zst", 283, 283}} {
		rows, totals, _ := resultsOf(t, shared.File(t, c.path))
		in, answered := totals.Incoming, int64(0)
		expect.Equal(t, c.path+": starts", in.Starts, c.requests)
		expect.Equal(t, c.path+": completed", in.Completed, c.completed)
		for _, s := range in.Statuses {
			answered += s.Count
		}
		expect.Equal(t, c.path+": statuses", answered, c.completed)
		for _, row := range rows {
			if row.Direction == requests.Incoming && row.Method == "" {
				t.Errorf("%s: a row without a method: %+v", c.path, row)
			}
		}
	}
}
