package counters

// maxSessions is the number of sessions that a Decoder distinguishes: several may
// have followed each other in a trace.
const maxSessions = 1 << 8

// session returns the state of a session, nil for one too many.
func (d *Decoder) session(id string) *listening {
	l := d.sessions[id]
	if l == nil && len(d.sessions) < maxSessions {
		if d.sessions == nil {
			d.sessions = map[string]*listening{}
		}
		l = &listening{instruments: map[int32]*Instrument{}, named: map[[3]string]*Instrument{}}
		d.sessions[id] = l
	}
	return l
}

func readInstrument(f *fields) *Instrument {
	return &Instrument{
		ID: int32(f.value("instrumentId").Int64()), Meter: f.text("meterName"), MeterVersion: f.text("meterVersion"),
		Name: f.text("instrumentName"), Type: f.text("instrumentType"), Unit: f.text("unit"), Description: f.text("description"),
		Tags: f.text("instrumentTags"), MeterTags: f.text("meterTags"), MeterScope: f.text("meterScopeHash"),
		SchemaURL: f.text("meterTelemetrySchemaUrl"),
	}
}

func (i *Instrument) key() [3]string { return [3]string{i.Meter, i.MeterVersion, i.Name} }

// begin stores an instrument. All of them are sent again when another client
// joins a shared session: the first message stays.
func (d *Decoder) begin(f *fields, m *Message) {
	m.Kind, m.Instrument = InstrumentBegin, readInstrument(f)
	l := d.session(m.SessionID)
	if l == nil {
		return
	}
	known := l.lookup(m.Instrument)
	switch {
	case known != nil && known.key() == m.Instrument.key():
		m.Instrument = known
	case known != nil:
		l.keep(m.Instrument)
	case d.held < maxInstruments:
		d.held++
		l.keep(m.Instrument)
	}
}

// end forgets an instrument.
func (d *Decoder) end(f *fields, m *Message) {
	m.Kind, m.Instrument = InstrumentEnd, readInstrument(f)
	l := d.sessions[m.SessionID]
	if l == nil {
		return
	}
	if known := l.lookup(m.Instrument); known != nil {
		d.held--
		m.Instrument = known
		delete(l.instruments, known.ID)
		if l.named[known.key()] == known {
			delete(l.named, known.key())
		}
	}
}

// lookup finds the instrument that a begin or an end is about.
func (l *listening) lookup(i *Instrument) *Instrument {
	if i.ID != 0 {
		return l.instruments[i.ID]
	}
	return l.named[i.key()]
}

func (l *listening) keep(i *Instrument) {
	if i.ID != 0 {
		l.instruments[i.ID] = i
	} else {
		l.named[i.key()] = i
	}
}

// find returns the instrument of a value.
func (l *listening) find(v *Value) *Instrument {
	if v.ID != 0 {
		return l.instruments[v.ID]
	}
	return l.named[[3]string{v.Provider, v.Version, v.Name}]
}
