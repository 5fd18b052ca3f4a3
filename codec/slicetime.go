package codec

import "strconv"

// Keys of the properties that record which times a slice of a trace holds, as
// decimal ticks: those from SliceFromKey on and those before SliceToKey. A bound
// without a property does not exist. Only v6 has a place for them.
const (
	SliceFromKey = "SliceFrom"
	SliceToKey   = "SliceTo"
)

// SliceTime returns the range of times that the trace holds of a longer one, the
// zero TimeRange when no property says so. Events that only name what others
// refer to, such as those of a rundown, may have other times.
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

// SetSliceTime replaces the properties that SliceTime reads. The list of
// properties is copied before.
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
