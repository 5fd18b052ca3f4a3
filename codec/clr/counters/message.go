package counters

import (
	"fmt"
	"time"
)

// Kind is the kind of a Message.
type Kind uint8

// The kinds of messages, with the fields of Message that they set.
const (
	None                Kind = iota // not about counters
	Measurement                     // Value
	IntervalStart                   // Meters: From, To
	IntervalStop                    // Meters: all values of the interval have been reported
	InstrumentBegin                 // Instrument is measured from now on
	InstrumentEnd                   // Instrument is no longer measured
	InstrumentPublished             // Instrument exists
	EnumerationComplete             // all existing instruments have been reported
	TimeSeriesLimit                 // there are more time series than requested: some are not reported
	HistogramLimit                  // there are more histograms than requested: some are not reported
	CallbackError                   // the callback of an observable instrument threw an exception: Text
	SessionError                    // the session failed: Text
	Log                             // a message of the provider: Text
	SessionRefused                  // another session is running: SessionID
	SharedRefused                   // the shared session is running with other settings: Mismatch
	SourceVersion                   // Text is the version of the provider
)

// Message is the content of one event. Kind defines which of its other fields
// are set.
type Message struct {
	// Kind is the kind of message.
	Kind      Kind
	Time      time.Time // of the event; see codec.Event.Time
	SessionID string    // Meters: the session that the message is for, "" for none
	// Value is the measurement of one time series, for Measurement.
	Value Value
	// Instrument is set for InstrumentBegin, InstrumentEnd and
	// InstrumentPublished.
	Instrument *Instrument
	// Text is set for errors, Log and SourceVersion.
	Text     string
	From, To time.Time // the interval, for IntervalStart and IntervalStop
	// Mismatch is set for SharedRefused.
	Mismatch *Mismatch
}

// Mismatch has the settings of a shared session and those of a client that was
// refused. The numbers are text as the process wrote them, in its culture's
// format.
type Mismatch struct {
	ClientID                                string // of the refused client
	ExpectedMaxHistograms, MaxHistograms    string // requested by the client, and in force
	ExpectedMaxTimeSeries, MaxTimeSeries    string // requested by the client, and in force
	ExpectedRefreshInterval, RefreshSeconds string // in seconds
}

// Error reports an event with a malformed field.
type Error struct {
	Offset int64  // file offset of the event
	Event  string // name of the event
	// Field is the name of the field.
	Field string
	Text  string // value of the field
}

// Error names the event, the field and its value.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at offset %d: %s: malformed value %.60q", e.Event, e.Offset, e.Field, e.Text)
}
