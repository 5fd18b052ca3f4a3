package alloc

import "github.com/nettrace-go/nettrace/analysis"

// The intervals of a rate: their first length, which doubles when there would be
// more of them than the limit.
const (
	firstInterval = 10e6 // nanoseconds
	maxIntervals  = 100
)

// rate sums up bytes by intervals of time of equal length.
type rate struct {
	length int64 // of an interval, in nanoseconds
	first  int64 // number of the first interval since the trace's sync time
	sums   []sum
}

// add adds bytes at a time.
func (r *rate) add(nanos int64, bytes float64) {
	if r.length == 0 {
		r.length = firstInterval
		r.first = floor(nanos, r.length)
	}
	for floor(nanos, r.length)-r.first >= maxIntervals {
		r.double()
	}
	at := max(0, floor(nanos, r.length)-r.first) // an event out of order can be earlier
	for int64(len(r.sums)) <= at {
		r.sums = append(r.sums, sum{})
	}
	r.sums[at].events++
	r.sums[at].bytes += bytes
}

// double joins pairs of intervals.
func (r *rate) double() {
	first := floor(r.first, 2)
	joined := make([]sum, 0, maxIntervals)
	for i := range r.sums {
		at := floor(r.first+int64(i), 2) - first
		if at == int64(len(joined)) {
			joined = append(joined, sum{})
		}
		joined[at].join(&r.sums[i])
	}
	r.length, r.first, r.sums = 2*r.length, first, joined
}

// floor divides and rounds down.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// intervals returns the parts of the intervals that are in the recording.
func (r *rate) intervals(t *analysis.Trace, process uint64) []Interval {
	start, end := t.Bounds(process)
	from, to := t.Nanos(start), t.Nanos(end)
	list := make([]Interval, len(r.sums))
	for i := range r.sums {
		at := (r.first + int64(i)) * r.length
		begin, done := max(at, from), min(at+r.length, max(to, at+1))
		list[i] = Interval{StartNs: begin, DurationNs: max(0, done-begin), Events: r.sums[i].events, Bytes: whole(r.sums[i].bytes)}
	}
	return list
}
