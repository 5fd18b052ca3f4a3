package model

import "slices"

// nested has the intervals that threads have begun and not ended, with the innermost one last. K
// identifies a thread.
type nested[K comparable, F any] struct {
	byThread map[K][]F // without empty lists
	spare    [][]F     // empty lists, for other threads
	order    func(a, b K) int
	limit    int64
	count    int64
}

func newNested[K comparable, F any](limit int64, order func(a, b K) int) nested[K, F] {
	return nested[K, F]{byThread: map[K][]F{}, order: order, limit: limit}
}

// begin adds an interval and returns its place, nil if it is above the limit.
func (n *nested[K, F]) begin(thread K, one F) *F {
	if n.count >= n.limit {
		return nil
	}
	n.count++
	list := n.byThread[thread]
	if last := len(n.spare) - 1; list == nil && last >= 0 {
		list, n.spare = n.spare[last], n.spare[:last]
	}
	list = append(list, one)
	n.byThread[thread] = list
	return &list[len(list)-1]
}

// last returns the innermost interval of a thread, nil for none.
func (n *nested[K, F]) last(thread K) *F {
	if list := n.byThread[thread]; len(list) > 0 {
		return &list[len(list)-1]
	}
	return nil
}

// end removes the innermost interval of a thread.
func (n *nested[K, F]) end(thread K) (one F, ok bool) {
	list := n.byThread[thread]
	at := len(list) - 1
	if at < 0 {
		return one, false
	}
	one = list[at]
	clear(list[at:])
	n.count--
	if at > 0 {
		n.byThread[thread] = list[:at]
	} else {
		n.drop(thread, list)
	}
	return one, true
}

// forget removes the intervals of a thread, and returns them until the next call of begin.
func (n *nested[K, F]) forget(thread K) []F {
	list := n.byThread[thread]
	if len(list) > 0 {
		n.count -= int64(len(list))
		n.drop(thread, list)
	}
	return list
}

// drop keeps the memory of the list of a thread.
func (n *nested[K, F]) drop(thread K, list []F) {
	const most = 64
	delete(n.byThread, thread)
	if len(n.spare) < most {
		n.spare = append(n.spare, list[:0])
	}
}

// threads returns the threads with intervals, in their order.
func (n *nested[K, F]) threads() []K {
	var list []K
	for thread := range n.byThread {
		list = append(list, thread)
	}
	slices.SortFunc(list, n.order)
	return list
}

// close removes all intervals and returns them: thread by thread, the innermost first.
func (n *nested[K, F]) close() (list []F) {
	for _, thread := range n.threads() {
		for one, ok := n.end(thread); ok; one, ok = n.end(thread) {
			list = append(list, one)
		}
	}
	return list
}
