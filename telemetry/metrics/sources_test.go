package metrics_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
)

// TestSources: the metrics made of EventCounters are those that the Meter System.Runtime of the same process reports,
// which reads its numbers some milliseconds later.
func TestSources(t *testing.T) {
	values := map[string]map[string]float64{"System.Runtime": {}, counters.MetersProvider: {}} // by source and series, of the last round
	read(t, metrics.NewDecoder(metrics.Options{}), shared.Trace(t, "net10-counters.v4"), func(r *metrics.Round) {
		of := values[r.Source]
		if of == nil {
			return // the program's own
		}
		clear(of)
		for _, m := range r.Metrics {
			for _, p := range m.Points {
				series := m.Name
				if m.Name != "dotnet.exceptions" { // EventCounters do not tell their types
					series += fmt.Sprint(p.Attributes)
				}
				of[series] += p.Value
			}
		}
	})
	compared := 0
	for series, got := range values["System.Runtime"] {
		want, ok := values[counters.MetersProvider][series]
		expect.Equal(t, "the Meter has "+series, ok, true)
		if math.Abs(got-want) > 0.03*want {
			t.Errorf("%s: EventCounters have %v, the Meter %v", series, got, want)
		}
		compared++
	}
	expect.Equal(t, "series", compared, 22)
}
