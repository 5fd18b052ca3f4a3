package profile

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// record is a sample as it is kept.
type record struct {
	ticks   uint64
	stack   StackID
	thread  uint32
	detail  uint32 // position in details, 0 for none
	managed bool
}

// detail is what samples have that are no wall samples.
type detail struct {
	value, count  int64
	owner         uint64  // thread that held the lock, 0 for none
	activity      uint32  // position in activities
	label, labels uint32  // labels[label:label+labels]
	leaf          FrameID // made up, above the stack's own; 0 for none
}

// activityPair is an activity and the one that caused it.
type activityPair struct{ activity, related wire.GUID }

// records are the samples of a type.
//
// Invariant, once sorted: those of thread i are rows[starts[i]:starts[i+1]], in
// order of time, then of the stream.
type records struct {
	rows   []record
	starts []uint32
}

// sort orders by thread and time.
func (r *records) sort(threads int) {
	slices.SortStableFunc(r.rows, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.ticks, b.ticks))
	})
	r.starts = make([]uint32, threads+1)
	for i := range r.rows {
		r.starts[r.rows[i].thread+1]++
	}
	for i := range threads {
		r.starts[i+1] += r.starts[i]
	}
}

// of returns the samples of a thread.
func (r *records) of(thread int) []record {
	if thread < 0 || thread+1 >= len(r.starts) {
		return nil
	}
	return r.rows[r.starts[thread]:r.starts[thread+1]]
}

// median is the median interval of a thread's samples in nanoseconds, 0 when no
// thread has two.
func (r *records) median(nanos scale) int64 {
	intervals := make([]int64, 0, len(r.rows))
	for thread := range len(r.starts) - 1 {
		rows := r.of(thread)
		for i := 1; i < len(rows); i++ {
			intervals = append(intervals, nanos.of(int64(rows[i].ticks-rows[i-1].ticks)))
		}
	}
	if len(intervals) == 0 {
		return 0
	}
	slices.Sort(intervals)
	return intervals[len(intervals)/2]
}

// scale turns ticks into nanoseconds.
type scale struct{ frequency uint64 }

func newScale(frequency uint64) scale { return scale{frequency} }

// of converts ticks, rounded towards zero; it stops at the bounds of an int64.
// Without a frequency a tick is a nanosecond.
func (s scale) of(ticks int64) int64 {
	if s.frequency == 1e9 || s.frequency == 0 {
		return ticks
	}
	size := uint64(ticks)
	if ticks < 0 {
		size = -size
	}
	hi, lo := bits.Mul64(size, 1e9)
	if hi >= s.frequency {
		size = math.MaxInt64
	} else {
		size, _ = bits.Div64(hi, lo, s.frequency)
		size = min(size, math.MaxInt64)
	}
	if ticks < 0 {
		return -int64(size)
	}
	return int64(size)
}
