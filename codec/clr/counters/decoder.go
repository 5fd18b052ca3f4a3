package counters

import (
	"iter"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
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

	kinds     map[*codec.Metadata]*eventKind
	recent    [2]*eventKind // of the last events, which mostly are of two kinds
	repeated  int           // series of all kinds
	text      []byte        // of the member that is read
	quantiles []Quantile    // of the last value
	message   Message       // the last one of no known series
}

// listening is the state of a session.
type listening struct {
	interval    time.Duration
	instruments map[int32]*Instrument
	named       map[[3]string]*Instrument // before .NET 9 they have no ids: meter, its version, name
}

// Decode decodes an event. The message of an event that is not about counters
// has the kind None. The error is an *Error; the message then has the fields
// that could be decoded, and can be None. The quantiles of the message are valid until the
// next call.
//
// Decode finds values by the names of the event's fields. It recognizes the time series of
// the process, and then allocates nothing but the counts of Buckets.
func (d *Decoder) Decode(e *codec.Event) (Message, error) {
	m, err := d.Borrow(e)
	return *m, err
}

// Borrow is Decode without a copy: the message is valid until the next call.
func (d *Decoder) Borrow(e *codec.Event) (*Message, error) {
	m := e.Metadata()
	if m == nil {
		return &none, nil
	}
	read, name := readEventCounter, eventCountersName
	if m.Provider == MetersProvider {
		if int(m.EventID) >= len(readers) || readers[m.EventID] == nil {
			return &none, nil
		}
		read, name = readers[m.EventID], eventNames[m.EventID]
	} else if m.Name != eventCountersName {
		return &none, nil
	}
	msg, err := d.kindOf(m).read(e.Payload(), d), error(nil)
	if msg == nil {
		f := fields{e: e, name: name}
		msg = &d.message
		*msg = Message{}
		if m.Provider == MetersProvider {
			msg.SessionID = f.text("sessionId")
		}
		read(d, &f, msg)
		if f.bad != nil {
			err = f.bad
		} else if f.learned != nil && !f.learned.bad {
			d.keep(m, &repeated{f.learned.parts, *msg})
		}
	}
	if msg.Kind != None {
		msg.Time = e.Time()
	}
	if msg.Kind == Measurement {
		d.complete(msg)
	}
	return msg, err
}

// none is the message of an event that is not about counters. Nothing changes it.
var none Message

// measure reads the members of a measurement.
func (d *Decoder) measure(f *fields, m *Message, all iter.Seq2[string, codec.Value], known map[string]member) {
	f.learned = learn(f.e.Payload())
	for name, x := range all {
		one := known[name]
		one.read(d, f, m, name, x)
		f.learned.add(x, one)
	}
}

// complete sets what a measurement's event does not have.
func (d *Decoder) complete(m *Message) {
	v := &m.Value
	if v.Source == EventCounters {
		if v.Interval == 0 {
			v.Interval = v.Asked
		}
	} else if l := d.sessions[m.SessionID]; l != nil {
		v.Interval, v.Asked, v.Instrument = l.interval, l.interval, l.find(v)
		m.Instrument = v.Instrument
	}
}

// fields reads the fields of an event by name and stores the first malformed one.
type fields struct {
	e           *codec.Event
	name        string // of the event
	bad         *Error
	counterType string
	learned     *learner // of a measurement
}

// all are the fields of the event. Those of a single object without a name are its own.
func (f *fields) all() iter.Seq2[string, codec.Value] {
	for name, v := range f.e.Fields() {
		if name == "" && v.Code() == wire.Object {
			return v.Fields()
		}
		break
	}
	return f.e.Fields()
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
