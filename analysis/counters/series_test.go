package counters_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// number returns a number of a row, NaN for nil.
func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// TestShows: each type of counter has the numbers that users expect.
func TestShows(t *testing.T) {
	for _, c := range []struct {
		name  string
		add   func(*maker)
		typ   string
		shows counters.Shows
		last  float64
	}{
		{"mean", func(m *maker) { m.mean(1, "Shop", "load", 4.5) }, "Mean", counters.Value, 4.5},
		{"increment", func(m *maker) {
			m.counter(1, "Shop", "s:Name d:Increment s:Series s:CounterType", "sold", 30.0, "Interval=500", "Sum")
		}, "Increment", counters.Rate, 60},
		{"counter", func(m *maker) { m.interval(1); m.rate(2, 4, "Shop", "sold", "", "7", "100") }, "Counter", counters.Rate, 7},
		{"level as counter", func(m *maker) {
			m.interval(1)
			m.rate(2, 4, "System.Runtime", "dotnet.thread_pool.queue.length", "", "7", "100")
		}, "Counter", counters.Value, 100},
		{"up-down counter", func(m *maker) { m.interval(1); m.rate(2, 16, "Shop", "open", "", "-2", "5") }, "UpDownCounter", counters.Value, 5},
		{"up-down counter of .NET 7", func(m *maker) { m.interval(1); m.rate(2, 16, "Shop", "open", "", "-2", "") }, "UpDownCounter", counters.Rate, -2},
		{"gauge", func(m *maker) {
			m.meter(1, 5, ofValue+"s:lastValue i:instrumentId", "S", "Shop", "", "temperature", "C", "", "21.5", int32(1))
		}, "Gauge", counters.Value, 21.5},
		{"histogram", func(m *maker) {
			m.meter(1, 6, ofValue+"s:quantiles i:count d:sum i:instrumentId", "S", "Shop", "", "time", "s", "", "0.5=1;0.95=2", int32(4), 6.0, int32(1))
		}, "Histogram", counters.Mean, 1.5},
		{"histogram of .NET 7", func(m *maker) {
			m.meter(1, 6, ofValue+"s:quantiles", "S", "Shop", "", "time", "s", "", "0.5=1;0.95=2")
		}, "Histogram", counters.Median, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMaker(wire.V4)
			c.add(m)
			row := m.row(t)
			expect.Equal(t, "type", row.Type, c.typ)
			expect.Equal(t, "shows", row.Shows, c.shows)
			expect.Equal(t, "last", number(row.Last), c.last)
		})
	}
}

// TestNumbers: the numbers of a row are those of all its values.
func TestNumbers(t *testing.T) {
	m := newMaker(wire.V4)
	for i, x := range []float64{4, 1, 9, 2} {
		m.mean(uint64(i+1)*second, "Shop", "load", x)
	}
	row := m.row(t)
	expect.Equal(t, "values", row.Values, 4)
	expect.Equal(t, "start", row.StartNs, 1e9)
	expect.Equal(t, "end", row.EndNs, 4e9)
	expect.Equal(t, "interval", row.IntervalNs, analysis.Known(1e9))
	for name, pair := range map[string][2]float64{
		"first": {number(row.First), 4}, "last": {number(row.Last), 2}, "min": {number(row.Min), 1}, "mean": {number(row.Mean), 4}, "max": {number(row.Max), 9},
	} {
		expect.Equal(t, name, pair[0], pair[1])
	}
	expect.Slices(t, "points", row.Points, []counters.Point{{StartNs: 1e9, Value: 4}, {StartNs: 2e9, Value: 1}, {StartNs: 3e9, Value: 9}, {StartNs: 4e9, Value: 2}})
}

// TestTotals: a counter has the sum of its changes, a histogram its measurements and
// the highest quantiles.
func TestTotals(t *testing.T) {
	m := newMaker(wire.V4)
	m.sum(1*second, "Shop", "sold", 3)
	m.sum(2*second, "Shop", "sold", 4)
	expect.Equal(t, "total", number(m.row(t).Total), 7)
	m = newMaker(wire.V4)
	for i, quantiles := range []string{"0.5=1;0.95=8", "0.5=2;0.95=5"} {
		m.meter(uint64(i+1)*second, 6, ofValue+"s:quantiles i:count d:sum i:instrumentId", "S", "Shop", "", "time", "s", "", quantiles, int32(4), 6.0, int32(1))
	}
	row := m.row(t)
	expect.Equal(t, "measurements", row.Measurements, analysis.Known(8))
	expect.Slices(t, "quantiles", row.Quantiles, []counters.Quantile{{Quantile: 0.5, Max: 2}, {Quantile: 0.95, Max: 8}})
}

// TestMeanOfHistogram: the mean is that of the measurements, in whichever interval they were.
func TestMeanOfHistogram(t *testing.T) {
	m := newMaker(wire.V4)
	m.meter(1*second, 6, ofValue+"s:quantiles i:count d:sum i:instrumentId", "S", "Shop", "", "time", "s", "", "0.5=1", int32(1), 100.0, int32(1))
	m.meter(2*second, 6, ofValue+"s:quantiles i:count d:sum i:instrumentId", "S", "Shop", "", "time", "s", "", "0.5=1", int32(99), 99.0, int32(1))
	expect.Equal(t, "mean", number(m.row(t).Mean), 1.99)
}

// TestPoints: a row has at most 40 points, whose mean is that of all values.
func TestPoints(t *testing.T) {
	for _, c := range []struct {
		name           string
		values, points int
	}{{"few", 40, 40}, {"halved", 41, 21}, {"many", 640, 40}, {"more", 641, 21}} {
		t.Run(c.name, func(t *testing.T) {
			m := newMaker(wire.V4)
			for i := range c.values {
				m.mean(uint64(i+1)*second, "Shop", "load", float64(i))
			}
			row := m.row(t)
			expect.Len(t, "points", row.Points, c.points)
			each := int64(c.values) / int64(c.points-c.values%2)
			for i, p := range row.Points {
				expect.Equal(t, "start in s", p.StartNs/1e9, 1+int64(i)*each)
			}
			half := row.Points[1].Value - row.Points[0].Value
			expect.Equal(t, "step", half, float64(each))
		})
	}
}

// TestSustained: the level is the highest that five successive values reach within
// enough time.
func TestSustained(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		step   uint64
		want   counters.Level
		found  bool
	}{
		{"four values", []float64{9, 9, 9, 9}, second, counters.Level{}, false},
		{"too fast", []float64{9, 9, 9, 9, 9}, second / 2, counters.Level{}, false},
		{"five", []float64{9, 7, 8, 9, 9}, second, counters.Level{StartNs: 1e9, DurationNs: 4e9, Value: 7}, true},
		{"later", []float64{0, 0, 9, 7, 8, 9, 9, 0}, second, counters.Level{StartNs: 3e9, DurationNs: 4e9, Value: 7}, true},
		{"peaks only", []float64{0, 9, 0, 9, 0, 9}, second, counters.Level{StartNs: 1e9, DurationNs: 4e9, Value: 0}, true},
		{"negative", []float64{-9, -7, -8, -9, -9}, second, counters.Level{StartNs: 1e9, DurationNs: 4e9, Value: -9}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMaker(wire.V4)
			for i, x := range c.values {
				m.mean(uint64(i+1)*c.step, "Shop", "load", x)
			}
			got := m.row(t).Sustained
			expect.Equal(t, "found", got != nil, c.found)
			if got != nil {
				expect.Equal(t, "level", *got, c.want)
			}
		})
	}
}

// TestNotFinite: numbers that JSON cannot have are left out.
func TestNotFinite(t *testing.T) {
	m := newMaker(wire.V4)
	for i, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m.mean(uint64(i+1)*second, "Shop", "load", x)
	}
	m.sum(4*second, "Shop", "sold", math.Inf(1))
	m.meter(5*second, 6, ofValue+"s:quantiles", "S", "Shop", "", "time", "s", "", "0.5=Infinity;0.95=1e400")
	m.mean(6*second, "Shop", "huge", math.MaxFloat64)
	m.mean(7*second, "Shop", "huge", -math.MaxFloat64)
	report := m.reports(t, analysis.Limits{})[0]
	text, err := json.Marshal(report)
	expect.NoError(t, err)
	expect.Contains(t, "JSON", string(text), `"name":"load"`, `"name":"sold"`, `"name":"time"`, `"max":1.7976931348623157e+308`)
	expect.Equal(t, "rows with a number", strings.Count(string(text), `"max":`), 1)
}

// TestEnded: the end of an instrument ends its series; a later value begins it again.
func TestEnded(t *testing.T) {
	m := newMaker(wire.V4)
	instrument := func(at uint64, event uint32) {
		m.meter(at, event, ofInstrument, "S", "Shop", "", "open", "UpDownCounter`1", "", "", "", "", "", int32(1))
	}
	value := func(at uint64) {
		m.meter(at, 16, ofValue+"s:rate s:value i:instrumentId", "S", "Shop", "", "open", "", "", "1", "1", int32(1))
	}
	m.interval(1)
	instrument(2, 7)
	value(3)
	expect.Equal(t, "ended before its end", m.row(t).Ended, false)
	instrument(4, 8)
	expect.Equal(t, "ended", m.row(t).Ended, true)
	instrument(5, 7)
	value(6)
	expect.Equal(t, "ended after a new value", m.row(t).Ended, false)
}

// TestProcesses: each process of a v6 trace has its report.
func TestProcesses(t *testing.T) {
	m := newMaker(wire.V6)
	m.Of(7, 1)
	m.Of(8, 2)
	for m.thread = 1; m.thread <= 2; m.thread++ {
		m.mean(m.thread*second, "Shop", "load", float64(m.thread))
	}
	reports := m.reports(t, analysis.Limits{})
	expect.Len(t, "reports", reports, 2)
	for i, r := range reports {
		expect.Equal(t, "process", r.ProcessID, analysis.Known(int64(7+i)))
		expect.Equal(t, "last", number(r.Rows.([]counters.Row)[0].Last), float64(i+1))
	}
}

// TestLimits: the totals count the values without a row because of a limit.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name    string
		limits  analysis.Limits
		leftOut int64
	}{{"rows", analysis.Limits{Rows: 2}, 3}, {"bytes of names", analysis.Limits{Symbols: 20}, 1}, {"none", analysis.Limits{}, 0}} {
		t.Run(c.name, func(t *testing.T) {
			m := newMaker(wire.V4)
			for i := range 5 {
				m.mean(uint64(i+1), "Sho", string(rune('a'+i)), 1) // 4 bytes each
			}
			m.mean(9, "Sho", "a", 1)
			if c.limits.Symbols > 0 {
				m.mean(10, "Sho", "f", 1)
			}
			r := m.reports(t, c.limits)[0]
			totals := r.Totals.(*counters.Totals)
			expect.Equal(t, "left out", totals.LeftOutValues, c.leftOut)
			expect.Equal(t, "series", totals.Series, int64(len(r.Rows.([]counters.Row))))
		})
	}
}

// TestNotRecorded: a trace without values lists what records them.
func TestNotRecorded(t *testing.T) {
	m := newMaker(wire.V4)
	m.meter(2, 10, "s:sessionId", "S")
	reports := m.reports(t, analysis.Limits{})
	expect.Len(t, "reports", reports, 1)
	expect.Equal(t, "recorded", reports[0].Recorded(), false)
	expect.Len(t, "not recorded", reports[0].NotRecorded, 2)
	expect.Contains(t, "command for Meters", reports[0].NotRecorded[1].Command, "--provider System.Diagnostics.Metrics:0x2:4:Metrics=System.Runtime")
}

// TestWithoutValue: instruments that are measured and have no value are listed.
func TestWithoutValue(t *testing.T) {
	m := newMaker(wire.V4)
	m.meter(2, 7, ofInstrument, "S", "Shop", "2.0", "open", "UpDownCounter`1", "{cart}", "", "", "", "", int32(1))
	reports := m.reports(t, analysis.Limits{})
	expect.Len(t, "reports", reports, 1)
	expect.Equal(t, "recorded", reports[0].Recorded(), true)
	expect.Slices(t, "without a value", reports[0].Totals.(*counters.Totals).WithoutValue, []counters.Silent{{
		Provider: "Shop", Version: "2.0", Name: "open", Type: "UpDownCounter`1", Unit: "{cart}",
	}})
}
