package trace

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/model"
)

// command shows the details of all findings of the part.
const command = "nettrace report trace FILE"

// rules are the findings of the part. Each has the lowest value that is one.
var rules = []analysis.Measured[Row, Totals]{
	{Rule: analysis.Rule{
		Name: "trace-lost-events", Threshold: 1, High: 20, Unit: "percent", Severity: analysis.Medium, Command: command,
		Advice: "Record fewer events, or with a larger buffer (collect --buffersize): counts are too low, and intervals can be missing.",
	}, Measure: lostEvents},
	{Rule: analysis.Rule{
		Name: "trace-truncated-stacks", Threshold: 20, Unit: "percent", Severity: analysis.Low, Command: command,
		Advice: "Look at callers with care: the runtime writes 100 frames of a stack at most, and the outer ones are missing.",
	}, Measure: truncatedStacks},
	{Rule: analysis.Rule{
		Name: "trace-no-rundown", Threshold: 1000, Unit: "count", Severity: analysis.Low, Command: command,
		Advice: "Record with a rundown, and stop the recording before the process ends, or read the names early (collect --names both).",
	}, Measure: noRundown},
	{Rule: analysis.Rule{
		Name: "trace-slow-sampling", Threshold: 500, Unit: "percent", Severity: analysis.Low, Command: command,
		Advice: "Compare counts of samples with each other only: the machine was overloaded, or stopping the threads took long.",
	}, Measure: slowSampling},
}

func lostEvents(rows []Row, t *Totals) (float64, string) {
	text := fmt.Sprintf("%d events are lost, %.1f %% of all", t.Lost, t.LostPercent)
	if len(rows) > 0 {
		most := rows[0]
		for _, row := range rows {
			if row.Lost > most.Lost {
				most = row
			}
		}
		text += fmt.Sprintf("; most at once %d, of thread %d in the %.3f s after %.3f s", most.Lost, most.ThreadID, float64(most.DurationNs)/1e9, float64(most.StartNs)/1e9)
	}
	return t.LostPercent, text
}

// fewStacks is the number of stacks below which their share is no finding.
const fewStacks = 100

func truncatedStacks(_ []Row, t *Totals) (float64, string) {
	if t.Stacks < fewStacks {
		return 0, ""
	}
	return t.TruncatedPercent, fmt.Sprintf("%d of %d stacks are truncated at %d frames", t.TruncatedStacks, t.Stacks, model.MaxFrames)
}

func noRundown(_ []Row, t *Totals) (float64, string) {
	if t.Rundown {
		return 0, ""
	}
	return float64(t.code), fmt.Sprintf("the trace has %d events of the runtime with a stack and no rundown, which names the methods", t.code)
}

func slowSampling(_ []Row, t *Totals) (float64, string) {
	got, ok := t.SamplingIntervalNs.Get()
	want, known := t.ExpectedSamplingIntervalNs.Get()
	if !ok || !known {
		return 0, ""
	}
	return analysis.Percent(got, want), fmt.Sprintf("each thread was sampled every %.1f ms, not every %.1f ms as requested", float64(got)/1e6, float64(want)/1e6)
}
