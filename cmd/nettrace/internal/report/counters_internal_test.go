package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/analysis/parts"
	clrcounters "github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRequestedCounters: -p requests the EventCounters of System.Runtime and no Meters.
func TestRequestedCounters(t *testing.T) {
	for _, major := range []int{6, 8, 10} {
		list, err := providersOf([]analysis.Part{counters.New()}, major, clrcounters.NewMetersSession("client", major))
		expect.NoError(t, err)
		expect.Len(t, fmt.Sprint("providers of .NET ", major), list, 1)
		expect.Stop(t)
		expect.Equal(t, "name", list[0].Name, "System.Runtime")
		expect.Equal(t, "arguments", list[0].Arguments, "EventCounterIntervalSec=1")
	}
}

// TestRequestedOnce: -p requests each provider once, with the arguments that one of the
// parts needs.
func TestRequestedOnce(t *testing.T) {
	list, err := providersOf(parts.All(), 10, clrcounters.MetersSession{})
	expect.NoError(t, err)
	for i, p := range list {
		expect.Equal(t, "place of "+p.Name, slices.IndexFunc(list, func(o eventpipe.Provider) bool { return o.Name == p.Name }), i)
	}
	i := slices.IndexFunc(list, func(p eventpipe.Provider) bool { return p.Name == "System.Runtime" })
	expect.Equal(t, "arguments of System.Runtime", list[i].Arguments, "EventCounterIntervalSec=1")
}

// TestSparkline: a column for each part of the time, as high as the number.
func TestSparkline(t *testing.T) {
	row := func(values ...float64) *counters.Row {
		lowest, highest := slices.Min(values), slices.Max(values)
		r := &counters.Row{Min: &lowest, Max: &highest, EndNs: int64(len(values)-1) * 1e9}
		for i, x := range values {
			r.Points = append(r.Points, counters.Point{StartNs: int64(i) * 1e9, Value: x})
		}
		return r
	}
	for _, c := range []struct {
		name     string
		row      *counters.Row
		from, to int64
		want     string
	}{
		{"no number", &counters.Row{}, 0, 1e9, ""},
		{"zero", row(0, 0), 0, 1e9, strings.Repeat("▁", 24)},
		{"equal", row(5, 5), 0, 1e9, strings.Repeat("█", 24)},
		{"one instant", row(5), 0, 0, "█"},
		{"step", row(0, 8, 8), 0, 2e9, strings.Repeat("▁", 12) + strings.Repeat("█", 12)},
		{"from 0", row(7, 8), 0, 1e9, strings.Repeat("█", 24)},
		{"negative", row(-8, 0, 0), 0, 2e9, strings.Repeat("▁", 12) + strings.Repeat("█", 12)},
		{"later and shorter", row(8), -1e9, 1e9, strings.Repeat(" ", 12) + "█"},
		{"huge", row(-1e308, 1e308), 0, 1e9, strings.Repeat("▁", 23) + "█"},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "sparkline", sparkline(c.row, c.from, c.to), c.want)
		})
	}
}
