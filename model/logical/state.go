package logical

import (
	"sort"

	"github.com/nettrace-go/nettrace/codec/clr/async"
)

// framesAt returns the frames of a dispatcher at a time, not before it was created: those
// that wait, or those from the one that runs on.
func (t *Tracker) framesAt(number, ticks uint64) (s Segment, ok bool) {
	d := t.dispatchers[number]
	if d == nil {
		return Segment{}, false
	}
	ticks = max(ticks, d.created)
	waits := sort.Search(len(d.suspended), func(i int) bool { return d.suspended[i].ticks > ticks }) - 1
	ran := sort.Search(len(d.runs), func(i int) bool { return t.runs[d.runs[i]].begin > ticks }) - 1
	if waits >= 0 && (ran < 0 || d.suspended[waits].ticks >= t.runs[d.runs[ran]].begin) {
		return Segment{List: d.suspended[waits].list, Kind: async.Runtime, CreatedBy: true}, true
	}
	if ran >= 0 {
		r := &t.runs[d.runs[ran]]
		if r.hasList && (r.end == 0 || r.end > ticks) {
			if at, runs := t.progress(d.runs[ran], ticks); runs {
				if !t.methods[r.kind] {
					return Segment{}, false
				}
				return Segment{r.list, at, r.kind, true}, true
			}
		}
	}
	// State machines have no frames at a suspension: those of the next resumption are
	// the ones that wait.
	for _, at := range d.runs[ran+1:] {
		if r := &t.runs[at]; r.hasList {
			return Segment{r.list, 0, r.kind, true}, true
		}
	}
	return Segment{}, false
}

// progress returns how many frames of a run were completed at a time, if the thread ran it
// then.
func (t *Tracker) progress(of int32, ticks uint64) (int, bool) {
	for n := t.At(t.runs[of].thread, ticks).top; n >= 0; n = t.nodes[n].below {
		if t.nodes[n].run == of {
			return int(t.nodes[n].at), true
		}
	}
	return 0, false
}
