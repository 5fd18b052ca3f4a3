package logical

import "sort"

// unwind is a record about frames that an exception left.
type unwind struct {
	ticks  uint64
	run    int32
	frames int64
}

// Unwound returns the number of async frames that an exception left which a thread threw at a
// time, until the thread suspended or completed the dispatcher that it ran, or until a later
// throw there, 0 for none. It returns false if the records do not say it.
func (t *Tracker) Unwound(thread, ticks, next uint64) (frames int64, known bool) {
	now := t.At(thread, ticks)
	if now.top < 0 {
		return 0, now.top == idle
	}
	at := t.nodes[now.top].run
	r := &t.runs[at]
	if r.end == 0 || !t.unwinds[r.kind] {
		return 0, false
	}
	list := t.threads[thread].unwound
	for i := sort.Search(len(list), func(i int) bool { return list[i].ticks >= ticks }); i < len(list) && list[i].ticks <= r.end; i++ {
		if next != 0 && list[i].ticks >= next {
			break
		}
		if list[i].run == at {
			frames += list[i].frames
		}
	}
	return frames, true
}
