package traces_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/telemetry"
	"github.com/nettrace-go/nettrace/telemetry/traces"
)

// written is an event of the bridge.
type written struct {
	event, source, name string
	arguments           []string // keys and values
}

// begin is the begin of the made sessions, and ticks its time as activities have it.
var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const ticks int64 = 639_079_632_000_000_000

// decode returns the spans of made events, and those that have not ended an hour later.
func decode(t *testing.T, o traces.Options, events ...written) ([]*traces.Span, traces.Stats) {
	t.Helper()
	trace := tracetest.New(wire.V4)
	for i, e := range events {
		f := clr.DiagnosticsPlainFields{SourceName: e.source, EventName: e.name}
		for n := 0; n < len(e.arguments); n += 2 {
			f.Arguments = append(f.Arguments, clr.DiagnosticsPlainArgumentFields{Key: e.arguments[n], Value: e.arguments[n+1]})
		}
		trace.Now++
		trace.Event(&codec.EventRow{
			MetadataID:         trace.Metadata(&codec.Metadata{Provider: clr.DiagnosticsProvider, EventID: uint32(20 + i), Name: e.event, Level: 4}),
			CaptureThreadIndex: 7, ThreadIndex: 7, Timestamp: trace.Now, Processor: wire.UnknownProcessor, Payload: f.Append(nil, 0, 8),
		})
	}
	var list []*traces.Span
	d := traces.NewDecoder(o, begin)
	keep := func(s *traces.Span) { list = append(list, s) }
	for ev, err := range codec.NewBytesReader(trace.Bytes(), codec.Options{}).Events() {
		expect.NoError(t, err)
		d.Decode(ev, keep)
	}
	d.Open(begin.Add(time.Hour), keep)
	return list, d.Stats()
}

// activity returns the arguments of an activity with an id, and more.
func activity(id string, more ...string) []string {
	return append([]string{"TraceId", "4bf92f3577b34da6a3ce929d0e0e4736", "SpanId", id, "StartTimeTicks", fmt.Sprint(ticks + 10_000_000), "DurationTicks", "25"}, more...)
}

const a, b = "00f067aa0ba902b7", "00f067aa0ba902b8"

var everything = traces.Options{Queries: true, Addresses: true, Exceptions: true}

// TestWhole: a span has each field of its activity.
func TestWhole(t *testing.T) {
	list, stats := decode(t, everything, written{"ActivityStop", "Shop", "pay", activity(a, "ParentSpanId", b, "Kind", "Client", "DisplayName", "pay order",
		"Status", "Error", "StatusDescription", "no money", "ActivityTraceFlags", "Recorded, RandomTraceId", "TraceStateString", "k=v", "SourceVersion", "1.2",
		"Tags", "[server.port, 80],[amount, 5, or so]",
		"Events", "[(exception,\u200b2026-03-01T12:00:01.0000012+00:00,\u200b[exception.type:A,\u200bexception.message:x, y:z]),\u200b(done,\u200b2026-03-01T12:00:02.0000000+00:00)]",
		"Links", "[(19b6e8ea216cb2ba36dd5d957e126d9f,\u200b98f7abcb3418f217,\u200bRecorded, RandomTraceId,\u200bnull,\u200bfalse,\u200b[why:batch]),\u200b(2d409549aadfdbdf5d1892584a5f2ab2,\u200b4f3526086a350f50,\u200bNone,\u200bs=1,\u200btrue)]")})
	expect.Equal(t, "statistics", stats, traces.Stats{})
	expect.Len(t, "spans", list, 1)
	expect.Stop(t)
	s := list[0]
	expect.Equal(t, "span", fmt.Sprint(s.TraceID, s.SpanID, s.ParentID, s.TraceState, s.Sampled, s.Source, s.Version, s.Name, s.Operation, s.Kind, s.Status, s.StatusText),
		"4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7 00f067aa0ba902b8k=vtrueShop1.2pay orderpayClient Errorno money")
	expect.Equal(t, "start", s.Start, begin.Add(time.Second))
	expect.Equal(t, "duration", s.End.Sub(s.Start), 2500*time.Nanosecond)
	expect.Equal(t, "attributes", fmt.Sprintf("%#v", s.Attributes), `[]telemetry.Attribute{telemetry.Attribute{Key:"server.port", Value:80}, telemetry.Attribute{Key:"amount", Value:"5, or so"}}`)
	expect.Equal(t, "events", fmt.Sprint(s.Events), "[{2026-03-01 12:00:01.0000012 +0000 UTC exception [{exception.type A} {exception.message x, y:z}]} {2026-03-01 12:00:02 +0000 UTC done []}]")
	expect.Equal(t, "links", fmt.Sprint(s.Links),
		"[{19b6e8ea216cb2ba36dd5d957e126d9f 98f7abcb3418f217  [{why batch}]} {2d409549aadfdbdf5d1892584a5f2ab2 4f3526086a350f50 s=1 []}]")
}

// TestPrivate: without a request for them there are no queries, no clients and no texts of exceptions. A server that the
// program calls is no client.
func TestPrivate(t *testing.T) {
	tags := "[client.address, 10.1.1.1],[network.peer.address, 10.1.1.1],[url.query, name=Ada],[url.full, http://x/y?name=Ada],[db.query.text, select 'Ada']"
	event := "[(exception,\u200b2026-03-01T12:00:01.0000012+00:00,\u200b[exception.type:A,\u200bexception.message:Ada,\u200bexception.stacktrace:Ada])]"
	list, _ := decode(t, traces.Options{},
		written{"ActivityStop", "Shop", "in", activity(a, "Kind", "Server", "StatusDescription", "Ada", "Tags", tags, "Events", event)},
		written{"ActivityStop", "Shop", "out", activity(b, "Kind", "Client", "Tags", tags)})
	expect.Len(t, "spans", list, 2)
	expect.Stop(t)
	expect.Equal(t, "server", fmt.Sprint(list[0].Attributes, list[0].Events[0].Attributes, list[0].StatusText), "[{url.full http://x/y}] [{exception.type A}]")
	expect.Equal(t, "client", fmt.Sprint(list[1].Attributes), "[{network.peer.address 10.1.1.1} {url.full http://x/y}]")
}

// TestEdges: a span that began before the session or had not ended after it is marked.
func TestEdges(t *testing.T) {
	before := activity(a)
	before[5] = fmt.Sprint(ticks - 1)
	list, _ := decode(t, everything, written{"ActivityStop", "", "Microsoft.AspNetCore.Hosting.HttpRequestIn", before}, written{"ActivityStart", "Shop", "pay", activity(b)})
	expect.Len(t, "spans", list, 2)
	expect.Stop(t)
	expect.Equal(t, "before", fmt.Sprint(list[0].BeganBefore, list[0].Unfinished, list[0].Source, list[0].Kind), "true falseMicrosoft.AspNetCoreServer")
	expect.Equal(t, "after", fmt.Sprint(list[1].BeganBefore, list[1].Unfinished, list[1].End.Sub(begin)), "false true 1h0m0s")
}

// TestRatio: .NET writes activities that are not sampled too, where the program has them without the session.
func TestRatio(t *testing.T) {
	events := []written{
		{"ActivityStop", "Shop", "in", activity(a, "ActivityTraceFlags", "Recorded, RandomTraceId")}, {"ActivityStop", "Shop", "in", activity(b, "ActivityTraceFlags", "RandomTraceId")},
		{"ActivityStart", "Shop", "open", activity("00f067aa0ba902b9", "ActivityTraceFlags", "None")},
	}
	list, stats := decode(t, traces.Options{Ratio: 0.5}, events...)
	expect.Len(t, "spans", list, 1)
	expect.Equal(t, "statistics", stats, traces.Stats{Unsampled: 2})
	list, _ = decode(t, traces.Options{}, events...)
	expect.Len(t, "spans of all traces", list, 3)
}

// TestListener: where the activity of a request has no tags, its listener tells them.
func TestListener(t *testing.T) {
	const in = "Microsoft.AspNetCore.Hosting.HttpRequestIn"
	list, _ := decode(t, everything,
		written{"Activity1Start", "Microsoft.AspNetCore", in + ".Start", []string{"SpanId", a, "Method", "GET", "Path", "/a", "Scheme", "http", "Protocol", "HTTP/2"}},
		written{"Event", "Microsoft.AspNetCore", "Microsoft.AspNetCore.Mvc.BeforeAction", []string{"SpanId", a, "Template", "orders/{id}"}},
		written{"Activity1Stop", "Microsoft.AspNetCore", in + ".Stop", []string{"SpanId", a, "StatusCode", "503"}},
		written{"ActivityStop", "Microsoft.AspNetCore", in, activity(a, "Kind", "Server", "DisplayName", in, "Tags", "[url.path, /a]")})
	expect.Len(t, "spans", list, 1)
	expect.Stop(t)
	expect.Equal(t, "span", fmt.Sprint(list[0].Name, " ", list[0].Status, list[0].Attributes),
		"GET orders/{id} Error [{url.path /a} {http.request.method GET} {url.scheme http} {http.response.status_code 503} {network.protocol.version 2} {http.route orders/{id}}]")
}

// TestMalformed: what is no span, no event or no link is counted.
func TestMalformed(t *testing.T) {
	list, stats := decode(t, everything,
		written{"ActivityStop", "Shop", "old", []string{"Id", "|a.b.1"}},
		written{"ActivityStop", "Shop", "pay", activity(a, "Events", "[(one),\u200b(two,\u200byesterday)]", "Links", "[(a,\u200bb,\u200bNone,\u200bnull,\u200bfalse),\u200b(a)]")},
		written{"ActivityStop", "Shop", "pay", activity(a, "Events", "System.Diagnostics.Activity", "Links", "[")})
	expect.Equal(t, "statistics", stats, traces.Stats{NoIDs: 1, Malformed: 4})
	expect.Len(t, "spans", list, 2)
	expect.Len(t, "events", list[0].Events, 0)
}

// TestProviders: what a version cannot obey is an error, because the runtime would send nothing.
func TestProviders(t *testing.T) {
	for _, c := range []struct {
		o       traces.Options
		version string
		bad     bool
	}{
		{traces.Options{Ratio: 0.5}, "8.0", true}, {traces.Options{Ratio: 0.5}, "9.0", false}, {traces.Options{Ratio: 1}, "8.0", false},
		{traces.Options{Ratio: -1}, "9.0", true}, {traces.Options{Sources: []string{"a\nb"}}, "9.0", true}, {traces.Options{Sources: []string{`a"`}}, "9.0", true},
	} {
		_, err := traces.Providers(c.o, c.version)
		expect.Equal(t, fmt.Sprint(c), err != nil, c.bad)
	}
	for version, want := range map[string]string{
		"9.0":  "*Enumerate;SourceVersion=Source.Version\nMicrosoft.AspNetCore/Microsoft.AspNetCore.Hosting.HttpRequestIn.Start@Activity1Start:",
		"11.0": "Source.Version;Events;Links\"",
	} {
		list, err := traces.Providers(traces.Options{Sources: []string{"*"}}, version)
		expect.NoError(t, err)
		expect.Contains(t, version, list[0].Arguments, `FilterAndPayloadSpecs="[AS]*:-TraceId;`, want)
	}
	expect.Equal(t, "an id", telemetry.ParseSpanID(a).String(), a)
}
