package codec

import "strconv"

// Keys of the properties that record the time range of a slice of a trace, in
// decimal ticks: from SliceFromKey (inclusive) to SliceToKey (exclusive). A
// missing property means no bound. Only v6 has such properties.
const (
	SliceFromKey = "SliceFrom"
	SliceToKey   = "SliceTo"
)

// SliceTime returns the time range of a trace that is a slice of a longer one,
// the zero TimeRange if the trace has no such properties. Naming events, such
// as those of a rundown, may be outside of it.
func (t *Trace) SliceTime() TimeRange {
	var r TimeRange
	r.From, r.HasFrom = t.tickProperty(SliceFromKey)
	r.To, r.HasTo = t.tickProperty(SliceToKey)
	return r
}

func (t *Trace) tickProperty(key string) (uint64, bool) {
	text, _ := t.Property(key)
	ticks, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, false
	}
	return ticks, true
}

// SetSliceTime replaces the properties of SliceTime. It copies the list of
// properties first.
func (t *Trace) SetSliceTime(r TimeRange) {
	kept := make([]KeyValue, 0, len(t.Properties)+2)
	for _, p := range t.Properties {
		if p.Key != SliceFromKey && p.Key != SliceToKey {
			kept = append(kept, p)
		}
	}
	if r.HasFrom {
		kept = append(kept, KeyValue{SliceFromKey, strconv.FormatUint(r.From, 10)})
	}
	if r.HasTo {
		kept = append(kept, KeyValue{SliceToKey, strconv.FormatUint(r.To, 10)})
	}
	t.Properties = kept
}
