package spans_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestAddCPU: a span has the samples of its thread that began in it, unless it ends on another thread.
func TestAddCPU(t *testing.T) {
	report := analysis.NewReport(spans.Name, 1)
	report.Totals = &spans.Totals{Intervals: []spans.Interval{
		{Name: "Outer", StartThreadID: 5, StopThreadID: 5, StartTicks: 10, StopTicks: 40},
		{Name: "Inner", StartThreadID: 5, StopThreadID: 5, StartTicks: 20, StopTicks: 30},
		{Name: "Inner", StartThreadID: 5, StopThreadID: 5, StartTicks: 30, StopTicks: 31},
		{Name: "Idle", StartThreadID: 6, StopThreadID: 6, StartTicks: 10, StopTicks: 40},
		{Name: "Async", StartThreadID: 5, StopThreadID: 6, StartTicks: 10, StopTicks: 40},
	}}
	spans.AddCPU(&report, &spans.CPU{Sampler: "perf", Threads: map[uint64][]spans.Sample{
		5: {{Ticks: 30, Nanos: 8}, {Ticks: 9, Nanos: 1}, {Ticks: 10, Nanos: 2}, {Ticks: 29, Nanos: 4}, {Ticks: 40, Nanos: 16}}, 7: {{Ticks: 15, Nanos: 100}},
	}})
	got := map[string]string{}
	for _, row := range report.Rows.([]spans.Row) {
		got[row.Name] = row.CPUNs.String()
	}
	for name, want := range map[string]string{"Outer": "14", "Inner": "12", "Idle": "0", "Async": ""} {
		expect.Equal(t, name, got[name], want)
	}
	expect.Equal(t, "sampler", report.Totals.(*spans.Totals).Sampler, "perf")
}
