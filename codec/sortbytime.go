package codec

import (
	"cmp"
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
	mergeRuns  = 4
	radixFrom  = 1 << 10
	digitBits  = 11
	digitCount = 1 << digitBits
)

// sortByTime puts keys, which stand in file order, in order of time, and equal
// times in order of capture thread. spare is as long as keys; the result is one
// of the two.
//
// Writers give almost sorted rows: none, or few, older than the row before. The
// runs between them are merged; only many runs are sorted by digits.
func sortByTime(keys, spare []orderKey, events []Event) []orderKey {
	runs, low, high, equal := survey(keys)
	switch {
	case runs <= 1:
	case runs <= mergeRuns || len(keys) < radixFrom:
		keys = mergeNaturalRuns(keys, spare)
	default:
		keys = radixSort(keys, spare, low, high)
	}
	if equal || runs > 1 {
		orderTies(keys, events)
	}
	return keys
}

// survey counts the ascending runs, finds the bounds, and says whether
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

// radixSort sorts by digits from the lowest; it keeps the order of equal keys.
func radixSort(from, to []orderKey, low, high uint64) []orderKey {
	for shift := 0; shift < 64 && (high-low)>>shift > 0; shift += digitBits {
		var at [digitCount]uint32
		for i := range from {
			at[(from[i].timestamp-low)>>shift%digitCount]++
		}
		sum := uint32(0)
		for d := range at {
			at[d], sum = sum, sum+at[d]
		}
		for _, k := range from {
			d := (k.timestamp - low) >> shift % digitCount
			to[at[d]] = k
			at[d]++
		}
		from, to = to, from
	}
	return from
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
