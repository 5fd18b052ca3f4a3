package alloc

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
)

// command shows the details of all findings of the part.
const command = "nettrace report alloc FILE"

// rules are the findings of the part. Each has the lowest value that is one.
var rules = []analysis.Measured[Row, Totals]{
	{Rule: analysis.Rule{
		Name: "alloc-rate", Threshold: 1e9, High: 4e9, Unit: "bytes", Severity: analysis.Medium, Command: command,
		Advice: "Look at the types and sites with the most bytes: reuse their objects, or use structs and spans.",
	}, Measure: highRate},
	{Rule: analysis.Rule{
		Name: "alloc-large-objects", Threshold: 100e6, High: 1e9, Unit: "bytes", Severity: analysis.Medium, Command: command,
		Advice: "Rent large buffers from ArrayPool: only collections of generation 2 free large objects.",
	}, Measure: largeObjects},
}

// findings applies the rules.
func findings(rows []Row, t *Totals) []analysis.Finding {
	if t.ObservedNs < shortest {
		return []analysis.Finding{}
	}
	return analysis.Findings(rules, rows, t)
}

// shortest is the length of a recording below which a rate is no finding, in
// nanoseconds.
const shortest = 1e9

func highRate(rows []Row, t *Totals) (float64, string) {
	rate, ok := t.BytesPerSecond.Get()
	if !ok || len(rows) == 0 {
		return 0, ""
	}
	return float64(rate), fmt.Sprintf("the program allocated %.0f MB a second; %s", float64(rate)/1e6, share(rows[0], t.Bytes))
}

// largeObjects is the rate of allocation of large objects.
func largeObjects(rows []Row, t *Totals) (float64, string) {
	bytes, most := int64(0), Row{}
	for _, h := range t.Heaps {
		if h.Heap == Large {
			bytes = h.Bytes
		}
	}
	for _, row := range rows {
		if row.Heap == Large && row.Bytes > most.Bytes {
			most = row
		}
	}
	if most.Bytes == 0 {
		return 0, ""
	}
	rate := float64(bytes) / float64(t.ObservedNs) * 1e9
	return rate, fmt.Sprintf("the program allocated %.0f MB of large objects a second; %s", rate/1e6, share(most, bytes))
}

// share describes a row as a part of some bytes.
func share(row Row, of int64) string {
	text := fmt.Sprintf("%.0f %% of it %s", analysis.Percent(row.Bytes, of), row.Type)
	if row.Site != "" {
		text += " allocated by " + row.Site
	}
	return text
}
