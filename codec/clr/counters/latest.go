package counters

import (
	"cmp"
	"slices"
	"time"
)

// DefaultMaxSeries is the default number of time series that a Latest keeps.
const DefaultMaxSeries = 100_000

// Latest keeps the last value of each time series and the totals of its values.
// The zero value is ready to use. It is for one goroutine.
type Latest struct {
	MaxSeries int // largest number of time series; 0 means DefaultMaxSeries

	series  map[Key]*Series
	ordered []*Series
	sorted  bool
	dropped int64

	instruments Instruments
}

// Series is a time series with its last value and totals.
type Series struct {
	Last   Value     // the newest value; a number that it lacks was not measured
	Time   time.Time // of Last
	Values int64     // number of values added
	Ended  bool      // its instrument is no longer measured

	Value    Number  // the newest Valid one of Value.Value
	Total    float64 // sum of all Deltas
	Count    float64 // number of all measurements: Histogram, Mean
	Sum      float64 // sum of all Sums: Histogram
	Min, Max Number  // of the results of Value.Shown; of a Histogram those of its measurements
	// Quantiles are the highest of each quantile: Histogram. That of all measurements is not above it.
	Quantiles []Quantile
}

// Shown returns the number to show to users: Rate for Increment and Counter,
// Value for the others. A Histogram has none.
func (v *Value) Shown() Number {
	switch v.Type {
	case Increment, Counter:
		return v.Rate()
	case Histogram:
		return Number{}
	}
	return v.Value
}

// Add adds a message: a measurement, or the begin of an instrument, or its end, which sets
// Ended of its series. It ignores other kinds.
func (l *Latest) Add(m *Message) {
	l.instruments.Add(m)
	switch m.Kind {
	case Measurement:
		if s := l.at(m.Value.Key()); s != nil {
			s.add(&m.Value, m.Time)
		}
	case InstrumentEnd:
		for _, s := range l.ordered {
			if s.Last.Source == Meters && s.Last.Instrument == m.Instrument {
				s.Ended = true
			}
		}
	}
}

// at returns the series of a key, nil for one too many.
func (l *Latest) at(k Key) *Series {
	s := l.series[k]
	if s != nil {
		return s
	}
	maxSeries := l.MaxSeries
	if maxSeries == 0 {
		maxSeries = DefaultMaxSeries
	}
	if len(l.series) >= maxSeries {
		l.dropped++
		return nil
	}
	if l.series == nil {
		l.series = map[Key]*Series{}
	}
	s = &Series{}
	l.series[k] = s
	l.ordered, l.sorted = append(l.ordered, s), false
	return s
}

func (s *Series) add(v *Value, t time.Time) {
	quantiles := append(s.Last.Quantiles[:0], v.Quantiles...)
	s.Last, s.Time, s.Ended = *v, t, false
	s.Last.Quantiles = quantiles
	s.Values++
	if v.Value.Valid {
		s.Value = v.Value
	}
	s.Total += v.Delta.Float64
	s.Count += v.Count.Float64
	s.Sum += v.Sum.Float64
	low, high := v.Shown(), v.Shown()
	if v.Type == Histogram {
		s.addQuantiles(v.Quantiles)
		low, high = v.Min, v.Max
	}
	if low.Valid && (!s.Min.Valid || low.Float64 < s.Min.Float64) {
		s.Min = low
	}
	if high.Valid && (!s.Max.Valid || high.Float64 > s.Max.Float64) {
		s.Max = high
	}
}

// maxQuantiles is the number of quantiles that a series keeps: .NET reports three.
const maxQuantiles = 8

// addQuantiles keeps the highest of each quantile.
func (s *Series) addQuantiles(list []Quantile) {
	for i, q := range list[:min(len(list), maxQuantiles)] {
		switch {
		case i >= len(s.Quantiles):
			s.Quantiles = append(s.Quantiles, q)
		case s.Quantiles[i].Quantile == q.Quantile:
			s.Quantiles[i].Value = max(s.Quantiles[i].Value, q.Value)
		}
	}
}

// Silent returns the instruments that are measured and of which no value has come; see
// Instruments.Silent.
func (l *Latest) Silent() []*Instrument { return l.instruments.Silent() }

// Dropped returns the number of values that Add ignored because of MaxSeries.
func (l *Latest) Dropped() int64 { return l.dropped }

// Series returns all time series, ordered by provider, source, name, instrument
// and tags. They are valid until the next call of Add.
func (l *Latest) Series() []*Series {
	if !l.sorted {
		slices.SortStableFunc(l.ordered, func(a, b *Series) int {
			x, y := a.Last.Key(), b.Last.Key()
			return cmp.Or(cmp.Compare(x.Provider, y.Provider), cmp.Compare(x.Source, y.Source), cmp.Compare(x.Name, y.Name),
				cmp.Compare(x.ID, y.ID), cmp.Compare(x.Tags, y.Tags))
		})
		l.sorted = true
	}
	return l.ordered
}
