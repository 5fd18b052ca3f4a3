package counters

import (
	"fmt"
	"time"
)

// Kind says what an event tells.
type Kind uint8

const (
	None                Kind = iota // nothing about counters
	Measurement                     // Value
	IntervalStart                   // of Meters: From, To
	IntervalStop                    // of Meters: all values of the interval have come
	InstrumentBegin                 // Instrument is measured from now on
	InstrumentEnd                   // Instrument is measured no more
	InstrumentPublished             // Instrument exists
	EnumerationComplete             // every instrument there is has been told
	TimeSeriesLimit                 // more time series than were asked for: some are left out
	HistogramLimit                  // more histograms than were asked for: some are left out
	CallbackError                   // an observable instrument threw: Text
	SessionError                    // the session failed: Text
	Log                             // Text
	SessionRefused                  // another session runs: SessionID
	SharedRefused                   // the shared session runs with other settings: Mismatch
	SourceVersion                   // Text is the version of the provider
)

// Message is what one event says.
type Message struct {
	Kind       Kind
	Time       time.Time // of the event; see codec.Event.Time
	SessionID  string    // of Meters: the session that listens, "" for none
	Value      Value
	Instrument *Instrument
	Text       string
	From, To   time.Time
	Mismatch   *Mismatch
}

// Mismatch is what a shared session runs with, and what a client asked for
// that was turned away. The numbers are text as the process wrote them, in the
// manner of its country.
type Mismatch struct {
	ClientID                                string
	ExpectedMaxHistograms, MaxHistograms    string
	ExpectedMaxTimeSeries, MaxTimeSeries    string
	ExpectedRefreshInterval, RefreshSeconds string // in seconds
}

// Error tells of an event whose field does not say what it should.
type Error struct {
	Offset int64  // of the event in the stream
	Event  string // its name
	Field  string
	Text   string // what the field says
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s at offset %d: %s: %.60q is not what it should be", e.Event, e.Offset, e.Field, e.Text)
}
