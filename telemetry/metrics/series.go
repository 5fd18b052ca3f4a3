package metrics

import (
	"strconv"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/telemetry"
)

// series is a metric with one set of attributes, and the state of its sums.
type series struct {
	key        counters.Key
	instrument *counters.Instrument
	position   int // in the order of the group
	metric     int // index of the group's metric
	kind       Kind
	scale      float64
	absolute   bool    // Value of a Sum is one since the start of the process
	minus      *series // has a part of the increments too
	minusName  string

	round   int  // of its last value
	missed  int  // rounds in a row without a value
	isNew   bool // no round has had it
	ended   bool // its instrument is no longer measured
	removed bool

	primed   bool // the next increment counts
	started  bool // there is a sum
	first    bool // it begins after the current round
	before   float64
	delta    float64 // of the last value
	count    float64
	net      float64 // sum without what minus has
	hasDelta bool
	point    Point
}

// is reports whether a value is of the series.
func (s *series) is(v *counters.Value) bool {
	k := &s.key
	return k.Name == v.Name && k.Tags == v.Tags && k.ID == v.ID && k.Provider == v.Provider && k.Source == v.Source
}

// enter adds the series of a value. It returns nil for one too many, and for a counter without a
// metric.
func (d *Decoder) enter(g *group, v *counters.Value) *series {
	m := d.mappings[[2]string{v.Provider, v.Name}]
	if v.Source == counters.Meters {
		m = nil
	} else if m == nil && d.own[v.Provider] && !d.opt.Others {
		return nil
	}
	if d.series == d.opt.maxSeries() {
		d.dropped++
		return nil
	}
	d.series++
	s := &series{key: v.Key(), instrument: v.Instrument, position: len(g.order), scale: 1, isNew: true}
	of := Metric{Scope: v.Provider, Name: v.Name, Unit: v.Unit, Kind: kindOf(v)}
	if m != nil {
		of.Name, of.Unit, of.Kind = m.Metric, m.Unit, m.Kind
		s.scale, s.absolute, s.minusName, s.point.Attributes = m.Scale, m.Absolute, m.Minus, m.attributes
	} else {
		s.point.Attributes = attributes(v)
	}
	s.kind = of.Kind
	if v.Source == counters.Meters {
		s.absolute = v.Value.Valid && v.Instrument != nil && strings.HasPrefix(v.Instrument.Type, "Observable")
		if g.known && !s.absolute { // it began after the round before, with 0
			s.primed, s.started, s.point.Start = true, true, g.last
		}
	}
	s.metric = g.metricOf(of)
	for _, other := range g.order {
		if other.minusName == v.Name {
			other.minus = s
		}
		if s.minusName != "" && other.key.Name == s.minusName {
			s.minus = other
		}
	}
	g.index[s.key] = s
	g.order = append(g.order, s)
	g.next = len(g.order)
	return s
}

// metricOf returns the index of a metric.
func (g *group) metricOf(m Metric) int {
	for i := range g.metrics {
		if known := &g.metrics[i]; known.Name == m.Name && known.Scope == m.Scope && known.Kind == m.Kind && known.Unit == m.Unit {
			return i
		}
	}
	g.metrics = append(g.metrics, m)
	return len(g.metrics) - 1
}

// kindOf is the kind of a counter without a mapping.
func kindOf(v *counters.Value) Kind {
	if kind, ok := otherKinds[v.Name]; ok && v.Source == counters.Meters {
		return kind
	}
	switch v.Type {
	case counters.Increment, counters.Counter:
		return Sum
	case counters.UpDownCounter:
		return UpDownSum
	case counters.Histogram:
		return Summary
	}
	return Gauge
}

// attributes are the tags of a value by the conventions.
func attributes(v *counters.Value) []telemetry.Attribute {
	var list []telemetry.Attribute
	for _, tag := range counters.ParseTags(v.Tags, v.Source) {
		a := telemetry.Attribute{Key: tag.Key, Value: tag.Value}
		if name, ok := renamed[tag.Key]; ok && v.Source == counters.Meters {
			a.Key = name
		}
		if n, err := strconv.ParseInt(tag.Value, 10, 64); err == nil && integers[tag.Key] && v.Source == counters.Meters {
			a.Value = n
		}
		list = append(list, a)
	}
	return list
}

// set takes a value.
func (s *series) set(v *counters.Value, at time.Time) {
	s.point.Time, s.removed, s.hasDelta = at, false, false
	switch s.kind {
	case Gauge, UpDownSum:
		switch {
		case v.Value.Valid:
			s.point.Value = v.Value.Float64 * s.scale
		case v.Delta.Valid: // before .NET 8
			s.point.Value += v.Delta.Float64 * s.scale
		}
	case Sum:
		s.setSum(v)
	case Summary:
		s.setSummary(v)
	}
	if s.isSum() && !s.primed {
		s.primed, s.hasDelta = true, false
		if !s.started {
			s.started, s.first, s.point.Start = true, true, at
		}
	}
}

func (s *series) isSum() bool { return s.kind == Sum || s.kind == Summary }

func (s *series) setSum(v *counters.Value) {
	switch {
	case s.absolute && v.Value.Valid:
		s.delta, s.before, s.hasDelta = max(v.Value.Float64-s.before, 0), v.Value.Float64, true
	case v.Delta.Valid:
		s.delta, s.hasDelta = v.Delta.Float64, true
	}
}

func (s *series) setSummary(v *counters.Value) {
	s.hasDelta = true
	p := &s.point
	p.Quantiles = p.Quantiles[:0]
	if v.Type == counters.Mean { // the number of measurements and their mean
		s.count, s.delta = v.Count.Float64, v.Count.Float64*v.Value.Float64
		if v.Min.Valid && v.Max.Valid && s.count > 0 {
			p.Quantiles = append(p.Quantiles, counters.Quantile{Quantile: 0, Value: v.Min.Float64 * s.scale}, counters.Quantile{Quantile: 1, Value: v.Max.Float64 * s.scale})
		}
		p.Count.Valid, p.Sum.Valid = v.Count.Valid, v.Count.Valid
		return
	}
	for _, q := range v.Quantiles {
		p.Quantiles = append(p.Quantiles, counters.Quantile{Quantile: q.Quantile, Value: q.Value * s.scale})
	}
	s.count, s.delta = v.Count.Float64, v.Sum.Float64
	p.Count.Valid, p.Sum.Valid = v.Count.Valid, v.Sum.Valid
}

// advance adds the increment of the round to the sum.
func (s *series) advance() {
	if !s.isSum() || !s.hasDelta {
		return
	}
	if s.kind == Summary {
		s.point.Count.Float64 += s.count
		s.point.Sum.Float64 += s.delta * s.scale
		return
	}
	if s.minusName == "" {
		s.point.Value += s.delta * s.scale
		return
	}
	if s.minus == nil || s.minus.round != s.round || !s.minus.hasDelta {
		return // its own part of the increment is unknown
	}
	s.net += s.delta - s.minus.delta
	s.point.Value = max(s.point.Value, s.net*s.scale) // the two counters are not read at the same moment
}
