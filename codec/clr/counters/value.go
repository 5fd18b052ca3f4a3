package counters

import "time"

// Source says which of the two kinds of counters a value is of.
type Source uint8

const (
	EventCounters Source = iota // written by an EventSource
	Meters                      // reported by System.Diagnostics.Metrics
)

// Type says what the numbers of a value mean.
type Type uint8

const (
	Mean          Type = iota // EventCounter, PollingCounter: Value is the mean of the interval
	Increment                 // IncrementingEventCounter, IncrementingPollingCounter: Delta
	Counter                   // Counter, ObservableCounter: Delta, and Value since it began
	UpDownCounter             // as Counter, and may fall
	Gauge                     // Gauge, ObservableGauge: Value is the last one
	Histogram                 // Quantiles or Buckets, Count, Sum of the interval
)

var typeNames = [...]string{"Mean", "Increment", "Counter", "UpDownCounter", "Gauge", "Histogram"}

// String is the type's name as .NET has it.
func (t Type) String() string { return typeNames[t] }

func (s Source) String() string { return [...]string{"EventCounters", "Meter"}[s] }

// Number is a number that may be missing.
type Number struct {
	Float64 float64
	Valid   bool
}

// Quantile is the value that a part of all measurements of an interval, 0.95
// say, is not above.
type Quantile struct{ Quantile, Value float64 }

// Tag is a name and what it is for one time series.
type Tag struct{ Key, Value string }

// Value is what was measured of one time series in one interval.
type Value struct {
	Source   Source
	Type     Type
	Provider string // name of the EventSource or the Meter
	Version  string // of the Meter
	Name     string // of the counter or the instrument
	Display  string // name to show, "" for none
	Unit     string // "" for none: "MB", "By", "{request}"
	Tags     string // of the time series as they stand in the event; see ParseTags

	// Interval is the time that the numbers are of, as the process measured
	// it, and 0 when the trace does not tell it. Asked is the interval that
	// is in force: what somebody asked for.
	Interval, Asked time.Duration

	Value     Number // Mean, Gauge; Counter and UpDownCounter from .NET 8 on
	Delta     Number // change in the interval: Increment, Counter, UpDownCounter
	Count     Number // measurements in the interval: Mean; Histogram from .NET 8 on
	Sum       Number // Histogram from .NET 8 on
	Min, Max  Number // Mean; Histogram with Buckets
	Deviation Number // standard deviation: Mean

	// RateScale is the time that a Delta is to be shown per, as the program
	// that has the counter wants it; 0 for none.
	RateScale time.Duration

	Quantiles []Quantile
	Buckets   *Buckets // of a base-2 exponential histogram, else nil

	Instrument *Instrument // of a Meter; nil when its begin is not in the stream
	ID         int32       // of the instrument in its session, 0 for none
}

// Buckets are those of a base-2 exponential histogram, for positive values.
type Buckets struct {
	Scale     int32
	ZeroCount int64
	Counts    []int64
}

// Instrument is what a Meter's instrument says of itself. It is immutable.
type Instrument struct {
	ID                          int32 // in its session, 0 for none
	Meter, MeterVersion         string
	Name, Type                  string // Type is the class: "ObservableCounter`1"
	Unit, Description           string
	Tags, MeterTags, MeterScope string
	SchemaURL                   string
}

// Key identifies a time series within a process.
type Key struct {
	Source         Source
	Provider, Name string
	Tags           string
	ID             int32
}

// Key returns the time series that the value is of.
func (v *Value) Key() Key { return Key{v.Source, v.Provider, v.Name, v.Tags, v.ID} }

// Rate is the change in a second, for values with a Delta whose interval is
// known.
func (v *Value) Rate() Number {
	if !v.Delta.Valid || v.Interval <= 0 {
		return Number{}
	}
	return Number{v.Delta.Float64 / v.Interval.Seconds(), true}
}
