package counters

import (
	"cmp"
	"slices"
	"time"
)

// DefaultMaxSeries is how many time series a Latest keeps unless told otherwise.
const DefaultMaxSeries = 100_000

// Latest keeps the last value of each time series and what its values add up
// to. Its zero value is empty and ready. It is not safe for concurrent use.
type Latest struct {
	MaxSeries int // 0 is DefaultMaxSeries

	series  map[Key]*Series
	ordered []*Series
	sorted  bool
	dropped int64
}

// Series is what is known of one time series.
type Series struct {
	Last   Value     // the newest; a number that it lacks was not measured
	Time   time.Time // of Last
	Values int64     // that were added
	Ended  bool      // its instrument is measured no more

	Value Number  // the newest there was
	Total float64 // of all Deltas
	Count float64 // of all measurements: Histogram, Mean
	Sum   float64 // of all Sums: Histogram
	// Min and Most are those of what Shown gives.
	Min, Max Number
}

// Shown is the number that a value is looked at for: a Rate for Increment and
// Counter, the Value for others. A Histogram has none.
func (v *Value) Shown() Number {
	switch v.Type {
	case Increment, Counter:
		return v.Rate()
	case Histogram:
		return Number{}
	}
	return v.Value
}

// Add takes in a message: a measurement, or the end of an instrument, whose
// series then have Ended. Others say nothing here.
func (l *Latest) Add(m *Message) {
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
	most := l.MaxSeries
	if most == 0 {
		most = DefaultMaxSeries
	}
	if len(l.series) >= most {
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
	s.Last, s.Time, s.Ended = *v, t, false
	s.Values++
	if v.Value.Valid {
		s.Value = v.Value
	}
	s.Total += v.Delta.Float64
	s.Count += v.Count.Float64
	s.Sum += v.Sum.Float64
	shown := v.Shown()
	if !shown.Valid {
		return
	}
	if !s.Min.Valid || shown.Float64 < s.Min.Float64 {
		s.Min = shown
	}
	if !s.Max.Valid || shown.Float64 > s.Max.Float64 {
		s.Max = shown
	}
}

// Dropped is how many values were not taken in for want of room.
func (l *Latest) Dropped() int64 { return l.dropped }

// Series returns all time series by provider, source, name, instrument and
// tags. They are the caller's to read until the next call of Add.
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
