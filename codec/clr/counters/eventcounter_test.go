package counters_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// counter is an event of an EventSource as .NET describes it: an unnamed object
// with the object Payload, whose members layout lists.
func counter(layout string, values ...any) event {
	var members []codec.Field
	for _, word := range strings.Fields(layout) {
		members = append(members, codec.Field{Name: word[2:], Type: codec.Type{Code: codes[word[0]]}})
	}
	inner := codec.Field{Name: "Payload", Type: codec.Type{Code: wire.Object, Fields: members}}
	return event{
		metadata: &codec.Metadata{Provider: "Shop", EventID: 21, Name: "EventCounters", Fields: []codec.Field{
			{Type: codec.Type{Code: wire.Object, Fields: []codec.Field{inner}}},
		}},
		payload: payload(values...),
	}
}

const (
	meanLayout = "s:Name s:DisplayName d:Mean d:StandardDeviation i:Count d:Min d:Max f:IntervalSec s:Series s:CounterType s:Metadata s:DisplayUnits"
	sumLayout  = "s:Name s:DisplayName s:DisplayRateTimeScale d:Increment f:IntervalSec s:Metadata s:Series s:CounterType s:DisplayUnits"
)

func TestEventCounters(t *testing.T) {
	for name, c := range map[string]struct {
		event event
		want  counters.Value
		rate  counters.Number
	}{
		"mean": {
			counter(meanLayout, "load", "Load", 4.5, 2.25, 97, 0.5, 9.0, float32(1), "Interval=1000", "Mean", "k:v", "%"),
			counters.Value{
				Provider: "Shop", Name: "load", Display: "Load", Unit: "%", Tags: "k:v", Interval: time.Second, Asked: time.Second,
				Value: number(4.5), Deviation: number(2.25), Count: number(97), Min: number(0.5), Max: number(9),
			}, counters.Number{},
		},
		"sum": {
			counter(sumLayout, "sold", "Sold", "00:01:00", 30.0, float32(0.5), "", "Interval=500", "Sum", ""),
			counters.Value{
				Type: counters.Increment, Provider: "Shop", Name: "sold", Display: "Sold", Interval: 500 * time.Millisecond, Asked: 500 * time.Millisecond,
				Delta: number(30), RateScale: time.Minute,
			}, number(60),
		},
		"without a type": {
			counter("s:Name d:Increment s:Series", "sold", 3.0, "Interval=2000"),
			counters.Value{Type: counters.Increment, Provider: "Shop", Name: "sold", Interval: 2 * time.Second, Asked: 2 * time.Second, Delta: number(3)},
			number(1.5),
		},
		"interval unknown": {
			counter("s:Name d:Increment", "sold", 3.0),
			counters.Value{Type: counters.Increment, Provider: "Shop", Name: "sold", Delta: number(3)}, counters.Number{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, errs := decode(t, made(t, c.event))
			expect.Len(t, "result", got, 1)
			expect.AtMost(t, "len(errs)", len(errs), 0)
			if !reflect.DeepEqual(got[0].Value, c.want) {
				t.Errorf("got[0].Value: got %v, want %v", got[0].Value, c.want)
			}
			expect.Equal(t, "got[0].Value.Rate()", got[0].Value.Rate(), c.rate)
		})
	}
}

// TestBadEventCounters: an event that cannot be a counter is an error.
func TestBadEventCounters(t *testing.T) {
	for field, c := range map[string]struct {
		event  event
		values int
	}{
		"CounterType":          {counter("s:Name s:CounterType", "load", "Median"), 0},
		"Series":               {counter("s:Name d:Mean s:Series", "load", 1.0, "Interval=soon"), 1},
		"DisplayRateTimeScale": {counter("s:Name d:Increment s:DisplayRateTimeScale", "load", 1.0, "a day"), 1},
	} {
		t.Run(field, func(t *testing.T) {
			got, errs := decode(t, made(t, c.event))
			expect.Len(t, "errs", errs, 1)
			expect.Equal(t, "errs[0].(*counters.Error).Field", errs[0].(*counters.Error).Field, field)
			expect.Equal(t, "len(got)", len(got), c.values)
		})
	}
}
