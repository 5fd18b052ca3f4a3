package report

import (
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

// TestRequestedCounters: -p requests the EventCounters of System.Runtime where they are
// no Meter, and all Meters with the settings of a session that others share.
func TestRequestedCounters(t *testing.T) {
	for _, c := range []struct {
		name    string
		major   int
		session string
		names   []string
	}{
		{"NET 6", 6, "client", []string{"System.Runtime", clrcounters.MetersProvider}},
		{"NET 8", 8, "SHARED", []string{"System.Runtime", clrcounters.MetersProvider}},
		{"NET 10", 10, "SHARED", []string{clrcounters.MetersProvider}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := providersOf([]analysis.Part{counters.New()}, c.major, clrcounters.NewSession("client", c.major))
			expect.NoError(t, err)
			var names []string
			for _, p := range list {
				names = append(names, p.Name)
			}
			expect.Slices(t, "providers", names, c.names)
			meters := list[len(list)-1]
			expect.Equal(t, "arguments", meters.Arguments, "SessionId="+c.session+";Metrics=System.Runtime,*;ClientId=client")
			expect.Equal(t, "keywords", meters.Keywords, clrcounters.MetersKeywords)
		})
	}
}

// TestRequestedOnce: -p requests each provider once, with the arguments that one of the
// parts needs.
func TestRequestedOnce(t *testing.T) {
	list, err := providersOf(parts.All(), 10, clrcounters.Session{})
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
