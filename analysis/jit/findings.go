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
		Name: "jit-background", Threshold: 50, Unit: "percent", Severity: analysis.Low, Command: command,
		Advice: "Publish the program with ReadyToRun code: the compiler takes processor time from the program, most of all at its start.",
	}, Measure: background},
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

// background is about a compiler that works most of the time beside the program.
func background(_ []Row, t *Totals) (float64, string) {
	if t.Tiering == nil || t.Tiering.BatchNs < longBackground {
		return 0, ""
	}
	return analysis.Percent(t.Tiering.BatchNs, t.ObservedNs), fmt.Sprintf("the runtime compiled in the background for %s of %s: %d methods",
		analysis.Milliseconds(t.Tiering.BatchNs), analysis.Milliseconds(t.ObservedNs), t.Tiering.BatchMethods)
}

// longBackground is the shortest time of compiling in the background that is a finding, in
// nanoseconds.
const longBackground = 1e9

func startup(_ []Row, t *Totals) (float64, string) {
	if t.Startup == nil {
		return 0, ""
	}
	duration := t.Startup.DurationNs.Or(0)
	text := fmt.Sprintf("compiling %d methods held up the start of the process by %s", t.Startup.Count, analysis.Milliseconds(duration))
	if end, ok := t.Startup.EndNs.Get(); ok {
		return float64(duration), text + fmt.Sprintf("; it took %s", analysis.Milliseconds(end-t.Startup.StartNs))
	}
	return float64(duration), text + "; it goes on when the recording ends"
}

// longest is the longest compilation that held up a thread of the program, without pauses.
func longest(rows []Row, _ *Totals) (float64, string) {
	first, of := int64(0), ""
	for i := range rows {
		row := &rows[i]
		if nanos := row.DurationNs.Or(0) - row.PausedNs; !row.Background && !row.Unfinished && nanos > first {
			first, of = nanos, row.Method
		}
	}
	if first == 0 {
		return 0, ""
	}
	return float64(first), fmt.Sprintf("compiling %s took %s", of, analysis.Milliseconds(first))
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
