package jit

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
)

// command shows the details of all findings of the part.
const command = "nettrace report jit FILE"

// rules are the findings of the part. Each has the lowest value that is one.
var rules = []analysis.Measured[Row, Totals]{
	{Rule: analysis.Rule{
		Name: "jit-startup", Threshold: 1e9, High: 5e9, Unit: "nanoseconds", Severity: analysis.Medium, Command: command,
		Advice: "Publish the program with ReadyToRun code, so that fewer methods are compiled at its start.",
	}, Measure: startup},
	{Rule: analysis.Rule{
		Name: "jit-long", Threshold: 500e6, High: 5e9, Unit: "nanoseconds", Severity: analysis.Medium, Command: command,
		Advice: "Split the method, or compile it ahead of time: its first call waits for the compiler.",
	}, Measure: longest},
	{Rule: analysis.Rule{
		Name: "jit-ready-to-run-rejected", Threshold: 100, Unit: "count", Severity: analysis.Low, Command: command,
		Advice: "Look for a profiler, and for libraries compiled against other versions: the runtime does not use their ReadyToRun code.",
	}, Measure: rejected},
	{Rule: analysis.Rule{
		Name: "jit-dynamic", Threshold: 1000, High: 10e3, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "Keep compiled expressions, regular expressions and generated methods instead of making them again.",
	}, Measure: dynamic},
}

func startup(_ []Row, t *Totals) (float64, string) {
	if t.Startup == nil {
		return 0, ""
	}
	duration := t.Startup.DurationNs.Or(0)
	return float64(duration), fmt.Sprintf("compiling %d methods held up the start of the process by %s", t.Startup.Count, milliseconds(duration))
}

// longest is the longest compilation that held up a thread of the program.
func longest(rows []Row, _ *Totals) (float64, string) {
	first, of := int64(0), ""
	for i := range rows {
		if row := &rows[i]; !row.Background && !row.Unfinished && row.DurationNs.Or(0) > first {
			first, of = row.DurationNs.Or(0), row.Method
		}
	}
	if first == 0 {
		return 0, ""
	}
	return float64(first), fmt.Sprintf("compiling %s took %s", of, milliseconds(first))
}

func rejected(_ []Row, t *Totals) (float64, string) {
	if t.Methods == nil {
		return 0, ""
	}
	return float64(t.Methods.ReadyToRunRejected), fmt.Sprintf("the runtime rejected the ReadyToRun code of %d of %d compiled methods",
		t.Methods.ReadyToRunRejected, t.Methods.All.Count)
}

func dynamic(_ []Row, t *Totals) (float64, string) {
	if t.Methods == nil {
		return 0, ""
	}
	return float64(t.Methods.Dynamic), fmt.Sprintf("%d of %d compiled methods were made at run time", t.Methods.Dynamic, t.Methods.All.Count)
}

// milliseconds returns a time as text.
func milliseconds(nanos int64) string { return fmt.Sprintf("%.1f ms", float64(nanos)/1e6) }
