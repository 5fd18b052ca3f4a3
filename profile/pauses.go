package profile

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// pauses are the times in which the garbage collector held the threads of a process, in
// order and apart from each other. They are no time of any sample of the sample profiler:
// the sampler cannot run in a pause, so that what a thread did in it is known.
type pauses []gap

// pausesOf puts the pauses of a process in order and joins those that overlap.
func pausesOf(list []pause) pauses {
	var of pauses
	for _, one := range list {
		of = append(of, gap{one.r.ticks, one.r.until})
	}
	slices.SortFunc(of, func(a, b gap) int { return cmp.Compare(a.from, b.from) })
	kept := of[:0]
	for _, one := range of {
		if last := len(kept) - 1; last >= 0 && one.from <= kept[last].until {
			kept[last].until = max(kept[last].until, one.until)
		} else {
			kept = append(kept, one)
		}
	}
	return kept
}

// within iterates over the parts of the pauses that are in a time, in ticks.
func (l pauses) within(from, until uint64) iter.Seq2[uint64, uint64] {
	return func(yield func(from, until uint64) bool) {
		for i := sort.Search(len(l), func(i int) bool { return l[i].until > from }); i < len(l) && l[i].from < until; i++ {
			if !yield(max(from, l[i].from), min(until, l[i].until)) {
				return
			}
		}
	}
}

// length is the sum of the parts of the pauses that are in a time, in ticks.
func (l pauses) length(from, until uint64) (ticks uint64) {
	for from, until := range l.within(from, until) {
		ticks += until - from
	}
	return ticks
}
