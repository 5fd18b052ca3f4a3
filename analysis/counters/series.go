package counters

import (
	"math"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// series is a time series.
type series struct {
	of         counters.Value // names and unit of the first value; type and interval of the last one
	instrument *counters.Instrument
	shows      Shows
	values     int64

	start, end  int64 // time of the first and the last value, in nanoseconds
	shown       int64 // number of values with a number to show
	first, last float64
	low, high   float64
	highAt      int64 // time of the highest one, in nanoseconds
	sum         float64
	points      points
	level       level

	total        float64 // sum of the changes
	measurements float64 // number of them
	counted      bool    // measurements is known
	measured     float64 // the sum of the measurements of a histogram
	quantiles    []Quantile
}

func newSeries(v *counters.Value) *series {
	return &series{of: counters.Value{
		Source: v.Source, Provider: strings.Clone(v.Provider), Version: strings.Clone(v.Version), Name: strings.Clone(v.Name),
		Display: strings.Clone(v.Display), Unit: strings.Clone(v.Unit), Tags: strings.Clone(v.Tags), ID: v.ID,
	}}
}

// add adds a value at a time in nanoseconds.
func (s *series) add(v *counters.Value, at int64) {
	s.of.Type, s.of.Interval, s.of.Asked = v.Type, v.Interval, v.Asked
	if s.values == 0 {
		s.start = at
	}
	s.values++
	s.end = max(s.end, at)
	s.total += v.Delta.Float64
	if v.Type == counters.Histogram && v.Count.Valid {
		s.measurements += v.Count.Float64
		s.counted = true
		s.measured += v.Sum.Float64
	}
	s.addQuantiles(v.Quantiles)
	if x, shows, ok := shown(v); ok && !math.IsNaN(x) && !math.IsInf(x, 0) {
		s.shows = shows
		s.show(x, at)
	}
}

// show adds a number.
func (s *series) show(x float64, at int64) {
	if s.shown == 0 {
		s.first, s.low, s.high, s.highAt = x, x, x, at
	}
	s.shown++
	s.last, s.low = x, min(s.low, x)
	if x > s.high {
		s.high, s.highAt = x, at
	}
	s.sum += x
	s.points.add(x, at)
	s.level.add(x, at)
}

// mean returns the mean of the numbers, and that of the measurements of a histogram.
func (s *series) mean() float64 {
	if s.of.Type == counters.Histogram && s.shows == Mean && s.measurements > 0 {
		return s.measured / s.measurements
	}
	return s.sum / float64(s.shown)
}

// misnamed are instruments of type Counter whose values are not sums but levels.
var misnamed = map[name]bool{
	{analysis.RuntimeCounters, "dotnet.thread_pool.queue.length"}: true,
	{analysis.RuntimeCounters, "dotnet.thread_pool.thread.count"}: true,
}

// shown returns the number of a value for users, and what it is.
func shown(v *counters.Value) (x float64, shows Shows, ok bool) {
	rate := false
	switch v.Type {
	case counters.Histogram:
		return shownHistogram(v)
	case counters.Increment:
		rate = true
	case counters.Counter:
		rate = !misnamed[name{v.Provider, v.Name}]
	case counters.UpDownCounter:
		rate = !v.Value.Valid // before .NET 8
	}
	if rate {
		r := v.Rate()
		return r.Float64, Rate, r.Valid
	}
	return v.Value.Float64, Value, v.Value.Valid
}

// shownHistogram returns the mean, or the median where the trace does not have the
// sum.
func shownHistogram(v *counters.Value) (x float64, shows Shows, ok bool) {
	if v.Count.Valid && v.Sum.Valid {
		return v.Sum.Float64 / v.Count.Float64, Mean, v.Count.Float64 > 0
	}
	for _, q := range v.Quantiles {
		if q.Quantile == 0.5 {
			return q.Value, Median, true
		}
	}
	return 0, Median, false
}

// maxQuantiles is how many quantiles a row has: .NET reports three.
const maxQuantiles = 8

// addQuantiles keeps the highest value of each quantile.
func (s *series) addQuantiles(list []counters.Quantile) {
	for i, q := range list {
		switch {
		case i >= maxQuantiles || math.IsInf(q.Value, 0) || math.IsNaN(q.Value):
		case i >= len(s.quantiles):
			s.quantiles = append(s.quantiles, Quantile{Quantile: q.Quantile, Max: q.Value})
		case s.quantiles[i].Quantile == q.Quantile:
			s.quantiles[i].Max = max(s.quantiles[i].Max, q.Value)
		}
	}
}

// points are the numbers of a series over time. When there would be more than
// maxPoints, each pair becomes one.
type points struct {
	list []Point
	each int64   // values of a point, except the last one
	last int64   // values of the last one
	sum  float64 // of them
}

const maxPoints = 40

// add adds a number.
func (p *points) add(x float64, at int64) {
	if n := len(p.list); n > 0 && p.last < p.each {
		p.last++
		p.sum += x
		if mean := p.sum / float64(p.last); !math.IsInf(mean, 0) {
			p.list[n-1].Value = mean
		}
		return
	}
	if len(p.list) == maxPoints {
		p.halve()
	}
	p.each = max(p.each, 1)
	p.list = append(p.list, Point{StartNs: at, Value: x})
	p.last, p.sum = 1, x
}

// halve joins pairs of points, which all have the same number of values.
func (p *points) halve() {
	for i := range maxPoints / 2 {
		a, b := p.list[2*i], p.list[2*i+1]
		p.list[i] = Point{StartNs: a.StartNs, Value: a.Value/2 + b.Value/2}
	}
	p.list = p.list[:maxPoints/2]
	p.each *= 2
}

// level finds the highest number that successive values reach or exceed.
type level struct {
	recent [sustained]Point // a ring
	next   int
	count  int64
	best   Level // if found
	found  bool
}

// The values of a level: their number, and the minimum time that they cover.
const (
	sustained     = 5
	sustainedTime = 3_500_000_000 // nanoseconds
)

// add adds a number.
func (l *level) add(x float64, at int64) {
	l.recent[l.next] = Point{StartNs: at, Value: x}
	l.next = (l.next + 1) % sustained
	l.count++
	from := l.recent[l.next].StartNs // the oldest one
	if l.count < sustained || at-from < sustainedTime {
		return
	}
	lowest := x
	for _, p := range l.recent {
		lowest = min(lowest, p.Value)
	}
	if !l.found || lowest > l.best.Value {
		l.best, l.found = Level{StartNs: from, DurationNs: at - from, Value: lowest}, true
	}
}
