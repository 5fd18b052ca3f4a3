package metrics

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// Stats count what a Decoder could not use.
type Stats struct {
	Malformed int  // events with a malformed field, whose value is left out
	Limited   bool // the process has more series or histograms of Meters than it reports
	Callbacks int  // callbacks of Meters that threw an exception
}

// Decoder makes rounds of the events of one process. It is for one goroutine.
type Decoder struct {
	opt      Options
	mappings map[[2]string]*Mapping // by EventSource and counter
	own      map[string]bool        // the EventSources of sources
	client   counters.MetersSession

	counters counters.Decoder
	groups   []*group // by source
	series   int
	dropped  int64
	lost     uint64
	stats    Stats
	refused  string

	cpu processorTime
}

// NewDecoder returns a Decoder for the events of one process.
func NewDecoder(o Options) *Decoder {
	d := &Decoder{opt: o, mappings: map[[2]string]*Mapping{}, own: map[string]bool{}}
	all := Mappings()
	for i := range all {
		m := &all[i]
		d.mappings[[2]string{m.Source, m.Counter}] = m
		d.own[m.Source] = true
	}
	return d
}

// Stats returns what the Decoder could not use so far.
func (d *Decoder) Stats() Stats { return d.stats }

// Lost adds events that a session has lost: it is for [codec.Options].OnLost.
func (d *Decoder) Lost(l codec.Lost) { d.lost += l.Count }

// Decode reads an event, and calls yield with each round that it completes. Events that are not
// about counters are ignored.
func (d *Decoder) Decode(e *codec.Event, yield func(*Round)) {
	m, err := d.counters.Borrow(e)
	if err != nil {
		d.stats.Malformed++
	}
	if m.Kind == counters.None || m.SessionID != "" && d.client.ID != "" && d.client.Classify(m) == counters.Foreign {
		return
	}
	switch m.Kind {
	case counters.Measurement:
		d.measure(m, yield)
	case counters.IntervalStop:
		if g := d.group(counters.MetersProvider); g != nil && g.open {
			g.finish(d, yield)
		}
	case counters.InstrumentEnd:
		if g := d.group(counters.MetersProvider); g != nil {
			g.end(m.Instrument)
		}
	case counters.SessionRefused:
		d.refused = "the session " + m.SessionID + " of another client"
	case counters.SharedRefused:
		d.refused = "other settings of the shared session"
	case counters.SessionError:
		d.refused = m.Text
	case counters.TimeSeriesLimit, counters.HistogramLimit:
		d.stats.Limited = true
	case counters.CallbackError:
		d.stats.Callbacks++
	}
}

// Flush calls yield with the rounds that have begun: those at the end of a session.
func (d *Decoder) Flush(yield func(*Round)) {
	for _, g := range d.groups {
		if g.open {
			g.finish(d, yield)
		}
	}
}

// Restart begins another session of the same process: sums go on, and lack what no session measured.
func (d *Decoder) Restart() {
	d.counters = counters.Decoder{}
	for _, g := range d.groups {
		g.restart()
	}
}

// Close closes the file with the processor time of the process.
func (d *Decoder) Close() { d.cpu.close() }

// group returns the series of a source, nil for a new one that Options.MaxSeries leaves out.
func (d *Decoder) group(source string) *group {
	for _, g := range d.groups {
		if g.source == source {
			return g
		}
	}
	if d.series >= d.opt.maxSeries() {
		return nil
	}
	g := &group{source: source, index: map[counters.Key]*series{}}
	d.groups = append(d.groups, g)
	return g
}

// measure adds a value to its round.
func (d *Decoder) measure(m *counters.Message, yield func(*Round)) {
	v := &m.Value
	source := v.Provider
	if v.Source == counters.Meters {
		source = counters.MetersProvider
	}
	g := d.group(source)
	if g == nil {
		d.dropped++
		return
	}
	s := g.find(v)
	if s == nil {
		if s = d.enter(g, v); s == nil {
			return
		}
	}
	if g.known && (s.isNew || s.removed) {
		g.alive++
	}
	if g.open && (s.round == g.round || v.Source == counters.EventCounters && m.Time.Sub(g.begun) > window(v)) {
		g.finish(d, yield) // its last values are missing
	}
	switch {
	case g.open:
	case g.known && s.isNew && v.Source == counters.EventCounters && m.Time.Sub(g.last) < window(v):
		s.set(v, m.Time) // a series that the round before did not expect: the next one has it
		s.first, s.isNew = false, false
		return
	default:
		g.open, g.begun, g.got = true, m.Time, 0
		g.round++
	}
	s.set(v, m.Time)
	if s.round != g.round {
		s.round = g.round
		g.got++
	}
	g.last, g.interval = m.Time, v.Interval
	if v.Source == counters.EventCounters && g.known && g.got == g.alive {
		g.finish(d, yield)
	}
}

// window is the time in which the values of a round come.
func window(v *counters.Value) time.Duration {
	switch {
	case v.Asked > 0:
		return v.Asked / 2
	case v.Interval > 0:
		return v.Interval / 2
	}
	return time.Second / 2
}

// Rounds records the process until ctx or the process ends, and yields its rounds. The last value
// of an iteration that the caller does not leave is an error that says what ended it: see
// [eventpipe.Session.Events]. A process that is silent for three intervals, and at least 10 s, is
// halted: a [*eventpipe.SilenceError]. Rounds may be called again for the same process: its
// sums go on.
func (d *Decoder) Rounds(ctx context.Context, p *eventpipe.Process) iter.Seq2[*Round, error] {
	return func(yield func(*Round, error) bool) {
		if d.opt.PID == 0 {
			d.opt.PID = p.PID
		}
		session, err := d.start(ctx, p.Client())
		if err != nil {
			yield(nil, err)
			return
		}
		defer d.Close()
		left := false
		give := func(r *Round) { left = left || !yield(r, nil) }
		options := eventpipe.EventsOptions{Silence: max(3*d.opt.interval(), 10*time.Second), Reading: codec.Options{OnLost: d.Lost, NoStacks: true}}
		for e, err := range session.Events(ctx, options) {
			switch {
			case err == nil:
				d.Decode(e, give)
			default:
				d.Flush(give)
				if !left {
					yield(nil, err)
				}
				return
			}
			if left {
				return
			}
		}
	}
}

// bufferMB is the buffer of a session: values of counters are few.
const bufferMB = 16

// start starts a session.
func (d *Decoder) start(ctx context.Context, client *eventpipe.Client) (*eventpipe.Session, error) {
	version := ""
	info, err := client.ProcessInfo(ctx)
	switch {
	case err == nil:
		version = info.Version
	case !errors.As(err, new(*eventpipe.UnsupportedError)):
		return nil, err
	}
	d.Restart()
	return client.StartSession(ctx, eventpipe.SessionConfig{Providers: d.Providers(version), NoRundown: true, BufferMB: bufferMB})
}
