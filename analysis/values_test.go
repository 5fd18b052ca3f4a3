package analysis_test

import (
	"encoding/json"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// reportsOf returns the JSON of the reports of all parts.
func reportsOf(t *testing.T, r *codec.Reader) []byte {
	t.Helper()
	all := parts.All()
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: all})
	expect.NoError(t, err)
	var list []analysis.Report
	for _, p := range all {
		list = append(list, p.Reports(tr)...)
	}
	b, err := json.Marshal(list)
	expect.NoError(t, err)
	return b
}

// TestNumber: JSON leaves out an unknown Number, and has a known zero.
func TestNumber(t *testing.T) {
	type row struct {
		A analysis.Number `json:"a,omitzero"`
		B analysis.Number `json:"b,omitzero"`
	}
	b, err := json.Marshal(row{A: analysis.Known(0)})
	expect.NoError(t, err)
	expect.Equal(t, "JSON", string(b), `{"a":0}`)
	var back row
	expect.NoError(t, json.Unmarshal([]byte(`{"a":7,"b":null}`), &back))
	expect.Equal(t, "row", back, row{A: analysis.Known(7)})
	var n analysis.Number
	expect.Equal(t, "unknown", n.Or(-1), -1)
	expect.Equal(t, "text", n.String(), "")
	expect.Equal(t, "sum with an unknown one", n.Add(5), analysis.Known(5))
	expect.Equal(t, "sum", analysis.Known(2).Add(5), analysis.Known(7))
}

// TestJSONWithoutEvents: the object of a part without events has rows and totals, too.
func TestJSONWithoutEvents(t *testing.T) {
	r := analysis.NotRecordedReport("gc", analysis.Missing("garbage collections", clr.RuntimeProvider, 1, 4))
	var object map[string]json.RawMessage
	expect.NoError(t, json.Unmarshal(r.JSON("trace"), &object))
	expect.Equal(t, "rows", string(object["rows"]), "[]")
	expect.Equal(t, "totals", string(object["totals"]), "{}")
}

// TestDistribution checks the percentiles by nearest rank.
func TestDistribution(t *testing.T) {
	var list []int64
	for n := int64(100); n > 0; n-- {
		list = append(list, n)
	}
	expect.Equal(t, "of 1 to 100", *analysis.NewDistribution(list),
		analysis.Distribution{Count: 100, TotalNs: 5050, MeanNs: 50, P50Ns: 50, P95Ns: 95, P99Ns: 99, MaxNs: 100})
	expect.Equal(t, "95 of 1 to 12", analysis.NewDistribution(list[:12]).P95Ns, 12)
	expect.Equal(t, "of one", *analysis.NewDistribution([]int64{7}),
		analysis.Distribution{Count: 1, TotalNs: 7, MeanNs: 7, P50Ns: 7, P95Ns: 7, P99Ns: 7, MaxNs: 7})
	expect.Equal(t, "of none", analysis.NewDistribution(nil), nil)
}

// TestFindings: a value below the threshold is no finding, and the most important
// finding comes first.
func TestFindings(t *testing.T) {
	rule := analysis.Rule{Name: "r", Threshold: 10, High: 40, Unit: "percent", Severity: analysis.Medium}
	low := analysis.Rule{Name: "low", Threshold: 1, Unit: "count", Severity: analysis.Low}
	if _, ok := rule.Check(9.9, "x"); ok {
		t.Error("a value below the threshold is a finding")
	}
	var list []analysis.Finding
	for _, c := range []struct {
		rule  *analysis.Rule
		value float64
	}{{&low, 100}, {&rule, 10}, {&rule, 39}, {&rule, 40}} {
		f, ok := c.rule.Check(c.value, "x")
		expect.Equal(t, "finding", ok, true)
		list = append(list, f)
	}
	analysis.SortFindings(list)
	var values []float64
	for _, f := range list {
		values = append(values, f.Value)
	}
	expect.Slices(t, "values", values, []float64{40, 39, 10, 100})
	expect.Equal(t, "severity", list[0].Severity, analysis.High)
	b, err := json.Marshal(list[0])
	expect.NoError(t, err)
	expect.Equal(t, "JSON", string(b), `{"rule":"r","severity":"high","text":"x","value":40,"unit":"percent","advice":"","command":""}`)
	var back analysis.Finding
	expect.NoError(t, json.Unmarshal(b, &back))
	expect.Equal(t, "severity", back.Severity, analysis.High)
}

// TestMissing describes how to record what a part needs.
func TestMissing(t *testing.T) {
	n := analysis.Missing("locks", clr.RuntimeProvider, 0x4000, 4)
	expect.Equal(t, "text", n.String(), "no events about locks: none happened, or they were not recorded (Microsoft-Windows-DotNETRuntime:0x4000:4 records them)")
	expect.Equal(t, "command", n.Command, "nettrace collect -p PID --provider Microsoft-Windows-DotNETRuntime:0x4000:4")
	n = n.By("--names both")
	expect.Contains(t, "text with flags", n.String(), "(collect --names both records them)")
	expect.Equal(t, "command with flags", n.Command, "nettrace collect -p PID --names both")
}
