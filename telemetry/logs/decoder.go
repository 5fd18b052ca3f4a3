package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/telemetry"
)

// Stats counts what is not whole in the records of a Decoder.
type Stats struct {
	Malformed     int64 // events whose payload is cut, and arguments or exceptions that are no JSON: the rest is missing
	NoMessage     int64 // records whose event has no field for the message, with Options.Bodies
	ScopesUnknown int64 // records with ScopesUnknown
}

// Decoder makes records of the events of one process.
type Decoder struct {
	options Options
	stats   Stats
	held    map[uint64]*message // by thread: FormattedMessage, until its MessageJson comes
	scopes  scopes
	text    []byte
}

// NewDecoder returns a decoder for the events of a session of Providers(o, ...).
func NewDecoder(o Options) *Decoder {
	return &Decoder{options: o, held: map[uint64]*message{}, scopes: scopes{open: map[wire.GUID]*activity{}, byID: map[int64]wire.GUID{}}}
}

// Stats returns the counts so far.
func (d *Decoder) Stats() Stats { return d.stats }

// message is a record with what shows that two events are one message.
type message struct {
	Record
	factory int64
	hasBody bool // the event has the field
}

// maxHeld bounds the messages that wait.
const maxHeld = 4096

// Decode calls yield with the records that an event completes: none as a rule. The records belong to
// the caller. Events must come in the order of time. Those of other
// providers are looked at for activities, with Options.Scopes.
func (d *Decoder) Decode(ev *codec.Event, yield func(*Record)) {
	m := ev.Metadata()
	if m == nil {
		return
	}
	isLogging := m.Provider == clr.LoggingProvider
	if d.options.Scopes {
		d.scopes.event(ev, isLogging)
	}
	if !isLogging {
		return
	}
	switch clr.KindOf(m) {
	case clr.KindLoggingActivityJsonStart:
		if d.options.Scopes {
			d.beginScope(ev)
		}
	case clr.KindLoggingActivityJsonStop:
		if d.options.Scopes {
			d.endScope(ev)
		}
	case clr.KindLoggingFormattedMessage:
		if before := d.held[ev.ThreadIndex]; before != nil {
			d.emit(before, yield)
		}
		d.held[ev.ThreadIndex] = d.read(ev)
		if len(d.held) > maxHeld {
			d.Flush(yield)
		}
	case clr.KindLoggingMessageJson:
		one := d.read(ev)
		if before := d.held[ev.ThreadIndex]; before != nil {
			delete(d.held, ev.ThreadIndex)
			if one.completes(before) {
				if !one.hasBody {
					one.Body, one.hasBody = before.Body, true
				}
			} else {
				d.emit(before, yield)
			}
		}
		d.emit(one, yield)
	}
}

// Flush calls yield with the records that still wait for another event, at the end of the events. A trace
// that was recorded with the keyword 4 alone has one for each thread.
func (d *Decoder) Flush(yield func(*Record)) {
	for thread, one := range d.held {
		delete(d.held, thread)
		d.emit(one, yield)
	}
}

// completes reports whether MessageJson is the message of a FormattedMessage before it.
func (m *message) completes(before *message) bool {
	return m.factory == before.factory && m.Level == before.Level && m.Category == before.Category && m.EventID == before.EventID &&
		m.EventName == before.EventName && (!m.hasBody || m.Body == before.Body)
}

// emit hands out a record.
func (d *Decoder) emit(m *message, yield func(*Record)) {
	if d.options.Bodies && !m.hasBody {
		d.stats.NoMessage++
	}
	if m.ScopesUnknown {
		d.stats.ScopesUnknown++
	}
	yield(&m.Record)
}

// read reads the fields of an event, whichever its version has.
func (d *Decoder) read(ev *codec.Event) *message {
	m := &message{Record: Record{Time: ev.Time()}}
	if d.options.Scopes {
		m.Scopes, m.ScopesUnknown = d.scopes.of(ev.Activity())
	}
	m.Thread, _ = ev.ThreadID()
	for name, v := range ev.Fields() {
		switch name {
		case "Level":
			m.setLevel(v.Int64())
		case "FactoryID":
			m.factory = v.Int64()
		case "LoggerName":
			m.Category = d.textOf(v)
		case "EventId":
			if m.EventID = v.Int64(); v.IsText() { // before 3.0
				m.EventID, _ = strconv.ParseInt(v.Text(), 10, 64)
			}
		case "EventName":
			m.EventName = d.textOf(v)
		case "FormattedMessage":
			if m.hasBody = true; d.options.Bodies {
				m.Body = d.textOf(v)
			}
		case "ArgumentsJson":
			if d.options.Bodies {
				m.arguments(d, v)
			}
		case "ExceptionJson":
			m.exception(d, v)
		case "ActivityTraceId":
			m.TraceID = telemetry.ParseTraceID(d.textOf(v))
		case "ActivitySpanId":
			m.SpanID = telemetry.ParseSpanID(d.textOf(v))
		case "ActivityTraceFlags":
			flags, _ := strconv.ParseUint(d.textOf(v), 10, 8)
			m.Sampled = flags&1 != 0
		}
	}
	if ev.FieldsError() != nil {
		d.stats.Malformed++
	}
	return m
}

// textOf returns a text.
func (d *Decoder) textOf(v codec.Value) string {
	d.text = v.AppendText(d.text[:0])
	return string(d.text)
}

// template is the name of the argument that is the message without its arguments.
const template = "{OriginalFormat}"

// arguments reads ArgumentsJson.
func (m *message) arguments(d *Decoder, v codec.Value) {
	m.Attributes = d.object(v)
	if n := len(m.Attributes) - 1; n >= 0 && m.Attributes[n].Key == template {
		m.Template, _ = m.Attributes[n].Value.(string)
		m.Attributes = m.Attributes[:n]
	}
}

// exception reads ExceptionJson.
func (m *message) exception(d *Decoder, v codec.Value) {
	list := d.object(v)
	if len(list) == 0 {
		return
	}
	m.Exception = &Exception{Type: telemetry.Text(list, "TypeName")}
	m.Exception.HResult, _ = strconv.ParseInt(telemetry.Text(list, "HResult"), 10, 64)
	if d.options.Exceptions {
		m.Exception.Message, m.Exception.Text = telemetry.Text(list, "Message"), telemetry.Text(list, "VerboseMessage")
	}
}

// object reads an object of JSON whose values are texts or null. Of a malformed one it returns what is before.
func (d *Decoder) object(v codec.Value) []telemetry.Attribute {
	d.text = v.AppendText(d.text[:0])
	if len(d.text) == 0 {
		return nil
	}
	list, err := readObject(d.text)
	if err != nil {
		d.stats.Malformed++
	}
	return list
}

// errNotAnObject: a text is JSON, but no object of texts.
var errNotAnObject = errors.New("no object of texts")

// readObject reads an object whose values are texts or null.
func readObject(text []byte) (list []telemetry.Attribute, err error) {
	tokens := json.NewDecoder(bytes.NewReader(text))
	if begin, err := tokens.Token(); err != nil || begin != json.Delim('{') {
		return nil, errors.Join(errNotAnObject, err)
	}
	for tokens.More() {
		key, err := tokens.Token()
		if err != nil {
			return list, err
		}
		value, err := tokens.Token()
		if err != nil {
			return list, err
		}
		name, _ := key.(string)
		switch value := value.(type) {
		case nil:
		case string:
			list = append(list, telemetry.Attribute{Key: name, Value: value})
		default:
			return list, errNotAnObject
		}
	}
	_, err = tokens.Token()
	return list, err
}
