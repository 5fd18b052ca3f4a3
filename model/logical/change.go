package logical

import (
	"cmp"
	"slices"
)

// Change is a change of what a thread runs.
type Change struct {
	Ticks      uint64     // of the record
	Thread     uint64     // id of the operating system
	Dispatcher uint64     // of Created, Resumed and Left
	Kind       ChangeKind // what changes
}

// ChangeKind is the kind of a Change.
type ChangeKind uint8

// The kinds of changes.
const (
	Created ChangeKind = iota // the thread made a dispatcher, which inherits its context
	Resumed                   // the thread runs a dispatcher, within the one that it ran before
	Left                      // it stops running the innermost one, which may be resumed later
	Idle                      // it runs none from now on
	Unknown                   // the records do not say what it runs from now on
)

// Changes returns the changes of all threads in order of time. Code that follows something which
// its dispatchers inherit, such as the request that they work for, can replay them together with
// other events. lossy reports that the trace lost events.
func (l *Log) Changes(lossy bool) []Change {
	list := l.replay(lossy, true).changes
	slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(a.Ticks, b.Ticks) })
	return list
}

// note notes a change.
func (r *replay) note(kind ChangeKind, ticks, dispatcher uint64) {
	if r.t.noted {
		r.t.changes = append(r.t.changes, Change{ticks, r.id, dispatcher, kind})
	}
}
