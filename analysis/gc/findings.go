package gc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
)

// command shows the details of all findings of the part.
const command = "nettrace report gc FILE"

// rules are the findings of the part. Each has the lowest value that is one.
var rules = []analysis.Measured[Row, Totals]{
	{Rule: analysis.Rule{
		Name: "gc-pause-share", Threshold: 10, High: 20, Unit: "percent", Severity: analysis.Medium, Command: command,
		Advice: "Look at which collections pause longest. Fewer allocations mean fewer collections; fewer live objects mean shorter ones.",
	}, Measure: pauseShare},
	{Rule: analysis.Rule{
		Name: "gc-induced", Threshold: 5, High: 20, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "Remove the calls of GC.Collect: each pauses the program, and the collector chooses better times.",
	}, Measure: induced},
	{Rule: analysis.Rule{
		Name: "gc-long-pause", Threshold: 250e6, High: 1e9, Unit: "nanoseconds", Severity: analysis.Medium, Command: command,
		Advice: "Use concurrent collections, and keep fewer objects alive until generation 2.",
	}, Measure: longPause},
	{Rule: analysis.Rule{
		Name: "gc-slow-suspension", Threshold: 50e6, High: 500e6, Unit: "nanoseconds", Severity: analysis.Medium, Command: command,
		Advice: "Look for a loop without calls or for an overloaded machine: a thread did not stop in time.",
	}, Measure: slowSuspension},
	{Rule: analysis.Rule{
		Name: "gc-many-full", Threshold: 50, Unit: "percent", Severity: analysis.Medium, Command: command,
		Advice: "Look for large objects that do not stay alive, and for memory pressure: full collections are the longest.",
	}, Measure: manyFull},
	{Rule: analysis.Rule{
		Name: "gc-fragmentation", Threshold: 50, Unit: "percent", Severity: analysis.Low, Command: command,
		Advice: "Look for pinned objects and for large objects of different sizes: they keep free space from being used.",
	}, Measure: fragmentation},
}

// fewPauses is the number of pauses below which their share of the time is no
// finding.
const fewPauses = 10

func pauseShare(_ []Row, t *Totals) (float64, string) {
	if t.Pauses == nil || t.Pauses.Count < fewPauses {
		return 0, ""
	}
	text := fmt.Sprintf("the garbage collector paused the process %.1f %% of the time: %d pauses, %s in all",
		t.PausePercent, t.Pauses.Count, analysis.Milliseconds(t.PauseNs))
	if t.Unfinished > 0 {
		text += fmt.Sprintf("; collections whose end is not in the recording: %d", t.Unfinished)
	}
	return t.PausePercent, text
}

// induced counts the blocking collections that the program asked for.
func induced(rows []Row, t *Totals) (float64, string) {
	count, full := 0, 0
	callers := map[string]int{}
	first := ""
	for _, row := range rows {
		if !row.Induced || row.Type == Background {
			continue
		}
		count++
		if row.Generation.Or(0) == 2 {
			full++
		}
		if row.InducedBy != "" {
			callers[row.InducedBy]++
			if first == "" || callers[row.InducedBy] > callers[first] {
				first = row.InducedBy
			}
		}
	}
	if count == 0 || 4*int64(count) < t.Count {
		return 0, ""
	}
	text := fmt.Sprintf("%d of %d collections are blocking and induced by the program, %d of them of generation 2", count, t.Count, full)
	if first != "" {
		text += fmt.Sprintf("; %d by GC.Collect called from %s", callers[first], strings.TrimSpace(first))
	}
	return float64(count), text
}

func longPause(rows []Row, _ *Totals) (float64, string) {
	longest, of := int64(0), Row{}
	for _, row := range rows {
		pause := row.PauseNs.Or(0)
		if len(row.Pauses) > 0 {
			pause = slices.MaxFunc(row.Pauses, func(a, b Pause) int { return cmp.Compare(a.PauseNs, b.PauseNs) }).PauseNs
		}
		if pause > longest {
			longest, of = pause, row
		}
	}
	if longest == 0 {
		return 0, ""
	}
	text := fmt.Sprintf("the longest pause is %s: collection %v of generation %v, reason %s",
		analysis.Milliseconds(longest), of.Number, of.Generation, of.Reason)
	if of.Unfinished {
		text += "; its end is not in the recording, so that the pause can be shorter or longer"
	}
	return float64(longest), text
}

func slowSuspension(_ []Row, t *Totals) (float64, string) {
	longest, ok := t.MaxSuspension.Get()
	if !ok {
		return 0, ""
	}
	return float64(longest), fmt.Sprintf("stopping all threads for a collection took up to %s", analysis.Milliseconds(longest))
}

// manyFull is the share of generation 2 among the collections that the program
// did not ask for.
func manyFull(rows []Row, _ *Totals) (float64, string) {
	all, full := int64(0), int64(0)
	for _, row := range rows {
		if row.Type == NoCollection || row.Induced {
			continue
		}
		all++
		if row.Generation.Or(0) == 2 {
			full++
		}
	}
	if all < fewPauses {
		return 0, ""
	}
	return analysis.Percent(full, all), fmt.Sprintf("%d of %d collections that the program did not ask for are of generation 2", full, all)
}

// smallHeap is the size below which free space is no finding, in bytes.
const smallHeap = 100e6

// fragmentation is the share of free space after the last collection of
// generation 2.
func fragmentation(rows []Row, _ *Totals) (float64, string) {
	for i := len(rows) - 1; i >= 0; i-- {
		row := &rows[i]
		free, ok := row.FragmentationBytes.Get()
		heap, known := row.HeapAfterBytes.Get()
		if row.Generation.Or(0) != 2 || !ok || !known {
			continue
		}
		if heap < smallHeap {
			return 0, ""
		}
		return analysis.Percent(free, heap), fmt.Sprintf("after the last collection of generation 2, %.0f %% of the heap of %.0f MB is free space between objects",
			analysis.Percent(free, heap), float64(heap)/1e6)
	}
	return 0, ""
}
