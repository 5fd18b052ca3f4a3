package threads

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
)

// starved is the only rule of the part: the number of adjustments within 5 seconds
// because of blocked threads.
var starved = analysis.Rule{
	Name: "threads-starvation", Threshold: minAdjustments, High: minAdjustments, Unit: "count", Severity: analysis.High,
	Command: "nettrace report threads FILE",
	Advice:  "Do not block threads of the pool: await the task instead of calling Wait, Result or GetResult, and use asynchronous methods for locks and I/O.",
}

// mostBlocked is the lowest share of blocked threads of a finding, in percent.
const mostBlocked = 50

// findings applies the rule.
func findings(t *Totals) []analysis.Finding {
	list := []analysis.Finding{}
	for _, s := range t.Starvations {
		if s.BlockedPercent < mostBlocked {
			continue
		}
		text := fmt.Sprintf("the thread pool had too few threads for %.1f s: it added a thread %d times because others were blocked; %.0f %% of its threads were blocked in %s",
			float64(s.DurationNs)/1e9, s.Adjustments, s.BlockedPercent, s.Site)
		if f, ok := starved.Check(float64(s.MostAdjustments), text); ok {
			list = append(list, f)
		}
	}
	analysis.SortFindings(list)
	return list
}
