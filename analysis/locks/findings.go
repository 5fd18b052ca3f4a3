package locks

import (
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
)

// command shows the details of all findings of the part.
const command = "nettrace report locks FILE"

// deadlock is the rule for a deadlock candidate.
var deadlock = analysis.Rule{
	Name: "lock-deadlock", Threshold: 2, High: 2, Unit: "count", Severity: analysis.High, Command: command,
	Advice: "Take these locks in the same order everywhere, or hold only one of them at a time.",
}

// rules are the other findings of the part. Each has the lowest value that is one.
var rules = []analysis.Measured[Row, Totals]{
	{Rule: analysis.Rule{
		Name: "lock-contention", Threshold: 50, High: 200, Unit: "percent", Severity: analysis.Medium, Command: command,
		Advice: "Hold the lock for a shorter time, split it, or use a concurrent collection.",
	}, Measure: contended},
	{Rule: analysis.Rule{
		Name: "lock-queue", Threshold: 10, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "Look at what the owner does while it holds the lock: all these threads run one after the other.",
	}, Measure: queued},
}

// findings applies the rules.
func findings(rows []Row, t *Totals) []analysis.Finding {
	list := []analysis.Finding{}
	for i := range t.Deadlocks {
		if f, ok := deadlock.Check(float64(len(t.Deadlocks[i].Threads)), t.Deadlocks[i].text()); ok {
			list = append(list, f)
		}
	}
	list = append(list, analysis.Findings(rules, rows, t)...)
	analysis.SortFindings(list)
	return list
}

// text is the sentence about a deadlock candidate.
func (d *Deadlock) text() string {
	var threads []string
	for _, one := range d.Threads {
		text := fmt.Sprintf("thread %d waits for thread %v", one.ThreadID, one.OwnerThreadID)
		if one.Method != "" {
			text += " in " + one.Method
		}
		threads = append(threads, text)
	}
	text := fmt.Sprintf("deadlock candidate: %d threads wait for each other's locks for %s at the end: %s",
		len(d.Threads), analysis.Milliseconds(d.WaitNs), strings.Join(threads, "; "))
	if len(d.Waiting) > 0 {
		text += fmt.Sprintf("; others that wait for them: %s", strings.Trim(fmt.Sprint(d.Waiting), "[]"))
	}
	return text
}

// fewContentions is the number of contentions of a stack below which their time is no
// finding: a few long waits can be what the program wants.
const fewContentions = 100

// contended is the share of the time in which threads wait in one stack.
func contended(rows []Row, t *Totals) (float64, string) {
	for _, row := range rows { // the longest sum first
		if row.Count < fewContentions {
			continue
		}
		share, where := analysis.Percent(row.TotalNs, t.ObservedNs), ""
		if row.Method != "" {
			where = " in " + row.Method
		}
		return share, fmt.Sprintf("threads waited %s in all, %.0f %% of the recording, for a lock%s: %d times, the longest %s",
			analysis.Milliseconds(row.TotalNs), share, where, row.Count, analysis.Milliseconds(row.MaxNs))
	}
	return 0, ""
}

// shortQueue is the length of time below which many waiting threads are no finding,
// in nanoseconds.
const shortQueue = 100e6

// queued is the highest number of threads that wait for one lock at once.
func queued(_ []Row, t *Totals) (float64, string) {
	worst := Lock{}
	for _, one := range t.Contended {
		if one.DurationNs >= shortQueue && one.Waiters > worst.Waiters {
			worst = one
		}
	}
	if worst.Longest == nil {
		return 0, ""
	}
	text := fmt.Sprintf("%d threads waited for one lock at once, in a time of %s in which there were %d waits",
		worst.Waiters, analysis.Milliseconds(worst.DurationNs), worst.Count)
	if worst.Longest.Owner != "" {
		text += "; the owner was in " + worst.Longest.Owner
	}
	return float64(worst.Waiters), text
}
