package counters

import (
	"math"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// Timeline has all values of one counter.
type Timeline struct {
	Process  uint64    // id of its process; 0 if unknown
	Provider string    // name of the EventSource or the Meter
	Name     string    // of the counter
	Display  string    // name for users
	Unit     string    // of the values, "" for none
	Tags     string    // as in counters.Value
	Shows    Shows     // what the values are, as in the Row
	At       []int64   // times of the values, in nanoseconds since the trace's sync time
	Values   []float64 // the numbers of the Row of this counter
}

// maxTimelines bounds the number of timelines.
const maxTimelines = 10_000

// Values collects the values of counters. It is a Part without reports, for
// analysis.Read.
type Values struct {
	// LeftOut is the number of values of counters that are left out, because
	// there are too many counters.
	LeftOut int64

	trace    *analysis.Trace
	decoders map[uint64]*counters.Decoder
	list     []*Timeline
	known    map[timelineKey]*Timeline
}

// timelineKey identifies a counter.
type timelineKey struct {
	process uint64
	key     counters.Key
}

// Name returns "counters".
func (c *Values) Name() string { return Name }

// Begin prepares for a trace.
func (c *Values) Begin(t *analysis.Trace) {
	*c = Values{trace: t, decoders: map[uint64]*counters.Decoder{}, known: map[timelineKey]*Timeline{}}
}

// Handler returns the function that collects values, for all events: those of
// counters have no provider in common.
func (c *Values) Handler(m *codec.Metadata) analysis.Handler {
	if m.Provider == counters.MetersProvider || m.Name == "EventCounters" {
		return c.event
	}
	return nil
}

// event handles an event.
func (c *Values) event(ev *codec.Event) {
	process := c.trace.Process(ev)
	d := c.decoders[process]
	if d == nil {
		d = &counters.Decoder{}
		c.decoders[process] = d
	}
	m, _ := d.Decode(ev) // an error leaves out the value
	if m.Kind != counters.Measurement {
		return
	}
	x, shows, ok := shown(&m.Value)
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	if of := c.of(process, &m.Value); of != nil {
		of.Shows = shows
		of.At = append(of.At, c.trace.Nanos(ev.Timestamp))
		of.Values = append(of.Values, x)
	}
}

// of returns the timeline of a value, nil if there are too many.
func (c *Values) of(process uint64, v *counters.Value) *Timeline {
	key := timelineKey{process, v.Key()}
	found := c.known[key]
	switch {
	case found != nil:
	case len(c.list) == maxTimelines:
		c.LeftOut++
	default:
		found = &Timeline{Process: process, Provider: v.Provider, Name: v.Name, Display: v.Display, Unit: v.Unit, Tags: v.Tags}
		c.known[key] = found
		c.list = append(c.list, found)
	}
	return found
}

// Lost does nothing: a value needs no other event.
func (c *Values) Lost(analysis.Thread) {}

// Reports returns nothing.
func (c *Values) Reports(*analysis.Trace) []analysis.Report { return nil }

// Timelines returns the counters, in the order of their first values.
func (c *Values) Timelines() []*Timeline { return c.list }
