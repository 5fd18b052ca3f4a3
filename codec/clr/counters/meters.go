package counters

import (
	"fmt"
)

// readers are the events of System.Diagnostics.Metrics by id, and eventNames
// their names.
var readers = [...]func(d *Decoder, f *fields, m *Message){
	1:  func(_ *Decoder, f *fields, m *Message) { m.Kind, m.Text = Log, f.text("Message") },
	2:  collection(IntervalStart),
	3:  collection(IntervalStop),
	4:  measurement(Counter, nil),
	5:  measurement(Gauge, nil),
	6:  measurement(Histogram, nil),
	7:  (*Decoder).begin,
	8:  (*Decoder).end,
	9:  failure(SessionError),
	10: func(_ *Decoder, _ *fields, m *Message) { m.Kind = EnumerationComplete },
	11: func(d *Decoder, f *fields, m *Message) {
		m.Kind, m.Instrument = InstrumentPublished, readInstrument(f)
	},
	12: func(_ *Decoder, _ *fields, m *Message) { m.Kind = TimeSeriesLimit },
	13: func(_ *Decoder, _ *fields, m *Message) { m.Kind = HistogramLimit },
	14: failure(CallbackError),
	15: func(_ *Decoder, f *fields, m *Message) {
		m.Kind, m.SessionID = SessionRefused, f.text("runningSessionId")
	},
	16: measurement(UpDownCounter, nil),
	17: func(_ *Decoder, f *fields, m *Message) { m.Kind, m.Mismatch = SharedRefused, readMismatch(f) },
	18: func(_ *Decoder, f *fields, m *Message) {
		m.Kind = SourceVersion
		m.Text = fmt.Sprintf("%d.%d.%d", f.value("Major").Int64(), f.value("Minor").Int64(), f.value("Patch").Int64())
	},
	19: measurement(Histogram, readBuckets),
}

var eventNames = [...]string{
	1: "Message", 2: "CollectionStart", 3: "CollectionStop", 4: "CounterRateValuePublished", 5: "GaugeValuePublished",
	6: "HistogramValuePublished", 7: "BeginInstrumentReporting", 8: "EndInstrumentReporting", 9: "Error",
	10: "InitialInstrumentEnumerationComplete", 11: "InstrumentPublished", 12: "TimeSeriesLimitReached",
	13: "HistogramLimitReached", 14: "ObservableInstrumentCallbackError", 15: "MultipleSessionsNotSupportedError",
	16: "UpDownCounterRateValuePublished", 17: "MultipleSessionsConfiguredIncorrectlyError", 18: "Version",
	19: "Base2ExponentialHistogramValuePublished",
}

// failure reads an event with a message for users.
func failure(kind Kind) func(*Decoder, *fields, *Message) {
	return func(_ *Decoder, f *fields, m *Message) { m.Kind, m.Text = kind, f.text("errorMessage") }
}

// collection reads the start or the end of an interval, whose length is that of
// the values in between.
func collection(kind Kind) func(*Decoder, *fields, *Message) {
	return func(d *Decoder, f *fields, m *Message) {
		m.Kind = kind
		from, ok := f.value("intervalStartTime").Time()
		to, too := f.value("intervalEndTime").Time()
		if !ok || !too || to.Before(from) {
			f.fail("intervalEndTime", to.String())
			return
		}
		m.From, m.To = from, to
		if l := d.session(m.SessionID); l != nil {
			l.interval = to.Sub(from)
		}
	}
}

// measurement reads the fields of a value, and then those that rest reads.
func measurement(t Type, rest func(*fields, *Value)) func(*Decoder, *fields, *Message) {
	return func(d *Decoder, f *fields, m *Message) {
		m.Kind = Measurement
		m.Value.Source, m.Value.Type = Meters, t
		d.measure(f, m, f.all(), meterMembers)
		if rest != nil {
			rest(f, &m.Value)
			f.learned = nil
		}
	}
}

func readBuckets(f *fields, v *Value) {
	v.Buckets = &Buckets{Scale: int32(f.value("scale").Int64()), ZeroCount: f.value("zeroCount").Int64()}
	text, ok := f.text("buckets"), false
	if v.Buckets.Counts, ok = parseCounts(text); !ok {
		f.fail("buckets", text)
	}
}

func readMismatch(f *fields) *Mismatch {
	return &Mismatch{
		ClientID:              f.text("clientId"),
		ExpectedMaxHistograms: f.text("expectedMaxHistograms"), MaxHistograms: f.text("actualMaxHistograms"),
		ExpectedMaxTimeSeries: f.text("expectedMaxTimeSeries"), MaxTimeSeries: f.text("actualMaxTimeSeries"),
		ExpectedRefreshInterval: f.text("expectedRefreshInterval"), RefreshSeconds: f.text("actualRefreshInterval"),
	}
}
