// Package blocked has what the parts locks and waits share: the intervals that threads
// have begun, and their sums by stack.
package blocked

import (
	"github.com/nettrace-go/nettrace/analysis"
	"slices"
)

// Open has the intervals that threads have begun and not ended. They nest.
type Open[T any] struct {
	byThread map[analysis.Thread][]*T
	limit    int64
	count    int64
}

// NewOpen returns an Open that keeps at most limit intervals.
func NewOpen[T any](limit int64) *Open[T] {
	return &Open[T]{byThread: map[analysis.Thread][]*T{}, limit: limit}
}

// Begin adds an interval, and reports whether the limit allows it.
func (o *Open[T]) Begin(thread analysis.Thread, one *T) bool {
	if o.count >= o.limit {
		return false
	}
	o.count++
	o.byThread[thread] = append(o.byThread[thread], one)
	return true
}

// End removes the last interval of a thread and returns it, nil if there is none.
func (o *Open[T]) End(thread analysis.Thread) *T {
	list := o.byThread[thread]
	if len(list) == 0 {
		return nil
	}
	one := list[len(list)-1]
	o.count--
	if len(list) == 1 {
		delete(o.byThread, thread)
	} else {
		o.byThread[thread] = list[:len(list)-1]
	}
	return one
}

// Last returns the last interval of a thread, nil if there is none.
func (o *Open[T]) Last(thread analysis.Thread) *T {
	if list := o.byThread[thread]; len(list) > 0 {
		return list[len(list)-1]
	}
	return nil
}

// Forget removes the intervals of a thread and returns them.
func (o *Open[T]) Forget(thread analysis.Thread) []*T {
	list := o.byThread[thread]
	o.count -= int64(len(list))
	delete(o.byThread, thread)
	return list
}

// Threads returns the threads of a process with intervals, in ascending order.
func (o *Open[T]) Threads(process uint64) []analysis.Thread {
	var list []analysis.Thread
	for thread := range o.byThread {
		if thread.Process == process {
			list = append(list, thread)
		}
	}
	slices.SortFunc(list, func(a, b analysis.Thread) int {
		if a.ID < b.ID {
			return -1
		}
		return 1 // they differ
	})
	return list
}

// All returns the intervals of a thread, the outermost first.
func (o *Open[T]) All(thread analysis.Thread) []*T { return o.byThread[thread] }
