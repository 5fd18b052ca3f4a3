package counters_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

var (
	start = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	one   = counters.Number{Float64: 1, Valid: true}
)

func number(x float64) counters.Number { return counters.Number{Float64: x, Valid: true} }

// requests is an instrument in its event, newest version.
func requests(id uint32, session, description string) event {
	return meter(id, 3, session, "Shop", "1.0", "requests", "Counter`1", "{request}", description, "a=b", "m=n", "77", 20, "http://schema")
}

// TestMessages: each event of each version has the expected message.
func TestMessages(t *testing.T) {
	known := &counters.Instrument{
		ID: 20, Meter: "Shop", MeterVersion: "1.0", Name: "requests", Type: "Counter`1", Unit: "{request}", Description: "done",
		Tags: "a=b", MeterTags: "m=n", MeterScope: "77", SchemaURL: "http://schema",
	}
	shop := counters.Value{Source: counters.Meters, Provider: "Shop", Version: "1.0", Name: "requests", Unit: "u", Tags: "k=v"}
	with := func(change func(*counters.Value)) counters.Message {
		v := shop
		change(&v)
		return counters.Message{Kind: counters.Measurement, SessionID: "S", Value: v}
	}
	for name, c := range map[string]struct {
		event event
		want  counters.Message
	}{
		"log":       {meter(1, 0, "hello"), counters.Message{Kind: counters.Log, Text: "hello"}},
		"start":     {meter(2, 0, "S", start, start.Add(time.Second)), counters.Message{Kind: counters.IntervalStart, SessionID: "S", From: start, To: start.Add(time.Second)}},
		"stop":      {meter(3, 0, "S", start, start.Add(time.Second)), counters.Message{Kind: counters.IntervalStop, SessionID: "S", From: start, To: start.Add(time.Second)}},
		"begin":     {requests(7, "S", "done"), counters.Message{Kind: counters.InstrumentBegin, SessionID: "S", Instrument: known}},
		"end":       {requests(8, "S", "done"), counters.Message{Kind: counters.InstrumentEnd, SessionID: "S", Instrument: known}},
		"published": {requests(11, "S", "done"), counters.Message{Kind: counters.InstrumentPublished, SessionID: "S", Instrument: known}},
		"begin of .NET 6": {meter(7, 0, "S", "Shop", "1.0", "requests", "Counter`1", "", ""),
			counters.Message{Kind: counters.InstrumentBegin, SessionID: "S", Instrument: &counters.Instrument{Meter: "Shop", MeterVersion: "1.0", Name: "requests", Type: "Counter`1"}}},
		"error":       {meter(9, 0, "S", "no"), counters.Message{Kind: counters.SessionError, SessionID: "S", Text: "no"}},
		"enumerated":  {meter(10, 0, "S"), counters.Message{Kind: counters.EnumerationComplete, SessionID: "S"}},
		"time series": {meter(12, 0, "S"), counters.Message{Kind: counters.TimeSeriesLimit, SessionID: "S"}},
		"histograms":  {meter(13, 0, "S"), counters.Message{Kind: counters.HistogramLimit, SessionID: "S"}},
		"callback":    {meter(14, 0, "S", "threw"), counters.Message{Kind: counters.CallbackError, SessionID: "S", Text: "threw"}},
		"refused":     {meter(15, 0, "X"), counters.Message{Kind: counters.SessionRefused, SessionID: "X"}},
		"mismatch": {meter(17, 0, "me", "1", "2", "3", "4", "0,5", "6"), counters.Message{Kind: counters.SharedRefused, Mismatch: &counters.Mismatch{
			ClientID: "me", ExpectedMaxHistograms: "1", MaxHistograms: "2", ExpectedMaxTimeSeries: "3", MaxTimeSeries: "4",
			ExpectedRefreshInterval: "0,5", RefreshSeconds: "6",
		}}},
		"version": {meter(18, 0, 10, 0, 12), counters.Message{Kind: counters.SourceVersion, Text: "10.0.12"}},
		"counter of .NET 6": {meter(4, 0, "S", "Shop", "1.0", "requests", "u", "k=v", "1"),
			with(func(v *counters.Value) { v.Type, v.Delta = counters.Counter, one })},
		"counter of .NET 8": {meter(4, 1, "S", "Shop", "1.0", "requests", "u", "k=v", "1", "5.5"),
			with(func(v *counters.Value) { v.Type, v.Delta, v.Value = counters.Counter, one, number(5.5) })},
		"counter's first": {meter(4, 2, "S", "Shop", "1.0", "requests", "u", "k=v", "", "5.5", 20),
			with(func(v *counters.Value) { v.Type, v.Value, v.ID = counters.Counter, number(5.5), 20 })},
		"up and down": {meter(16, 2, "S", "Shop", "1.0", "requests", "u", "k=v", "-1", "1E+3", 20),
			with(func(v *counters.Value) {
				v.Type, v.Delta, v.Value, v.ID = counters.UpDownCounter, number(-1), number(1000), 20
			})},
		"gauge": {meter(5, 2, "S", "Shop", "1.0", "requests", "u", "k=v", "23", 20),
			with(func(v *counters.Value) { v.Type, v.Value, v.ID = counters.Gauge, number(23), 20 })},
		"gauge not measured": {meter(5, 0, "S", "Shop", "1.0", "requests", "u", "k=v", ""),
			with(func(v *counters.Value) { v.Type = counters.Gauge })},
		"histogram": {meter(6, 2, "S", "Shop", "1.0", "requests", "u", "k=v", "0.5=1;0.95=2.5;0.99=1E-05", 3, 7.5, 20),
			with(func(v *counters.Value) {
				v.Type, v.Count, v.Sum, v.ID = counters.Histogram, number(3), number(7.5), 20
				v.Quantiles = []counters.Quantile{{0.5, 1}, {0.95, 2.5}, {0.99, 1e-5}}
			})},
		"histogram of .NET 6": {meter(6, 0, "S", "Shop", "1.0", "requests", "u", "k=v", ""),
			with(func(v *counters.Value) { v.Type = counters.Histogram })},
		"histogram with buckets": {meter(19, 0, "S", "Shop", "1.0", "requests", 20, "u", "k=v", 3, 7.5, int64(4), int64(1), 0.5, 6.0, "1, 0, 2"),
			with(func(v *counters.Value) {
				v.Type, v.Count, v.Sum, v.Min, v.Max, v.ID = counters.Histogram, number(4), number(7.5), number(0.5), number(6), 20
				v.Buckets = &counters.Buckets{Scale: 3, ZeroCount: 1, Counts: []int64{1, 0, 2}}
			})},
	} {
		t.Run(name, func(t *testing.T) {
			got, errs := decode(t, made(t, c.event))
			c.want.Time = start.Add(time.Second)
			expect.Len(t, "result", got, 1)
			expect.AtMost(t, "len(errs)", len(errs), 0)
			if !reflect.DeepEqual(got[0], c.want) {
				t.Errorf("got[0]: got %v, want %v", got[0], c.want)
			}
		})
	}
}

// TestInstruments: values have the instrument that began and the reported
// interval, and a repeated begin replaces nothing.
func TestInstruments(t *testing.T) {
	counted := meter(4, 2, "S", "Shop", "1.0", "requests", "{request}", "", "4", "9", 20)
	messages, errs := decode(t, made(t,
		requests(7, "S", "first"), requests(7, "S", "again"), requests(7, "other", "another session's"),
		meter(2, 0, "S", start, start.Add(2*time.Second)), counted, requests(8, "S", "end"), counted,
	))
	if len(errs) > 0 || len(messages) != 7 {
		t.Fatalf("%v %v", messages, errs)
	}
	first := messages[0].Instrument
	expect.Equal(t, "messages[1].Instrument", messages[1].Instrument, first)
	if messages[2].Instrument == first {
		t.Errorf("messages[2].Instrument: got %v, want another value than %v", messages[2].Instrument, first)
	}
	expect.Equal(t, "messages[5].Instrument", messages[5].Instrument, first)
	v := messages[4].Value
	expect.Equal(t, "v.Instrument", v.Instrument, first)
	expect.Equal(t, "v.Instrument.Description", v.Instrument.Description, "first")
	expect.Equal(t, "v.Interval", v.Interval, 2*time.Second)
	expect.Equal(t, "v.Rate()", v.Rate(), number(2))
	if messages[6].Value.Instrument != nil {
		t.Error("a value of an instrument that ended")
	}
}

// TestReused: an id that comes back for another instrument is that one's.
func TestReused(t *testing.T) {
	other := meter(7, 3, "S", "Shop", "1.0", "orders", "Gauge`1", "", "", "", "", "", 20, "")
	messages, _ := decode(t, made(t, requests(7, "S", "first"), other, meter(5, 2, "S", "Shop", "1.0", "orders", "", "", "1", 20)))
	if i := messages[2].Value.Instrument; i == nil || i.Name != "orders" {
		t.Errorf("%+v", i)
	}
}

// TestBadText: text that is no number is an error with its field, and the other
// fields are read.
func TestBadText(t *testing.T) {
	for name, c := range map[string]struct {
		event event
		field string
	}{
		"rate":      {meter(4, 2, "S", "M", "", "c", "", "", "many", "9", 1), "rate"},
		"value":     {meter(16, 2, "S", "M", "", "c", "", "", "1", "1,5", 1), "value"},
		"last":      {meter(5, 0, "S", "M", "", "c", "", "", "0x"), "lastValue"},
		"quantile":  {meter(6, 0, "S", "M", "", "c", "", "", "0.5"), "quantiles"},
		"over one":  {meter(6, 0, "S", "M", "", "c", "", "", "1.5=1"), "quantiles"},
		"NaN":       {meter(6, 0, "S", "M", "", "c", "", "", "NaN=1"), "quantiles"},
		"buckets":   {meter(19, 0, "S", "M", "", "c", 1, "", "", 1, 1.0, int64(1), int64(1), 1.0, 1.0, "1, x"), "buckets"},
		"backwards": {meter(2, 0, "S", start, start.Add(-time.Second)), "intervalEndTime"},
	} {
		t.Run(name, func(t *testing.T) {
			messages, errs := decode(t, made(t, c.event))
			var e *counters.Error
			expect.Len(t, "errs", errs, 1)
			if !errors.As(errs[0], &e) {
				t.Fatalf("error: got %v, want a %T", errs[0], e)
			}
			expect.Equal(t, "e.Field", e.Field, c.field)
			expect.NotZero(t, "e.Offset", e.Offset)
			expect.Equal(t, "len(messages)", len(messages), 1)
		})
	}
}

func TestTags(t *testing.T) {
	for text, want := range map[string][]counters.Tag{
		"":               nil,
		"a=b":            {{"a", "b"}},
		"a=b,c=d":        {{"a", "b"}, {"c", "d"}},
		"k=b,=é":         {{"k", "b"}, {"", "é"}},
		"a=x,y,b=z=w":    {{"a", "x,y"}, {"b", "z=w"}},
		"nothing":        {{"nothing", ""}},
		"nothing,at=all": {{"nothing", ""}, {"at", "all"}},
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got := counters.ParseTags(text, counters.Meters); !reflect.DeepEqual(got, want) {
				t.Error(got)
			}
		})
	}
	if got := counters.ParseTags("k1:v1,k2:v é", counters.EventCounters); !reflect.DeepEqual(got, []counters.Tag{{"k1", "v1"}, {"k2", "v é"}}) {
		t.Errorf("%v", got)
	}
}
