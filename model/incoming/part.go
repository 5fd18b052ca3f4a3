package incoming

import (
	"cmp"
	"maps"
	"slices"
)

// Part is a time in which a thread worked for a request.
type Part struct {
	Thread uint64 // id of the operating system
	Begin  uint64 // ticks
	End    uint64 // ticks
}

// Parts returns the parts of each request, by position in List, in order of time. They are those
// of which the trace has the begin and the end: not the synchronous part of a request that only
// the stacks of samples show.
func (r *Requests) Parts() [][]Part {
	parts := make([][]Part, len(r.List))
	for thread, times := range r.boundaries() {
		for i, from := range times[:max(0, len(times)-1)] {
			owner := r.owner(&Moment{Thread: thread, Ticks: from + 1}, 0)
			if owner.Request < 0 || owner.Rule == ByThread {
				continue
			}
			of, until := r.List[owner.Request], times[i+1]
			if k := &of.Times[Kestrel]; k.Ended {
				until = min(until, k.End)
			} else if of.Ended {
				until = min(until, of.End)
			}
			list := parts[owner.Request]
			if n := len(list); n > 0 && list[n-1].Thread == thread && list[n-1].End == from {
				list[n-1].End = until
			} else {
				list = append(list, Part{thread, from, until})
			}
			parts[owner.Request] = list
		}
	}
	for _, list := range parts {
		slices.SortFunc(list, func(a, b Part) int { return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Thread, b.Thread)) })
	}
	return parts
}

// boundaries returns by thread the times at which its work can change.
func (r *Requests) boundaries() map[uint64][]uint64 {
	all := map[uint64][]uint64{}
	for _, of := range []lines{r.chains, r.tasks, r.activity} {
		for thread, list := range of {
			for _, c := range list {
				all[thread] = append(all[thread], c.ticks)
			}
		}
	}
	for at := range maps.Keys(r.records) {
		all[at.thread] = append(all[at.thread], at.ticks)
	}
	for thread, times := range all {
		slices.Sort(times)
		all[thread] = slices.Compact(times)
	}
	return all
}
