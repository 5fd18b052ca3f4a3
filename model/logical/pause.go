package logical

import (
	"iter"
	"maps"
	"slices"
	"sort"

	"github.com/nettrace-go/nettrace/codec/clr/async"
)

// Pause is the time in which a dispatcher waits, from its creation or a suspension to
// the next resumption. It includes the time in the queue of the thread pool.
type Pause struct {
	Dispatcher uint64     // number of the dispatcher
	Begin, End uint64     // ticks
	Thread     uint64     // the operating system's id of the thread that resumes it
	List       ListID     // the frames that wait
	Kind       async.Kind // of its methods
}

// Life is what the records say of a dispatcher as a whole.
type Life struct {
	Dispatcher uint64     // its number
	Kind       async.Kind // of its methods
	Created    uint64     // ticks, 0 if the records do not have it
	Completed  uint64     // ticks, 0 if the records do not have it: it may have gone on
	Running    uint64     // ticks in which threads ran it
	Waiting    uint64     // ticks of its pauses
	Resumed    int        // how often
	Deepest    ListID     // the longest list of frames
	// Last is what waits since Since, of a dispatcher that is neither complete nor resumed in the records.
	Last  ListID
	Since uint64 // ticks of its creation or last suspension; 0 for another dispatcher
	// Whole reports that the records have all of it from its creation to its completion. Then
	// Running and Waiting add up to that time.
	Whole bool
}

// Pauses returns the pauses that the records have, by dispatcher and time. Where a
// resumption has other frames than the suspension before it, records are missing: that is
// no pause.
func (t *Tracker) Pauses() iter.Seq[Pause] {
	return func(yield func(Pause) bool) {
		for _, number := range slices.Sorted(maps.Keys(t.dispatchers)) {
			d := t.dispatchers[number]
			begin := d.created
			for _, at := range d.runs {
				r := &t.runs[at]
				if begin != 0 && begin <= r.begin && number != 0 {
					if p, ok := t.pause(d, r, begin); ok && !yield(p) {
						return
					}
				}
				begin = suspension(r)
			}
		}
	}
}

// suspension returns the time at which a run ends in a suspension, 0 if it does not.
func suspension(r *run) uint64 {
	if r.ended == async.SuspendRuntimeContext || r.ended == async.SuspendMachineContext {
		return r.end
	}
	return 0
}

// pause returns the pause from a time to a run.
func (t *Tracker) pause(d *dispatcher, r *run, begin uint64) (Pause, bool) {
	p := Pause{Dispatcher: r.dispatcher, Begin: begin, End: r.begin, Thread: r.thread, List: r.list, Kind: r.kind}
	n := sort.Search(len(d.suspended), func(i int) bool { return d.suspended[i].ticks > r.begin }) - 1
	if n < 0 || d.suspended[n].ticks+clockSlack < begin {
		return p, true
	}
	waits := d.suspended[n]
	if r.hasList && waits.list != r.list && !slices.Equal(t.lists[waits.list], t.lists[r.list]) {
		return p, false
	}
	p.List = waits.list
	return p, true
}

// clockSlack is the longest time between records that belong together and are divided
// by the end of a buffer, in ticks.
const clockSlack = 100_000

// Lives returns all dispatchers, by number.
func (t *Tracker) Lives() iter.Seq[Life] {
	return func(yield func(Life) bool) {
		for _, number := range slices.Sorted(maps.Keys(t.dispatchers)) {
			if number != 0 && !yield(t.life(number)) {
				return
			}
		}
	}
}

// life sums up a dispatcher.
func (t *Tracker) life(number uint64) Life {
	d := t.dispatchers[number]
	l := Life{Dispatcher: number, Kind: d.kind, Created: d.created, Completed: d.completed, Resumed: len(d.runs)}
	whole, begin := d.created != 0, d.created
	for _, s := range d.suspended {
		if len(t.lists[s.list]) > len(t.lists[l.Deepest]) {
			l.Deepest = s.list
		}
	}
	for _, at := range d.runs {
		r := &t.runs[at]
		if l.Kind == async.NoKind {
			l.Kind = r.kind
		}
		if len(t.lists[r.list]) > len(t.lists[l.Deepest]) {
			l.Deepest = r.list
		}
		if p, ok := t.pause(d, r, begin); ok && begin != 0 && begin <= r.begin {
			l.Waiting += p.End - p.Begin
		} else {
			whole = false
		}
		whole = whole && r.end != 0
		if r.end != 0 {
			l.Running += r.end - r.begin
		}
		begin = suspension(r)
	}
	l.Whole = whole && d.completed != 0
	if d.completed == 0 {
		l.Since = begin
		if n := len(d.suspended); begin != 0 && n > 0 && d.suspended[n-1].ticks+clockSlack >= begin {
			l.Last = d.suspended[n-1].list
		}
	}
	return l
}
