package model

import "slices"

// Interval is a time from one timestamp to a later one, in ticks.
type Interval struct {
	From, To uint64 // ticks
}

// Union returns the sum of the lengths of intervals in which no instant counts
// twice, in nanoseconds. It sorts the intervals.
func (t *Trace) Union(list []Interval) int64 {
	slices.SortFunc(list, func(a, b Interval) int {
		switch {
		case a.From < b.From:
			return -1
		case a.From > b.From:
			return 1
		}
		return 0
	})
	sum, end := int64(0), uint64(0)
	for _, i := range list {
		from := max(i.From, end)
		if i.To > from {
			sum += t.Between(from, i.To)
			end = i.To
		}
	}
	return sum
}
