package logs_test

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/telemetry"
	"github.com/nettrace-go/nettrace/telemetry/logs"
)

// written is an event of the log provider: the names of its fields and their values, texts or numbers.
type written struct {
	name              string
	thread            uint64
	activity, related byte // the first bytes of the ids
	fields            []any
}

// opcodes are those of the events that begin and end something.
var opcodes = map[string]uint8{"ActivityJsonStart": 1, "ActivityJsonStop": 2, "OtherStart": 1}

// decode returns the records of made events.
func decode(t *testing.T, o logs.Options, events ...written) ([]*logs.Record, logs.Stats) {
	t.Helper()
	trace := tracetest.New(wire.V5)
	for i, e := range events {
		row := &codec.Metadata{Provider: clr.LoggingProvider, EventID: uint32(20 + i), Name: e.name, Opcode: opcodes[e.name], OpcodeSet: true}
		var payload []byte
		for n := 0; n < len(e.fields); n += 2 {
			f := codec.Field{Name: e.fields[n].(string), Type: codec.Type{Code: wire.NullTerminatedUTF16String}}
			switch v := e.fields[n+1].(type) {
			case nil: // a null of an old version
			case string:
				payload = wire.AppendUTF16Z(payload, v)
			default:
				f.Type.Code = wire.Int32
				payload = append(payload, tracetest.Pack(int32(v.(int)))...)
			}
			row.Fields = append(row.Fields, f)
		}
		trace.Now++
		trace.Event(&codec.EventRow{
			MetadataID: trace.Metadata(row), CaptureThreadIndex: e.thread, ThreadIndex: e.thread, Timestamp: trace.Now, Processor: wire.UnknownProcessor,
			Payload: payload, Activity: guid(e.activity), Related: guid(e.related),
		})
	}
	var list []*logs.Record
	d := logs.NewDecoder(o)
	keep := func(r *logs.Record) { list = append(list, r) }
	for ev, err := range codec.NewBytesReader(trace.Bytes(), codec.Options{}).Events() {
		expect.NoError(t, err)
		d.Decode(ev, keep)
	}
	d.Flush(keep)
	return list, d.Stats()
}

func guid(first byte) wire.GUID { return wire.GUID{first} }

// all asks for everything.
var all = logs.Options{Bodies: true, Exceptions: true, Scopes: true}

const (
	failure = `{"TypeName":"System.IO.IOException","Message":"disk \"C\"","HResult":"-2146232800","VerboseMessage":"System.IO.IOException: disk\n   at A.B()"}`
	args    = `{"Name":"Ada","Gone":null,"{OriginalFormat}":"Hello {Name}"}`
)

// TestWhole: a record of the version of today has each field.
func TestWhole(t *testing.T) {
	list, stats := decode(t, all, written{"MessageJson", 7, 0, 0, []any{
		"Level", 4, "FactoryID", 1, "LoggerName", "Shop", "EventId", 5, "EventName", "Greeted", "ExceptionJson", failure, "ArgumentsJson", args,
		"FormattedMessage", "Hello Ada", "ActivityTraceId", "4bf92f3577b34da6a3ce929d0e0e4736", "ActivitySpanId", "00f067aa0ba902b7", "ActivityTraceFlags", "3",
	}})
	expect.Len(t, "records", list, 1)
	expect.Stop(t)
	expect.Equal(t, "statistics", stats, logs.Stats{})
	r := list[0]
	expect.Equal(t, "exception", *r.Exception, logs.Exception{
		Type: "System.IO.IOException", HResult: -2146232800, Message: `disk "C"`, Text: "System.IO.IOException: disk\n   at A.B()",
	})
	got := fmt.Sprint(r.Severity, uint8(r.Severity), r.Level, r.Category, r.EventID, r.EventName, r.Thread, r.TraceID, r.SpanID, r.Sampled, r.Body, r.Template, r.Attributes)
	expect.Equal(t, "record", got,
		"Error 17ErrorShop5Greeted7 4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7 trueHello AdaHello {Name}[{Name Ada}]")
}

// TestPrivate: without a request for them there are no messages, no arguments and no texts of exceptions.
func TestPrivate(t *testing.T) {
	scope := written{"ActivityJsonStart", 7, 1, 0, []any{"ID", 1, "FactoryID", 1, "LoggerName", "Shop", "ArgumentsJson", `{"User":"Ada"}`}}
	list, _ := decode(t, logs.Options{}, scope, written{"MessageJson", 7, 1, 0, []any{
		"Level", 4, "FactoryID", 1, "LoggerName", "Shop", "EventId", 5, "EventName", "Greeted", "ExceptionJson", failure, "ArgumentsJson", args, "FormattedMessage", "Hello Ada",
	}})
	expect.Len(t, "records", list, 1)
	expect.Stop(t)
	expect.Equal(t, "exception", *list[0].Exception, logs.Exception{Type: "System.IO.IOException", HResult: -2146232800})
	expect.Equal(t, "texts", fmt.Sprint(list[0].Body, list[0].Template, list[0].Attributes, list[0].Scopes), "[] []")
}

// TestOld: before 5.0 a name that is null has no bytes, and the message is in an event of its own.
func TestOld(t *testing.T) {
	formatted := func(thread uint64, text string) written {
		return written{"FormattedMessage", thread, 0, 0, []any{"Level", 2, "FactoryID", 1, "LoggerName", "Shop", "EventId", 5, "EventName", nil, "FormattedMessage", text}}
	}
	whole := func(thread uint64) written {
		return written{"MessageJson", thread, 0, 0, []any{
			"Level", 2, "FactoryID", 1, "LoggerName", "Shop", "EventId", 5, "EventName", nil, "ExceptionJson", "{}", "ArgumentsJson", args,
		}}
	}
	list, stats := decode(t, all, formatted(7, "one"), formatted(8, "two"), whole(8), whole(7), formatted(9, "lost"), formatted(9, "three"), whole(9))
	var bodies []string
	for _, r := range list {
		bodies = append(bodies, fmt.Sprint(r.Thread, " ", r.Body, " ", r.EventName, r.Attributes, r.Exception == nil))
	}
	expect.Slices(t, "bodies", bodies, []string{"8 two [{Name Ada}] true", "7 one [{Name Ada}] true", "9 lost [] true", "9 three [{Name Ada}] true"})
	expect.Equal(t, "statistics", stats, logs.Stats{})
	_, stats = decode(t, all, whole(7))
	expect.Equal(t, "statistics without messages", stats, logs.Stats{NoMessage: 1})
}

// TestScopes: a record is in the scopes above its activity, through activities that are no scopes.
// Where an id is of several activities that are open, the scopes are not known.
func TestScopes(t *testing.T) {
	scope := func(id int, activity, related byte, arguments string) written {
		return written{"ActivityJsonStart", 7, activity, related, []any{"ID", id, "FactoryID", 1, "LoggerName", "Shop", "ArgumentsJson", arguments}}
	}
	end := func(id int, current byte) written { // not the scope's own activity where an outer one has ended before
		return written{"ActivityJsonStop", 7, current, 0, []any{"ID", id, "FactoryID", 1, "LoggerName", "Shop"}}
	}
	message := func(activity byte) written {
		return written{"MessageJson", 7, activity, 0, []any{"Level", 2, "LoggerName", "Shop", "FormattedMessage", "hello"}}
	}
	other := written{"OtherStart", 7, 2, 1, nil}
	list, stats := decode(t, all, message(0), scope(1, 1, 0, `{"Request":"1"}`), other, scope(2, 3, 2, `{"Order":"9"}`), message(3), message(1),
		scope(3, 3, 2, `{"Order":"10"}`), message(3), end(2, 1), message(3), end(3, 0), message(2), end(1, 0), message(1))
	var got []string
	for _, r := range list {
		got = append(got, fmt.Sprint(r.Scopes, r.ScopesUnknown))
	}
	expect.Slices(t, "scopes", got, []string{
		"[] false", "[[{Request 1}] [{Order 9}]] false", "[[{Request 1}]] false", "[] true", "[] true", "[[{Request 1}]] false", "[] false",
	})
	expect.Equal(t, "statistics", stats, logs.Stats{ScopesUnknown: 2})
}

// TestMalformed: what is no JSON is counted, and the rest of the record is right.
func TestMalformed(t *testing.T) {
	for _, text := range []string{`{"Name":"Ada"`, `[]`, `{"Name":"Ada","More":{}}`, `{"Name":"Ada","More":"`, `}`, `{"Name":"Ada",}`} {
		list, stats := decode(t, all, written{"MessageJson", 7, 0, 0, []any{"Level", 9, "LoggerName", "Shop", "ArgumentsJson", text, "FormattedMessage", "hello"}})
		expect.Len(t, text, list, 1)
		expect.Stop(t)
		expect.Equal(t, text, stats, logs.Stats{Malformed: 1})
		expect.Equal(t, text, list[0].Body+list[0].Level, "hello")
		if len(list[0].Attributes) > 0 {
			expect.Equal(t, text, list[0].Attributes[0], telemetry.Attribute{Key: "Name", Value: "Ada"})
		}
	}
}

// TestProviders: a session asks for the message alone only where MessageJson lacks it.
func TestProviders(t *testing.T) {
	for version, want := range map[string]uint64{"": 12, "3.1.0": 12, "5.0": 8, "10.0.12": 8} {
		expect.Equal(t, version, logs.Providers(logs.Options{Bodies: true}, version)[0].Keywords, want)
	}
	o := logs.Options{Level: logs.Warning, AppFilters: true, Scopes: true, Filters: []logs.Filter{{"Shop", logs.Debug}, {"Microsoft.*", 0}}}
	list := logs.Providers(o, "")
	expect.Equal(t, "arguments", list[0].Arguments, `FilterSpecs="UseAppFilters;*:Warning;Shop:Debug;Microsoft.*:None"`)
	expect.Equal(t, "activities", list[1].Name, clr.TasksProvider)
}
