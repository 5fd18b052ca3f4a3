package counters

import (
	"cmp"
	"slices"
)

// Instruments keeps which instruments are measured and have no value. An observable
// instrument whose callback returns nothing, and an instrument that the program did not use,
// have none. The zero value is ready to use. It is for one goroutine.
type Instruments struct {
	silent map[*Instrument]bool // by instrument that is measured: no value has come
}

// Add adds a message: the begin or the end of an instrument, or a measurement. It ignores
// other kinds.
func (s *Instruments) Add(m *Message) {
	switch m.Kind {
	case InstrumentBegin:
		if _, known := s.silent[m.Instrument]; known || len(s.silent) == maxInstruments {
			return
		}
		if s.silent == nil {
			s.silent = map[*Instrument]bool{}
		}
		s.silent[m.Instrument] = true
	case Measurement:
		if s.silent[m.Value.Instrument] {
			s.silent[m.Value.Instrument] = false
		}
	case InstrumentEnd:
		delete(s.silent, m.Instrument)
	}
}

// Silent returns the instruments that are measured and of which no value has come, by Meter
// and name. Several sessions can measure an instrument: it is returned once, if none has a
// value.
func (s *Instruments) Silent() []*Instrument {
	skip := map[[3]string]bool{}
	for i, silent := range s.silent {
		if !silent {
			skip[i.key()] = true
		}
	}
	var list []*Instrument
	for i, silent := range s.silent {
		if silent && !skip[i.key()] {
			skip[i.key()] = true
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b *Instrument) int {
		return cmp.Or(cmp.Compare(a.Meter, b.Meter), cmp.Compare(a.Name, b.Name), cmp.Compare(a.MeterVersion, b.MeterVersion))
	})
	return list
}
