package codec

import (
	"cmp"
	"math/bits"
	"slices"
)

// orderKey is an event to be put in order: its time and its position.
type orderKey struct {
	timestamp uint64
	index     uint32
}

// Above mergeRuns runs, and from radixFrom events on, counting by digits is
// faster than merging.
const (
	mergeRuns = 4
	radixFrom = 1 << 10
	digitBits = 12 // maximum
	crowded   = 8  // moves a key that buckets may cost
)

// sortByTime sorts keys, which are in file order, by time, and equal times by
// capture thread. spare is as long as keys; the result is one of the two.
//
// Writers write almost sorted rows: none, or few, older than the row before. The
// runs between them are merged; only many runs are sorted by digits.
func sortByTime(keys, spare []orderKey, events []Event) []orderKey {
	runs, low, high, equal := survey(keys)
	switch {
	case runs <= 1 && !equal:
		return keys
	case runs <= 1:
	case runs <= mergeRuns || len(keys) < radixFrom:
		keys = mergeNaturalRuns(keys, spare)
	default:
		if sorted, done := bucketSort(keys, spare, low, high, events); done {
			return sorted
		}
		keys = radixSort(spare, keys, low, high)
	}
	orderTies(keys, events)
	return keys
}

// keysOf returns the keys of events, in keys if it has space.
func keysOf(keys []orderKey, events []Event) []orderKey {
	keys = slices.Grow(keys[:0], len(events))[:len(events)]
	for i := range keys {
		k := &keys[i]
		k.timestamp, k.index = events[i].Timestamp, uint32(i)
	}
	return keys
}

// survey counts the ascending runs, finds the bounds, and reports whether
// neighbours are equal.
func survey(keys []orderKey) (runs int, low, high uint64, equal bool) {
	if len(keys) == 0 {
		return 0, 0, 0, false
	}
	runs, low, high = 1, keys[0].timestamp, keys[0].timestamp
	last := low
	for i := 1; i < len(keys); i++ {
		ts := keys[i].timestamp
		if ts < last {
			runs++
		}
		equal = equal || ts == last
		low, high, last = min(low, ts), max(high, ts), ts
	}
	return runs, low, high, equal
}

// mergeNaturalRuns merges neighbouring runs until one is left; it keeps the
// order of equal keys.
func mergeNaturalRuns(from, to []orderKey) []orderKey {
	for {
		merged, pairs := 0, 0
		for merged < len(from) {
			middle := runEnd(from, merged)
			end := runEnd(from, middle)
			merge(to[merged:end], from[merged:middle], from[middle:end])
			merged = end
			pairs++
		}
		from, to = to, from
		if pairs <= 1 {
			return from
		}
	}
}

// runEnd returns where the ascending run that begins at start ends.
func runEnd(keys []orderKey, start int) int {
	if start >= len(keys) {
		return start
	}
	i := start + 1
	for i < len(keys) && keys[i].timestamp >= keys[i-1].timestamp {
		i++
	}
	return i
}

func merge(to, a, b []orderKey) {
	for i := range to {
		if len(b) == 0 || len(a) > 0 && a[0].timestamp <= b[0].timestamp {
			copy(to[i:], a[:1])
			a = a[1:]
		} else {
			to[i] = b[0]
			b = b[1:]
		}
	}
}

// bucketSort puts keys into buckets by their highest bits, as many as there are
// keys, and then moves each to its place in to from where it is; equal times in
// order of capture thread, then of the file. It is not done where bursts crowd the
// buckets.
func bucketSort(from, to []orderKey, low, high uint64, events []Event) (sorted []orderKey, done bool) {
	size := bits.Len64(high - low)
	width := min(size, digitBits, bits.Len(uint(len(from))))
	scatter(from, to, low, size-width, width)
	budget := crowded * len(to)
	last := uint64(0)
	for i := range to {
		k := to[i]
		if k.timestamp > last || i == 0 {
			last = k.timestamp
			continue
		}
		j := i - 1
		for ; j >= 0 && (to[j].timestamp > k.timestamp || to[j].timestamp == k.timestamp && after(to[j], k, events)); j-- {
			to[j+1] = to[j]
		}
		to[j+1] = k
		last = to[i].timestamp
		if budget -= i - j; budget < 0 {
			return nil, false
		}
	}
	return to, true
}

// after reports for keys of equal time, a before b in the file, whether b is
// delivered first.
func after(a, b orderKey, events []Event) bool {
	return events[a.index].CaptureThreadIndex > events[b.index].CaptureThreadIndex
}

// radixSort sorts by digits from the lowest, as few as there must be and of as
// few bits as these need; it keeps the order of equal keys.
func radixSort(from, to []orderKey, low, high uint64) []orderKey {
	size := bits.Len64(high - low)
	digits := (size + digitBits - 1) / digitBits
	for i := range digits {
		width := (size + digits - 1) / digits
		scatter(from, to, low, i*width, width)
		from, to = to, from
	}
	return from
}

// scatter puts keys in order of one digit, which has width bits from shift on.
func scatter(from, to []orderKey, low uint64, shift, width int) {
	const last = 1<<digitBits - 1 // shows the compiler that a digit is in bounds
	var at [1 << digitBits]uint32
	mask := uint64(1)<<width - 1
	for i := range from {
		at[(from[i].timestamp-low)>>(shift&63)&mask&last]++
	}
	sum := uint32(0)
	for d := range at[:mask+1] {
		at[d], sum = sum, sum+at[d]
	}
	for i := range from {
		ts := from[i].timestamp
		d := (ts - low) >> (shift & 63) & mask & last
		k := &to[at[d]]
		k.timestamp, k.index = ts, from[i].index
		at[d]++
	}
}

// orderTies puts keys of equal time in order of capture thread, then of the
// file.
func orderTies(keys []orderKey, events []Event) {
	for i := 0; i < len(keys); {
		end := i + 1
		for end < len(keys) && keys[end].timestamp == keys[i].timestamp {
			end++
		}
		if end-i > 1 {
			slices.SortFunc(keys[i:end], func(a, b orderKey) int {
				if c := cmp.Compare(events[a.index].CaptureThreadIndex, events[b.index].CaptureThreadIndex); c != 0 {
					return c
				}
				return cmp.Compare(a.index, b.index)
			})
		}
		i = end
	}
}
