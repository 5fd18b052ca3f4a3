package counters

import "github.com/nettrace-go/nettrace/codec"

// member is how a member of a measurement is read. At most one of its functions is set.
type member struct {
	// name sets text that is the same in all events of a time series.
	name func(f *fields, m *Message, text string)
	// text sets text that differs, and reports whether it is well-formed.
	text func(d *Decoder, v *Value, text []byte) bool
	// number sets a number.
	number func(v *Value, x float64)
}

// eventCounterMembers are the members of the object Payload by name.
var eventCounterMembers = map[string]member{
	"Name":              {name: func(_ *fields, m *Message, s string) { m.Value.Name = s }},
	"DisplayName":       {name: func(_ *fields, m *Message, s string) { m.Value.Display = s }},
	"DisplayUnits":      {name: func(_ *fields, m *Message, s string) { m.Value.Unit = s }},
	"Metadata":          {name: func(_ *fields, m *Message, s string) { m.Value.Tags = s }},
	"CounterType":       {name: func(f *fields, _ *Message, s string) { f.counterType = s }},
	"Mean":              {number: func(v *Value, x float64) { v.Value = Number{x, true} }},
	"Increment":         {number: func(v *Value, x float64) { v.Delta = Number{x, true} }},
	"StandardDeviation": {number: func(v *Value, x float64) { v.Deviation = Number{x, true} }},
	"Count":             {number: setCount},
	"Min":               {number: setMin},
	"Max":               {number: setMax},
	"IntervalSec":       {number: func(v *Value, x float64) { v.Interval = seconds(x) }},
	"Series": {name: func(f *fields, m *Message, s string) {
		var ok bool
		if m.Value.Asked, ok = parseSeries(s); !ok {
			f.fail("Series", s)
		}
	}},
	"DisplayRateTimeScale": {name: func(f *fields, m *Message, s string) {
		var ok bool
		if m.Value.RateScale, ok = parseTimeSpan(s); !ok {
			f.fail("DisplayRateTimeScale", s)
		}
	}},
}

// meterMembers are the fields of the values of Meters by name.
var meterMembers = map[string]member{
	"sessionId":      {name: func(_ *fields, m *Message, s string) { m.SessionID = s }},
	"meterName":      {name: func(_ *fields, m *Message, s string) { m.Value.Provider = s }},
	"meterVersion":   {name: func(_ *fields, m *Message, s string) { m.Value.Version = s }},
	"instrumentName": {name: func(_ *fields, m *Message, s string) { m.Value.Name = s }},
	"unit":           {name: func(_ *fields, m *Message, s string) { m.Value.Unit = s }},
	"tags":           {name: func(_ *fields, m *Message, s string) { m.Value.Tags = s }},
	"instrumentId":   {number: func(v *Value, x float64) { v.ID = int32(int64(x)) }},
	"rate":           {text: func(_ *Decoder, v *Value, s []byte) (ok bool) { v.Delta, ok = parseNumber(s); return ok }},
	"value":          {text: setValue},
	"lastValue":      {text: setValue},
	"count":          {number: setCount},
	"sum":            {number: func(v *Value, x float64) { v.Sum = Number{x, true} }},
	"minimum":        {number: setMin},
	"maximum":        {number: setMax},
	"quantiles": {text: func(d *Decoder, v *Value, s []byte) (ok bool) {
		d.quantiles, ok = appendQuantiles(d.quantiles[:0], s)
		v.Quantiles = d.quantiles[:len(d.quantiles):len(d.quantiles)]
		return ok
	}},
}

func setCount(v *Value, x float64) { v.Count = Number{x, true} }
func setMin(v *Value, x float64)   { v.Min = Number{x, true} }
func setMax(v *Value, x float64)   { v.Max = Number{x, true} }

func setValue(_ *Decoder, v *Value, s []byte) (ok bool) { v.Value, ok = parseNumber(s); return ok }

// read reads a member of a message.
func (m member) read(d *Decoder, f *fields, msg *Message, name string, x codec.Value) {
	switch {
	case m.name != nil:
		m.name(f, msg, x.Text())
	case m.number != nil:
		m.number(&msg.Value, x.Float64())
	case m.text != nil:
		d.text = x.AppendText(d.text[:0])
		if !m.text(d, &msg.Value, d.text) {
			f.fail(name, string(d.text))
		}
	}
}
