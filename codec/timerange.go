package codec

// TimeRange selects the times from From up to but not including To, in ticks.
// A bound applies only when HasFrom or HasTo is set, so the zero TimeRange
// selects all times and a set bound of 0 is a bound like any other.
type TimeRange struct {
	From, To       uint64 // ticks
	HasFrom, HasTo bool
}

// Contains reports whether r selects the given time.
func (r TimeRange) Contains(ticks uint64) bool {
	return (!r.HasFrom || r.From <= ticks) && (!r.HasTo || ticks < r.To)
}

// Clip returns the part of the span from start to end, in ticks, that r selects.
// It reports false when r selects no part of it. A span without a duration is
// treated as the time start.
func (r TimeRange) Clip(start, end uint64) (from, to uint64, ok bool) {
	if end <= start {
		return start, start, r.Contains(start)
	}
	if r.HasFrom {
		start = max(start, r.From)
	}
	if r.HasTo {
		end = min(end, r.To)
	}
	return start, end, start < end
}

// Bounded reports whether r has a bound.
func (r TimeRange) Bounded() bool { return r.HasFrom || r.HasTo }
