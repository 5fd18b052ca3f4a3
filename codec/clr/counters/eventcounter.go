package counters

import (
	"strconv"
	"strings"
	"time"
)

// readEventCounter reads an event of the name EventCounters: one object, Payload, with the
// members that its kind of counter has.
func readEventCounter(d *Decoder, f *fields, m *Message) {
	m.Kind = Measurement
	v := &m.Value
	v.Source, v.Provider = EventCounters, f.e.Provider()
	d.measure(f, m, f.value("Payload").Fields(), eventCounterMembers)
	switch {
	case f.counterType == "Sum", f.counterType == "" && v.Delta.Valid:
		v.Type = Increment
	case f.counterType == "Mean", f.counterType == "" && v.Value.Valid:
	default:
		f.fail("CounterType", f.counterType)
		*m = Message{}
	}
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
