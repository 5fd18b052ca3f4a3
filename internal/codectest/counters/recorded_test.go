package counters_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// decode reads all messages of a trace, and the errors.
func decode(t testing.TB, stream []byte) (messages []counters.Message, errs []error) {
	t.Helper()
	var d counters.Decoder
	r := codec.NewBytesReader(stream, codec.Options{})
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		m, err := d.Decode(e)
		if err != nil {
			errs = append(errs, err)
		}
		if m.Kind != counters.None {
			messages = append(messages, m)
		}
	}
	return messages, errs
}

// latest adds all messages of a trace.
func latest(t testing.TB, messages []counters.Message) *counters.Latest {
	t.Helper()
	l := &counters.Latest{}
	for i := range messages {
		l.Add(&messages[i])
	}
	return l
}

// find returns the one series of a name and tags.
func find(t *testing.T, l *counters.Latest, source counters.Source, provider, name, tags string) *counters.Series {
	t.Helper()
	for _, s := range l.Series() {
		if k := s.Last.Key(); k.Source == source && k.Provider == provider && k.Name == name && k.Tags == tags {
			return s
		}
	}
	t.Fatalf("no %v %s %s %q", source, provider, name, tags)
	return nil
}

// TestRecorded reads the recording of a .NET 10 program with all kinds of
// counters.
func TestRecorded(t *testing.T) {
	messages, errs := decode(t, shared.Trace(t, "net10-counters.v4"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	kinds := map[counters.Kind]int{}
	types := map[counters.Type]int{}
	for i := range messages {
		kinds[messages[i].Kind]++
		if messages[i].Kind == counters.Measurement {
			types[messages[i].Value.Type]++
		}
	}
	for kind, want := range map[counters.Kind]int{
		counters.Measurement: 304, counters.InstrumentBegin: 27, counters.InstrumentEnd: 8, counters.IntervalStart: 4, counters.IntervalStop: 4,
		counters.CallbackError: 4, counters.EnumerationComplete: 1, counters.SessionRefused: 1,
	} {
		t.Run(fmt.Sprintf("kind=%d", kind), func(t *testing.T) {
			if kinds[kind] != want {
				t.Errorf("%d messages of kind %d, want %d", kinds[kind], kind, want)
			}
		})
	}
	for typ, want := range map[counters.Type]int{
		counters.Mean: 80, counters.Increment: 44, counters.Counter: 96, counters.UpDownCounter: 68, counters.Gauge: 12, counters.Histogram: 4,
	} {
		t.Run(fmt.Sprintf("type=%d", typ), func(t *testing.T) {
			if types[typ] != want {
				t.Errorf("%d values of type %v, want %d", types[typ], typ, want)
			}
		})
	}
	l := latest(t, messages)
	request := find(t, l, counters.EventCounters, "Corners-Counters", "request-time", "k1:v1,k2:v é")
	expect.Equal(t, "request.Last.Unit", request.Last.Unit, "ms")
	expect.Equal(t, "request.Last.Type", request.Last.Type, counters.Mean)
	expect.Equal(t, "request.Last.Asked", request.Last.Asked, time.Second)
	expect.Equal(t, "request.Values", request.Values, 4)
	histogram := find(t, l, counters.Meters, "Corners.Meter", "corners.latency", "route=/é")
	expect.Equal(t, "histogram.Values", histogram.Values, 4)
	expect.Equal(t, "histogram.Count", histogram.Count, 98+95+98+98)
	expect.AtMost(t, "difference of histogram.Sum", math.Abs(histogram.Sum-(485.1+447+476.5+476.9)), 1e-9)
	expect.Equal(t, "histogram.Ended", histogram.Ended, true)
	i := histogram.Last.Instrument
	expect.NotZero(t, "histogram.Last.Instrument", i)
	expect.Stop(t)
	expect.Equal(t, "i.Description", i.Description, "latency")
	expect.Equal(t, "i.MeterTags", i.MeterTags, "meterTag=mt")
	expect.Equal(t, "i.Type", i.Type, "Histogram`1")
	q := histogram.Last.Quantiles
	expect.Len(t, "histogram.Last.Quantiles", q, 3)
	expect.Equal(t, "q[1]", q[1], (counters.Quantile{Quantile: 0.95, Value: 9.5}))
	expect.Equal(t, "histogram.Last.Interval", histogram.Last.Interval, time.Second)
	if cpus := find(t, l, counters.Meters, "System.Runtime", "dotnet.process.cpu.count", ""); cpus.Value != (counters.Number{Float64: 2, Valid: true}) || cpus.Ended {
		t.Errorf("%+v", cpus)
	}
}

// answer is a line of another reader's values.
type answer struct {
	Ticks, Provider, Name string
	Thread                uint64
	Fields                map[string]json.RawMessage
}

// TestOtherReader compares numbers with those that another reader decoded.
func TestOtherReader(t *testing.T) {
	for _, name := range []string{"net10-counters.v4", "azmcp-net10-counters.v4"} {
		t.Run(name, func(t *testing.T) {
			answers := map[string]answer{} // by ticks and thread
			lines := json.NewDecoder(bytes.NewReader(shared.Oracle(t, name+".values.ndjson.zst")))
			for lines.More() {
				var a answer
				if err := lines.Decode(&a); err != nil {
					t.Fatal(err)
				}
				answers[a.Ticks] = a
			}
			compared := 0
			var d counters.Decoder
			for e, err := range codec.NewBytesReader(shared.Trace(t, name), codec.Options{}).Events() {
				if err != nil {
					t.Fatal(err)
				}
				m, err := d.Decode(e)
				a, ok := answers[strconv.FormatUint(e.Timestamp, 10)]
				if err != nil || m.Kind != counters.Measurement || !ok || a.Provider != e.Provider() {
					continue
				}
				compared++
				compare(t, &m.Value, a.Fields)
			}
			t.Logf("%s: %d values compared", name, compared)
			if compared < 20 {
				t.Errorf("only %d values compared", compared)
			}
		})
	}
}

// compare holds a value against the fields of another reader.
func compare(t *testing.T, v *counters.Value, fields map[string]json.RawMessage) {
	t.Helper()
	if object, ok := fields[""]; ok {
		var outer struct{ Payload map[string]json.RawMessage }
		if err := json.Unmarshal(object, &outer); err != nil {
			t.Fatal(err)
		}
		fields = outer.Payload
	}
	for field, got := range map[string]counters.Number{
		"Mean": v.Value, "Increment": v.Delta, "StandardDeviation": v.Deviation, "Count": v.Count, "Min": v.Min, "Max": v.Max,
		"rate": v.Delta, "value": v.Value, "lastValue": v.Value, "count": v.Count, "sum": v.Sum,
	} {
		raw, ok := fields[field]
		if !ok {
			continue
		}
		text, err := strconv.Unquote(string(raw))
		if err != nil {
			text = string(raw)
		}
		want, err := strconv.ParseFloat(text, 64)
		expect.Equal(t, field+" is valid", got.Valid, text != "")
		if got.Valid && (err != nil || got.Float64 != want) {
			t.Errorf("%s %s: %s is %v, the other reader has %s", v.Provider, v.Name, field, got, raw)
		}
	}
	for field, got := range map[string]string{"Name": v.Name, "DisplayName": v.Display, "DisplayUnits": v.Unit, "Metadata": v.Tags, "instrumentName": v.Name, "unit": v.Unit, "tags": v.Tags} {
		if want, ok := fields[field]; ok {
			var text string
			if err := json.Unmarshal(want, &text); err != nil || text != got {
				t.Errorf("%s %s: %s is %q, the other reader has %s", v.Provider, v.Name, field, got, want)
			}
		}
	}
}
