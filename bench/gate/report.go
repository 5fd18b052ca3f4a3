package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// report prints a line for each row and a summary, and returns the exit code.
func report(out io.Writer, results []rowResult) int {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "row\ttime\tpairs\tinstructions\tcycles\tresult")
	var count [len(outcomeNames)]int
	for _, j := range results {
		count[j.outcome]++
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\n", j.row, ratio(j.ratio), j.pairs, ratio(j.instructions), ratio(j.cycles), j.text())
	}
	t.Flush()
	failed := 0
	for v, n := range count {
		if outcome(v).fails() {
			failed += n
		}
	}
	fmt.Fprintf(out, "%d rows, head against base: %d fail, %d accepted, %d not measured, %d new\n",
		len(results), failed, count[accepted], count[unmeasured], count[added])
	switch {
	case failed > 0:
		return exitRegression
	case count[unmeasured] > 0:
		return exitUnmeasured
	}
	return exitPass
}

// text is the outcome with its reason.
func (j rowResult) text() string {
	if j.why == "" {
		return outcomeNames[j.outcome]
	}
	return outcomeNames[j.outcome] + ": " + j.why
}

// ratio prints a ratio, a dash without one.
func ratio(r float64) string {
	if r > 0 {
		return fmt.Sprintf("%.3f", r)
	}
	return "-"
}
