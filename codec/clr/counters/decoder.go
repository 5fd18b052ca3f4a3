package counters

import (
	"time"

	"github.com/nettrace-go/nettrace/codec"
)

// MetersProvider is the provider that reports Meters.
const MetersProvider = "System.Diagnostics.Metrics"

const eventCountersName = "EventCounters"

// maxInstruments is the number of instruments that a Decoder stores. Others are
// only in their messages.
const maxInstruments = 1 << 16

// Decoder decodes the events of one process. The zero value is ready to use. It
// keeps the instruments and the interval that Meters reported.
type Decoder struct {
	sessions map[string]*listening
	held     int // instruments of all sessions
}

// listening is the state of a session.
type listening struct {
	interval    time.Duration
	instruments map[int32]*Instrument
	named       map[[3]string]*Instrument // before .NET 9 they have no ids: meter, its version, name
}

// Decode decodes an event. The message of an event that is not about counters
// has the kind None. The error is an *Error; the message then has the fields
// that could be decoded, and can be None.
//
// Decode finds values by the names of the event's fields.
func (d *Decoder) Decode(e *codec.Event) (Message, error) {
	m := e.Metadata()
	switch {
	case m == nil:
		return Message{}, nil
	case m.Provider == MetersProvider:
		if int(m.EventID) < len(readers) && readers[m.EventID] != nil {
			f := fields{e: e, name: eventNames[m.EventID]}
			msg := Message{Time: e.Time(), SessionID: f.text("sessionId")}
			readers[m.EventID](d, &f, &msg)
			return msg, f.err()
		}
	case m.Name == eventCountersName:
		return eventCounter(e)
	}
	return Message{}, nil
}

// fields reads the fields of an event by name and stores the first malformed one.
type fields struct {
	e    *codec.Event
	name string // of the event
	bad  *Error
}

func (f *fields) text(field string) string { return f.value(field).Text() }

// value is a field, not Valid when the event has none of that name.
func (f *fields) value(field string) codec.Value {
	v, _ := f.e.Field(field)
	return v
}

func (f *fields) fail(field, text string) {
	if f.bad == nil {
		f.bad = &Error{f.e.Offset(), f.name, field, text}
	}
}

func (f *fields) err() error {
	if f.bad == nil {
		return nil // not a nil *Error in an interface
	}
	return f.bad
}

// number reads a number in the form of text.
func (f *fields) number(field string) Number {
	return parsed(f, field, parseNumber)
}

// parsed reads text with the function parse.
func parsed[T any](f *fields, field string, parse func(string) (T, bool)) T {
	text := f.text(field)
	v, ok := parse(text)
	if !ok {
		f.fail(field, text)
	}
	return v
}

// binary reads a number that is not text.
func (f *fields) binary(field string) Number {
	v, ok := f.e.Field(field)
	return Number{v.Float64(), ok}
}
