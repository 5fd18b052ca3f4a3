package codec

// TimeRange selects the times from From (inclusive) to To (exclusive), in
// ticks. A bound applies only if HasFrom or HasTo is set, so the zero TimeRange
// selects all times, and 0 can be a bound.
type TimeRange struct {
	From, To       uint64 // ticks
	HasFrom, HasTo bool   // whether From and To apply
}

// Contains reports whether r selects the given time.
func (r TimeRange) Contains(ticks uint64) bool {
	return (!r.HasFrom || r.From <= ticks) && (!r.HasTo || ticks < r.To)
}

// Clip returns the part of the time from start to end, in ticks, that r
// selects, and false if r selects no part of it. If start equals end, it is
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
