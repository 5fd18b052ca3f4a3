package counters

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// process has the counters of one process.
type process struct {
	trace       *analysis.Trace
	id          uint64
	held        *held
	decoder     counters.Decoder
	series      map[counters.Key]*series
	instruments map[*counters.Instrument]bool // of series: whether it has ended
	measured    counters.Instruments
	totals      Totals
}

func newProcess(p *Part, id uint64) *process {
	return &process{
		trace: p.trace, id: id, held: &p.held, series: map[counters.Key]*series{}, instruments: map[*counters.Instrument]bool{},
		totals: Totals{Errors: []Error{}},
	}
}

// event handles an event about counters.
func (p *process) event(ev *codec.Event) {
	m, err := p.decoder.Decode(ev)
	if err != nil {
		p.totals.MalformedEvents++
	}
	p.measured.Add(&m)
	switch m.Kind {
	case counters.Measurement:
		p.measure(ev, &m.Value)
	case counters.InstrumentEnd:
		if _, known := p.instruments[m.Instrument]; known {
			p.instruments[m.Instrument] = true
		}
	case counters.TimeSeriesLimit:
		p.totals.TimeSeriesLimit = true
	case counters.HistogramLimit:
		p.totals.HistogramLimit = true
	case counters.CallbackError, counters.SessionError:
		p.fail(m.Kind == counters.CallbackError, m.Text)
	}
}

// measure handles a measurement.
func (p *process) measure(ev *codec.Event, v *counters.Value) {
	p.totals.Values++
	key := v.Key()
	s := p.series[key]
	if s == nil {
		if s = p.newSeries(v); s == nil {
			p.totals.LeftOutValues++
			return
		}
		p.series[key] = s
	}
	if v.Instrument != s.instrument {
		delete(p.instruments, s.instrument)
		s.instrument = v.Instrument
	}
	if s.instrument != nil {
		p.instruments[s.instrument] = false
	}
	s.add(v, p.trace.Nanos(ev.Timestamp))
}

// newSeries returns a series, nil for one above the limits.
func (p *process) newSeries(v *counters.Value) *series {
	limits := p.trace.Limits()
	text := int64(len(v.Provider) + len(v.Version) + len(v.Name) + len(v.Display) + len(v.Unit) + len(v.Tags))
	if p.held.series >= min(limits.Rows, counters.DefaultMaxSeries) || p.held.text+text > limits.Symbols {
		return nil
	}
	p.held.series++
	p.held.text += text
	return newSeries(v)
}

// Bounds of the errors of a process.
const (
	maxErrors    = 100
	maxErrorText = 1 << 10 // bytes
)

// fail counts an error in the process.
func (p *process) fail(callback bool, text string) {
	if len(text) > maxErrorText {
		text = text[:maxErrorText]
	}
	for i := range p.totals.Errors {
		if e := &p.totals.Errors[i]; e.Text == text && e.Callback == callback {
			e.Count++
			return
		}
	}
	if len(p.totals.Errors) == maxErrors {
		p.totals.LeftOutErrors++
		return
	}
	p.totals.Errors = append(p.totals.Errors, Error{Callback: callback, Text: text, Count: 1})
}
