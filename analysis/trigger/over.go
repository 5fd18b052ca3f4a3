package trigger

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// over is how long a time series is over (or under) the threshold.
type over struct {
	since int64 // ns: the beginning of the interval of the first such value
	last  int64 // ns: the time of the last value
	is    bool
}

// maxSeries bounds the time series of a rule.
const maxSeries = 10_000

// hasCounters reports whether the events of a metadata row are values of
// counters that rules are about.
func (m *Matcher) hasCounters(row *codec.Metadata) bool {
	for _, s := range m.states {
		if s.subject == subjectCounter && (row.Provider == counters.MetersProvider || row.Provider == s.counter.provider) {
			return true
		}
	}
	return false
}

// counter handles an event about counters.
func (m *Matcher) counter(e *codec.Event) {
	msg, _ := m.decoder.Decode(e) // a malformed field leaves the others
	switch msg.Kind {
	case counters.None:
		return
	case counters.Measurement:
	default:
		if m.opt.OnMessage != nil {
			m.opt.OnMessage(msg)
		}
		return
	}
	for _, s := range m.states {
		if s.subject == subjectCounter && s.counter.is(&msg.Value) {
			m.value(s, &msg)
		}
	}
}

// is reports whether a value is one of the counter.
func (c *counter) is(v *counters.Value) bool {
	if v.Provider != c.provider || v.Name != c.name {
		return false
	}
	if len(c.tags) == 0 {
		return true
	}
	tags := counters.ParseTags(v.Tags, v.Source)
	for i := range c.tags {
		if !c.tags[i].tagged(tags) {
			return false
		}
	}
	return true
}

// tagged reports whether one of the tags meets a condition.
func (c *condition) tagged(tags []counters.Tag) bool {
	for _, t := range tags {
		if t.Key == c.field {
			return c.holds([]byte(t.Value))
		}
	}
	return false
}

// number returns the number of a value that a rule compares.
func (c *counter) number(v *counters.Value) counters.Number {
	if c.quantile == 0 {
		return v.Shown()
	}
	for _, q := range v.Quantiles {
		if q.Quantile == c.quantile {
			return counters.Number{Float64: q.Value, Valid: true}
		}
	}
	return counters.Number{}
}

// value handles a value of a counter.
func (m *Matcher) value(s *state, msg *counters.Message) {
	v := &msg.Value
	n := s.counter.number(v)
	if !n.Valid {
		return
	}
	s.status.Seen++
	key := v.Key()
	series, known := s.series[key]
	if !known && len(s.series) >= maxSeries {
		s.status.LeftOut++
		return
	}
	at := msg.Time.UnixNano()
	holds := !math.IsNaN(n.Float64) && !math.IsInf(n.Float64, 0) && s.op.holds(n.Float64, s.threshold)
	series.add(at, int64(max(v.Interval, v.Asked)), holds)
	s.series[key] = series
	if !holds || !series.lasts(int64(s.lasting), int64(v.Interval)) {
		return
	}
	m.fire(s, msg.Time, n.Float64, func() string { return s.valueText(v, n.Float64) })
}

// add adds a value over an interval. Between two values that are more than three
// intervals apart the time series is not over the threshold.
func (o *over) add(at, interval int64, holds bool) {
	const maxGap = 3
	if o.is && interval > 0 && at-o.last > maxGap*interval {
		o.is = false
	}
	if holds && !o.is {
		o.since = at - interval
	}
	o.is, o.last = holds, at
}

// lasts reports whether the time series is over the threshold for a time. The
// measured intervals vary a little: a tenth of one may be missing.
func (o *over) lasts(lasting, interval int64) bool {
	return o.last-o.since+interval/10 >= lasting
}

// valueText returns the sentence about a value.
func (s *state) valueText(v *counters.Value, n float64) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s/%s", v.Provider, v.Name)
	if v.Tags != "" {
		fmt.Fprintf(&text, "{%s}", v.Tags)
	}
	fmt.Fprintf(&text, " was %.6g", n)
	if v.Unit != "" {
		fmt.Fprintf(&text, " %s", v.Unit)
	}
	if s.lasting > 0 {
		fmt.Fprintf(&text, ", over %v", time.Duration(s.lasting))
	}
	return text.String()
}
