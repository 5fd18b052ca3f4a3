package view

import (
	"math"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// Counter has the values of one counter.
type Counter struct {
	Process  string    `json:"process"`  // id of its process; "0" if unknown
	Provider string    `json:"provider"` // name of the EventSource or the Meter
	Name     string    `json:"name"`     // of the counter
	Display  string    `json:"display"`  // name for users
	Unit     string    `json:"unit"`     // of the values, "" for none
	Tags     string    `json:"tags"`     // as in counters.Value
	At       []int64   `json:"at"`       // times of the values
	Values   []float64 `json:"values"`   // as counters.Value.Shown returns them
}

// maxCounters bounds the number of counters of a document.
const maxCounters = 10_000

// Counters collects the values of counters. It is a Part without reports, for
// analysis.Read.
type Counters struct {
	// LeftOut is the number of values of counters that are left out, because
	// there are too many counters.
	LeftOut int64

	trace    *analysis.Trace
	decoders map[uint64]*counters.Decoder
	list     []*Counter
	known    map[counterKey]*Counter
}

// counterKey identifies a counter.
type counterKey struct {
	process uint64
	key     counters.Key
}

// Name returns "counters".
func (c *Counters) Name() string { return "counters" }

// Begin prepares for a trace.
func (c *Counters) Begin(t *analysis.Trace) {
	*c = Counters{trace: t, decoders: map[uint64]*counters.Decoder{}, known: map[counterKey]*Counter{}}
}

// Handler returns the function that collects values, for all events: those of
// counters have no provider in common.
func (c *Counters) Handler(m *codec.Metadata) analysis.Handler {
	if m.Provider == counters.MetersProvider || m.Name == "EventCounters" {
		return c.event
	}
	return nil
}

// event handles an event.
func (c *Counters) event(ev *codec.Event) {
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
	n := m.Value.Shown()
	if !n.Valid || math.IsNaN(n.Float64) || math.IsInf(n.Float64, 0) {
		return
	}
	if of := c.of(process, &m.Value); of != nil {
		of.At = append(of.At, c.trace.Nanos(ev.Timestamp))
		of.Values = append(of.Values, n.Float64)
	}
}

// of returns the counter of a value, nil if there are too many.
func (c *Counters) of(process uint64, v *counters.Value) *Counter {
	key := counterKey{process, v.Key()}
	found := c.known[key]
	switch {
	case found != nil:
	case len(c.list) == maxCounters:
		c.LeftOut++
	default:
		found = &Counter{Process: number(process), Provider: v.Provider, Name: v.Name, Display: v.Display, Unit: v.Unit, Tags: v.Tags}
		c.known[key] = found
		c.list = append(c.list, found)
	}
	return found
}

// Lost does nothing: a value needs no other event.
func (c *Counters) Lost(analysis.Thread) {}

// Reports returns nothing.
func (c *Counters) Reports(*analysis.Trace) []analysis.Report { return nil }
