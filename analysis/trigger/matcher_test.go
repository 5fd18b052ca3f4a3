package trigger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// made is a trace in the making. Times are in milliseconds.
type made struct {
	*gen.Builder
	types map[string]uint32
}

func newMade() made {
	head := codec.Trace{SyncTime: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), TickFrequency: 1e6, PointerSize: 8}
	return made{gen.NewBuilder(gen.BuilderOptions{Format: wire.V4, Trace: head}), map[string]uint32{}}
}

// trace returns the bytes of the trace.
func (m made) trace() []byte { return m.Trace().Bytes() }

// event is an event of a made trace.
type event struct {
	at, thread uint64
	provider   string // default: the runtime
	id         uint32
	name       string
	activity   byte
	fields     []codec.Field
	payload    []any // texts and numbers
}

// add adds events in the order of the file.
func (m made) add(list ...event) made {
	for _, e := range list {
		if e.provider == "" {
			e.provider = clr.RuntimeProvider
		}
		key := fmt.Sprint(e.provider, e.id, e.name)
		if m.types[key] == 0 {
			m.types[key] = m.Metadata(&codec.Metadata{Provider: e.provider, EventID: e.id, Version: 1, Name: e.name, Level: 4, Fields: e.fields})
		}
		var payload []byte
		for _, field := range e.payload {
			if text, ok := field.(string); ok {
				payload = wire.AppendUTF16Z(payload, text)
				continue
			}
			payload = append(payload, tracetest.Pack(field)...)
		}
		m.Now = e.at * 1000
		m.Event(&codec.EventRow{
			MetadataID: m.types[key], CaptureThreadIndex: max(e.thread, 1), ThreadIndex: max(e.thread, 1), Timestamp: e.at * 1000,
			Processor: wire.UnknownProcessor, Payload: payload, Activity: wire.GUID{e.activity},
		})
	}
	return m
}

// firings returns when a rule fires for the events of a trace, in milliseconds,
// and its counts.
func (m made) firings(t *testing.T, cooldown time.Duration, text string) ([]float64, trigger.Status) {
	t.Helper()
	rule, err := trigger.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return firings(t, m.trace(), cooldown, rule)
}

// firings returns when a rule fires for the events of a trace in the order of the
// file, in milliseconds since its beginning, and its counts.
func firings(t *testing.T, trace []byte, cooldown time.Duration, rule *trigger.Rule) (times []float64, status trigger.Status) {
	t.Helper()
	r := codec.NewBytesBlockReader(trace, codec.Options{Schemas: clr.Schemas})
	head, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	m := trigger.NewMatcher([]*trigger.Rule{rule}, trigger.Options{Cooldown: cooldown, OnFire: func(f trigger.Firing) {
		times = append(times, float64(f.Time.Sub(head.SyncTime).Microseconds())/1000)
	}})
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			m.Event(e)
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return times, m.Status()[0]
}

// counter is a value of an EventCounter of My-Source, in an interval of a second.
func counter(at uint64, value float64) event {
	inner := codec.Field{Name: "Payload", Type: codec.Type{Code: wire.Object, Fields: []codec.Field{
		{Name: "Name", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}, {Name: "Mean", Type: codec.Type{Code: wire.Double}},
		{Name: "Series", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}, {Name: "CounterType", Type: codec.Type{Code: wire.NullTerminatedUTF16String}},
		{Name: "Metadata", Type: codec.Type{Code: wire.NullTerminatedUTF16String}},
	}}}
	return event{
		at: at, provider: "My-Source", id: 1, name: "EventCounters",
		fields:  []codec.Field{{Type: codec.Type{Code: wire.Object, Fields: []codec.Field{inner}}}},
		payload: []any{"load", value, "Interval=1000", "Mean", "host:a"},
	}
}

// TestCounter checks how long a counter must be over its threshold.
func TestCounter(t *testing.T) {
	values := func(from uint64, list ...float64) (events []event) {
		for i, v := range list {
			events = append(events, counter(from+uint64(i)*1000, v))
		}
		return events
	}
	for _, c := range []struct {
		name, rule string
		cooldown   time.Duration
		events     []event
		want       []float64
	}{
		{"one value", "My-Source/load > 80", 0, values(1000, 80, 81, 70), []float64{2000}},
		{"the third value in a row", "My-Source/load > 80 for 3s", 0, values(1000, 90, 70, 90, 90, 90), []float64{5000}},
		{"a dip", "My-Source/load > 80 for 3s", 0, values(1000, 90, 90, 80, 90, 90), nil},
		{"a gap", "My-Source/load > 80 for 3s", 0, append(values(1000, 90, 90), values(9000, 90, 90)...), nil},
		{"under", "My-Source/load < 5 for 2s", 0, values(1000, 5, 4, 4), []float64{3000}},
		{"at least", "My-Source/load >= 5", 0, values(1000, 4, 5), []float64{2000}},
		{"every value without cooldown", "My-Source/load > 1", 0, values(1000, 2, 2, 2), []float64{1000, 2000, 3000}},
		{"again after the cooldown", "My-Source/load > 1", 2 * time.Second, values(1000, 2, 2, 2, 2), []float64{1000, 3000}},
		{"a tag", "My-Source/load:host=a > 1", time.Hour, values(1000, 2), []float64{1000}},
		{"another tag", "My-Source/load:host=b > 1", time.Hour, values(1000, 2), nil},
		{"another counter", "My-Source/store > 1", time.Hour, values(1000, 2), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := newMade().add(c.events...).firings(t, c.cooldown, c.rule)
			expect.Slices(t, "firings, ms", got, c.want)
		})
	}
}

// thrown is an ExceptionThrown.
func thrown(at, thread uint64, exception string) event {
	return event{at: at, thread: thread, id: 80, payload: []any{exception, "the message", uint64(1), uint32(2), uint16(16), uint16(0)}}
}

// TestEvent checks conditions and rates of events.
func TestEvent(t *testing.T) {
	burst := func(from, step uint64, n int) (events []event) {
		for i := range n {
			events = append(events, thrown(from+uint64(i)*step, 1, "System.TimeoutException"))
		}
		return events
	}
	for _, c := range []struct {
		name, rule string
		events     []event
		want       []float64
	}{
		{"the event", "ExceptionThrown", burst(10, 10, 1), []float64{10}},
		{"by number", clr.RuntimeProvider + "/80", burst(10, 10, 1), []float64{10}},
		{"another event", "GCStart", burst(10, 10, 1), nil},
		{"a condition", "ExceptionThrown:ExceptionType=*Timeout*", burst(10, 10, 1), []float64{10}},
		{"another value", "ExceptionThrown:ExceptionType=Timeout*", burst(10, 10, 1), nil},
		{"unequal", "ExceptionThrown:ExceptionType!=*IO*", burst(10, 10, 1), []float64{10}},
		{"a number", "ExceptionThrown:ExceptionFlags>=16", burst(10, 10, 1), []float64{10}},
		{"a higher number", "ExceptionThrown:ExceptionFlags>16", burst(10, 10, 1), nil},
		{"a pointer", "ExceptionThrown:ExceptionEIP=0x1", burst(10, 10, 1), []float64{10}},
		{"two conditions", "ExceptionThrown:ExceptionFlags=16,ExceptionType=*IO*", burst(10, 10, 1), nil},
		{"the eleventh of a second", "ExceptionThrown > 10/s", burst(0, 50, 11), []float64{500}},
		{"ten of a second", "ExceptionThrown > 10/s", burst(0, 50, 10), nil},
		{"at least ten", "ExceptionThrown >= 10/s", burst(0, 50, 10), []float64{450}},
		{"eleven of a longer time", "ExceptionThrown > 10/s", burst(0, 110, 30), nil},
		{"two bursts with a pause", "ExceptionThrown > 10/s", append(burst(0, 50, 10), burst(5000, 50, 10)...), nil},
		{"an event of another thread that is older than the time", "ExceptionThrown > 10/s", append(burst(5000, 50, 10), thrown(100, 2, "")), nil},
		{"two threads one after the other", "ExceptionThrown > 10/s", append(burst(100, 50, 6), thrown(110, 2, ""), thrown(160, 2, ""), thrown(210, 2, ""), thrown(260, 2, ""), thrown(310, 2, "")), []float64{310}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := newMade().add(c.events...).firings(t, time.Hour, c.rule)
			expect.Slices(t, "firings, ms", got, c.want)
		})
	}
}

// suspended are the begin and the end of a suspension.
func suspended(from, to, thread uint64, reason uint32) []event {
	return []event{
		{at: from, thread: thread, id: 9, payload: []any{reason, uint32(1), uint16(0)}}, {at: to, thread: thread, id: 3, payload: []any{uint16(0)}},
	}
}

// served and sent are starts (3, 1) and stops (4, 2) of requests.
func served(at, thread uint64, id uint32, request string) event {
	return event{at: at, thread: thread, provider: clr.KestrelProvider, id: id, payload: []any{"C", request, "HTTP/1.1", "/slow", "GET"}}
}

func sent(at, thread uint64, id uint32, activity byte) event {
	return event{at: at, thread: thread, provider: clr.HTTPProvider, id: id, activity: activity}
}

// TestSpan checks the measures of intervals between two events.
func TestSpan(t *testing.T) {
	for _, c := range []struct {
		name, rule string
		events     []event
		want       []float64
	}{
		{"a long pause", "gc-pause > 200ms", suspended(100, 301, 1, 1), []float64{301}},
		{"a pause of that length", "gc-pause > 200ms", suspended(100, 300, 1, 1), nil},
		{"a second pause of a background collection", "gc-pause > 200ms", suspended(100, 301, 1, 6), []float64{301}},
		{"a suspension by the sampler", "gc-pause > 200ms", suspended(100, 301, 1, 0), nil},
		{"an end without begin", "gc-pause > 1ms", suspended(100, 301, 1, 1)[1:], nil},
		{"a begin and an end of two threads", "gc-pause > 1ms", append(suspended(100, 301, 1, 1)[:1], suspended(100, 301, 2, 1)[1]), nil},
		{"a slow request", "request > 200ms", []event{served(100, 1, 3, "C:1"), served(150, 1, 3, "C:2"), served(301, 2, 4, "C:1")}, []float64{301}},
		{"a fast request", "request > 200ms", []event{served(100, 1, 3, "C:1"), served(299, 1, 4, "C:1")}, nil},
		{"a stop before its start in the file", "request > 200ms", []event{served(301, 2, 4, "C:1"), served(100, 1, 3, "C:1")}, []float64{100}},
		{"a slow request of a client", "client-request > 200ms", []event{sent(100, 1, 1, 7), sent(301, 2, 2, 7)}, []float64{301}},
		{"requests without activity", "client-request > 200ms", []event{sent(100, 1, 1, 0), sent(301, 2, 2, 0)}, nil},
		{"successive requests with one activity", "client-request > 20ms", []event{sent(100, 1, 1, 7), sent(150, 1, 1, 7), sent(110, 2, 2, 7), sent(180, 2, 2, 7)}, []float64{180}},
		{"two requests at once with one activity", "client-request > 200ms", []event{sent(100, 1, 1, 7), sent(110, 1, 1, 7), sent(400, 2, 2, 7), sent(500, 2, 2, 7)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := newMade().add(c.events...).firings(t, time.Hour, c.rule)
			expect.Slices(t, "firings, ms", got, c.want)
		})
	}
}

// TestStatus counts what a rule saw, and that it was true in its cooldown.
func TestStatus(t *testing.T) {
	_, status := newMade().add(counter(1000, 2), counter(2000, 2), counter(3000, 0)).firings(t, time.Minute, "My-Source/load > 1")
	expect.Equal(t, "seen", status.Seen, 3)
	expect.Equal(t, "fired", status.Fired, 1)
	expect.Equal(t, "suppressed", status.Suppressed, 1)
}

// TestEventAllocates: an event costs no memory, but for the values of counters.
func TestEventAllocates(t *testing.T) {
	var events []*codec.Event
	trace := newMade().add(suspended(100, 101, 1, 1)...).add(served(100, 1, 3, "C:1"), served(101, 2, 4, "C:1"), sent(102, 1, 1, 7), sent(103, 1, 2, 7),
		thrown(104, 1, "System.TimeoutException"), event{at: 105, id: 1}).trace()
	r := codec.NewBytesReader(trace, codec.Options{Schemas: clr.Schemas})
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		events = append(events, e.Clone())
	}
	var list []*trigger.Rule
	for _, text := range []string{"gc-pause > 1h", "request > 1h", "client-request > 1h", "ExceptionThrown:ExceptionType=*IO*,ExceptionFlags>0", "ExceptionThrown > 100000000/s"} {
		rule, err := trigger.Parse(text)
		expect.NoError(t, err)
		list = append(list, rule)
	}
	expect.Stop(t)
	m := trigger.NewMatcher(list, trigger.Options{})
	got := testing.AllocsPerRun(100, func() {
		for _, e := range events {
			m.Event(e)
		}
	})
	expect.Equal(t, "allocations", got, 0)
}
