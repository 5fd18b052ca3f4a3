package counters

import (
	"strconv"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/codec"
)

// eventCounter reads an event of the name EventCounters: one object, Payload,
// with the members that its kind of counter has.
func eventCounter(e *codec.Event) (Message, error) {
	f := fields{e: e, name: eventCountersName}
	msg := Message{Kind: Measurement, Time: e.Time()}
	v := &msg.Value
	v.Source, v.Provider = EventCounters, e.Provider()
	kind := ""
	for name, member := range f.value("Payload").Fields() {
		if name == "CounterType" {
			kind = member.Text()
		} else if read := eventCounterFields[name]; read != nil {
			read(v, &f, member)
		}
	}
	switch {
	case kind == "Sum", kind == "" && v.Delta.Valid:
		v.Type = Increment
	case kind == "Mean", kind == "" && v.Value.Valid:
	default:
		f.fail("CounterType", kind)
		return Message{}, f.err()
	}
	if v.Interval == 0 {
		v.Interval = v.Asked
	}
	return msg, f.err()
}

// eventCounterFields are the members of a payload by name.
var eventCounterFields = map[string]func(*Value, *fields, codec.Value){
	"Name":              func(v *Value, _ *fields, x codec.Value) { v.Name = x.Text() },
	"DisplayName":       func(v *Value, _ *fields, x codec.Value) { v.Display = x.Text() },
	"DisplayUnits":      func(v *Value, _ *fields, x codec.Value) { v.Unit = x.Text() },
	"Metadata":          func(v *Value, _ *fields, x codec.Value) { v.Tags = x.Text() },
	"Mean":              func(v *Value, _ *fields, x codec.Value) { v.Value = Number{x.Float64(), true} },
	"Increment":         func(v *Value, _ *fields, x codec.Value) { v.Delta = Number{x.Float64(), true} },
	"StandardDeviation": func(v *Value, _ *fields, x codec.Value) { v.Deviation = Number{x.Float64(), true} },
	"Count":             func(v *Value, _ *fields, x codec.Value) { v.Count = Number{x.Float64(), true} },
	"Min":               func(v *Value, _ *fields, x codec.Value) { v.Min = Number{x.Float64(), true} },
	"Max":               func(v *Value, _ *fields, x codec.Value) { v.Max = Number{x.Float64(), true} },
	"IntervalSec":       func(v *Value, _ *fields, x codec.Value) { v.Interval = seconds(x.Float64()) },
	"Series": func(v *Value, f *fields, x codec.Value) {
		var ok bool
		if v.Asked, ok = parseSeries(x.Text()); !ok {
			f.fail("Series", x.Text())
		}
	},
	"DisplayRateTimeScale": func(v *Value, f *fields, x codec.Value) {
		var ok bool
		if v.RateScale, ok = parseTimeSpan(x.Text()); !ok {
			f.fail("DisplayRateTimeScale", x.Text())
		}
	},
}

// parseSeries reads "Interval=1000": milliseconds.
func parseSeries(text string) (d time.Duration, ok bool) {
	const maxMilliseconds = 1 << 40
	number, _ := strings.CutPrefix(text, "Interval=")
	ms, err := strconv.ParseUint(number, 10, 63)
	if text == "" {
		return 0, true
	}
	if err != nil || ms > maxMilliseconds {
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true
}
