package counters

import "time"

// Source is one of the two kinds of counters.
type Source uint8

// The kinds of counters.
const (
	EventCounters Source = iota // written by an EventSource
	Meters                      // reported by System.Diagnostics.Metrics
)

// Type defines the meaning of a value's numbers.
type Type uint8

// The types of counters, with the numbers that their values have.
const (
	Mean          Type = iota // EventCounter, PollingCounter: Value is the mean over the interval
	Increment                 // IncrementingEventCounter, IncrementingPollingCounter: Delta
	Counter                   // Counter, ObservableCounter: Delta, and Value is the sum since the start
	UpDownCounter             // like Counter, but can decrease
	Gauge                     // Gauge, ObservableGauge: Value is the last measured one
	Histogram                 // Quantiles or Buckets, Count and Sum of the interval
)

var typeNames = [...]string{"Mean", "Increment", "Counter", "UpDownCounter", "Gauge", "Histogram"}

// String returns the name of the type in .NET.
func (t Type) String() string { return typeNames[t] }

// String returns the name of the kind.
func (s Source) String() string { return [...]string{"EventCounters", "Meter"}[s] }

// Number is a number that may be missing. The zero value is missing.
type Number struct {
	// Float64 is the number, 0 if it is not Valid.
	Float64 float64
	// Valid reports whether the event has the number.
	Valid bool
}

// Quantile is one quantile of the measurements of an interval.
type Quantile struct {
	Quantile float64 // from 0 to 1, such as 0.95
	Value    float64 // that share of the measurements is not above it
}

// Tag is a tag of a time series.
type Tag struct {
	Key   string // name of the tag
	Value string // its value for the time series
}

// Value is the measurement of one time series over one interval.
type Value struct {
	// Source is the kind of counter.
	Source Source
	// Type defines which numbers are set.
	Type     Type
	Provider string // name of the EventSource or the Meter
	Version  string // of the Meter
	Name     string // of the counter or the instrument
	Display  string // name for users, "" for none
	Unit     string // "" for none: "MB", "By", "{request}"
	Tags     string // tags of the time series as in the event; see ParseTags

	// Interval is the measured duration of the interval, 0 if unknown. Asked is
	// the interval in force, which a client requested.
	Interval, Asked time.Duration

	Value     Number // Mean, Gauge; Counter and UpDownCounter from .NET 8 on
	Delta     Number // change in the interval: Increment, Counter, UpDownCounter
	Count     Number // measurements in the interval: Mean; Histogram from .NET 8 on
	Sum       Number // Histogram from .NET 8 on
	Min, Max  Number // Mean; Histogram with Buckets
	Deviation Number // standard deviation: Mean

	// RateScale is the time unit in which the program wants a Delta to be
	// shown; 0 for none.
	RateScale time.Duration

	// Quantiles are set for a Histogram without Buckets. They are valid until the Decoder's next
	// call, those of Series.Last until the next Add.
	Quantiles []Quantile
	Buckets   *Buckets // of a base-2 exponential histogram, otherwise nil

	Instrument *Instrument // of a Meter; nil if the stream does not have its InstrumentBegin
	ID         int32       // of the instrument in its session, 0 for none
}

// Buckets are those of a base-2 exponential histogram, for positive values.
type Buckets struct {
	// Scale defines the bounds of the buckets: they are powers of 2^(2^-Scale).
	Scale int32
	// ZeroCount is the number of values that are zero.
	ZeroCount int64
	// Counts are the numbers of values by bucket.
	Counts []int64
}

// Instrument describes an instrument of a Meter. It is immutable. Fields that
// the process does not report are empty.
type Instrument struct {
	ID                          int32  // in its session, 0 for none
	Meter, MeterVersion         string // name and version of the Meter
	Name, Type                  string // Type is the class: "ObservableCounter`1"
	Unit, Description           string // of the values, and a text for users
	Tags, MeterTags, MeterScope string // as text; see ParseTags
	SchemaURL                   string // telemetry schema of the Meter (OpenTelemetry)
}

// Key identifies a time series within a process. It is comparable.
type Key struct {
	// Source is the kind of counter.
	Source         Source
	Provider, Name string // names of the EventSource or Meter, and of the counter
	Tags           string // as in Value
	ID             int32  // of the instrument, as in Value
}

// Key returns the key of the value's time series.
func (v *Value) Key() Key { return Key{v.Source, v.Provider, v.Name, v.Tags, v.ID} }

// Rate returns the change in a second, for values with a Delta whose interval
// is known.
func (v *Value) Rate() Number {
	if !v.Delta.Valid || v.Interval <= 0 {
		return Number{}
	}
	return Number{v.Delta.Float64 / v.Interval.Seconds(), true}
}
