package alloc_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestTraces: each trace has a report whose rows have all bytes of its totals, and no
// finding.
func TestTraces(t *testing.T) {
	for _, name := range shared.Traces(t) {
		t.Run(name, func(t *testing.T) {
			rows, totals, report := reportOf(t, shared.Trace(t, name))
			expect.Len(t, "findings", report.Findings, 0)
			if totals == nil {
				expect.Len(t, "not recorded", report.NotRecorded, 2)
				return
			}
			events, byType := int64(0), int64(0)
			for _, row := range rows {
				events += row.Events
			}
			for _, row := range totals.Types {
				byType += row.Events
			}
			expect.Equal(t, "events of the rows", events, totals.Events)
			expect.Equal(t, "events of the types", byType, totals.Events)
		})
	}
}
