package waits

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
)

// syncOverAsync is the rule for a method that blocks workers of the thread pool
// until a task ends.
var syncOverAsync = analysis.Rule{
	Name: "sync-over-async", Threshold: 50e6, High: 1e9, Unit: "nanoseconds", Severity: analysis.Medium, Command: "nettrace report waits FILE",
	Advice: "Await the task instead of Wait, Result or GetAwaiter().GetResult(): each blocked worker is missing to run other tasks.",
}

// maxFindings is the highest number of methods with a finding.
const maxFindings = 10

// blocker is the sum of the waits of a method.
type blocker struct {
	method             string
	count, nanos, most int64
}

// severalWorkers is the number of workers that a method blocks on average from which it is a
// problem for users: with fewer, one worker at a time waits.
const severalWorkers = 1.5

// oneWorker is the advice for a method in which one worker waits for long, as that of a server
// for clients.
const oneWorker = "Run a loop that waits for long on a thread of its own (TaskCreationOptions.LongRunning), or await: one worker of the pool is missing meanwhile."

// findings applies the rule to each method. observed is the length of the recording in nanoseconds.
func findings(rows []Row, observed int64) []analysis.Finding {
	list := []analysis.Finding{}
	for _, b := range methodsThatBlock(rows) {
		rule := syncOverAsync
		switch blocked := float64(b.nanos) / float64(max(observed, 1)); {
		case blocked < severalWorkers && b.most >= int64(rule.High):
			rule.Severity, rule.High, rule.Advice = analysis.Low, 0, oneWorker
		case blocked < severalWorkers:
			rule.High = 0
		}
		text := fmt.Sprintf("%s blocked workers of the thread pool until tasks ended: %d times, %s in all, the longest %s",
			cmp.Or(b.method, "methods without a name"), b.count, analysis.Milliseconds(b.nanos), analysis.Milliseconds(b.most))
		if f, ok := rule.Check(float64(b.nanos), text); ok && len(list) < maxFindings {
			list = append(list, f)
		}
	}
	analysis.SortFindings(list)
	return list
}

// methodsThatBlock returns the methods that block workers, the longest sum first.
func methodsThatBlock(rows []Row) []blocker {
	var list []blocker
	for i := range rows {
		row := &rows[i]
		if !row.SyncOverAsync || !row.PoolThread {
			continue
		}
		at := slices.IndexFunc(list, func(b blocker) bool { return b.method == row.Method })
		if at < 0 {
			at = len(list)
			list = append(list, blocker{method: row.Method})
		}
		b := &list[at]
		b.count, b.nanos, b.most = b.count+row.Count, b.nanos+row.TotalNs, max(b.most, row.MaxNs)
	}
	slices.SortStableFunc(list, func(a, b blocker) int { return cmp.Compare(b.nanos, a.nanos) })
	return list
}
