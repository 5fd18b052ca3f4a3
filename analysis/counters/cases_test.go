package counters_test

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/codec"
	clrcounters "github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// numberText returns a number as .NET writes it.
func numberText(x float64) string { return fmt.Sprint(x) }

// reportOf returns the report of a trace with one process.
func reportOf(t *testing.T, trace []byte) ([]counters.Row, *counters.Totals, analysis.Report) {
	t.Helper()
	part := counters.New()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	if tr == nil {
		t.Fatal(err)
	}
	reports := rules.Saw(part.Reports(tr))
	if len(reports) != 1 {
		t.Fatalf("%d reports, want 1", len(reports))
	}
	rows, _ := reports[0].Rows.([]counters.Row)
	totals, _ := reports[0].Totals.(*counters.Totals)
	return rows, totals, reports[0]
}

// findingsOf are the findings of the traces that have any.
var findingsOf = map[string][]string{
	"net10-counters.v4": {"counters-callback-error"}, // the recorded program has such an instrument
}

// TestTraces: the rows of each trace have all its values, and healthy programs have no
// finding.
func TestTraces(t *testing.T) {
	recorded := map[string]int64{"net10-counters.v4": 304, "azmcp-net10-counters.v4": 162}
	for _, name := range shared.Traces(t) {
		t.Run(name, func(t *testing.T) {
			rows, totals, report := reportOf(t, shared.Trace(t, name))
			var rules []string
			for _, f := range report.Findings {
				rules = append(rules, f.Rule)
			}
			expect.Slices(t, "findings", rules, findingsOf[name])
			values := int64(0)
			for i := range rows {
				values += rows[i].Values
			}
			expect.Equal(t, "values", values, recorded[name])
			if totals == nil {
				expect.Len(t, "not recorded", report.NotRecorded, 2)
				return
			}
			expect.Equal(t, "values of the totals", totals.Values, values)
		})
	}
}

// TestTruth: programs that were recorded with counters have no finding.
func TestTruth(t *testing.T) {
	for _, name := range []string{"no-starve", "starve", "no-deadlock", "sync-over-async", "aspnet-requests"} {
		t.Run(name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.TruthFile(t, name+".v4.nettrace.zst"))
			expect.Len(t, "findings", report.Findings, 0)
		})
	}
}

// TestLatest: the last numbers and the number of series are those of the type that
// keeps the last value of each.
func TestLatest(t *testing.T) {
	for _, name := range []string{"net10-counters.v4", "azmcp-net10-counters.v4"} {
		t.Run(name, func(t *testing.T) {
			trace := shared.Trace(t, name)
			rows, _, _ := reportOf(t, trace)
			var d clrcounters.Decoder
			var latest clrcounters.Latest
			for ev, err := range codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime}).Events() {
				expect.NoError(t, err)
				m, _ := d.Decode(ev) // what is malformed has no value
				latest.Add(&m)
			}
			expect.Equal(t, "series", len(rows), len(latest.Series()))
			for _, s := range latest.Series() {
				row := find(t, rows, &s.Last)
				expect.Equal(t, s.Last.Name+": values", row.Values, s.Values)
				expect.Equal(t, s.Last.Name+": ended", row.Ended, s.Ended)
				if want := s.Last.Shown(); want.Valid && row.Shows == counters.Rate {
					expect.Equal(t, s.Last.Name+": last", number(row.Last), want.Float64)
				} else if row.Shows == counters.Value {
					expect.Equal(t, s.Last.Name+": last", number(row.Last), s.Value.Float64)
				}
			}
		})
	}
}

// find returns the row of a value.
func find(t *testing.T, rows []counters.Row, v *clrcounters.Value) counters.Row {
	t.Helper()
	for _, row := range rows {
		if row.Source == v.Source.String() && row.Provider == v.Provider && row.Name == v.Name && row.Tags == v.Tags {
			return row
		}
	}
	t.Fatalf("no row for %s %s %s", v.Provider, v.Name, v.Tags)
	return counters.Row{}
}
