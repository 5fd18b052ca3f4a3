package locks

import (
	"cmp"
	"slices"
)

// queue is a time in which threads wait for one lock without interruption.
type queue struct {
	on           lock // of the first wait
	begin, end   uint64
	waiting      int64 // now
	count        int64 // of waits
	peak         int64
	totalNs      int64
	longest      *contention
	longestNanos int64
	unfinished   bool
}

// queues has the queues of a process: those with waiting threads, and those that
// ended.
type queues struct {
	open  map[lock]*queue
	ended []*queue
	left  int64 // queues that are not kept
}

// keptQueues is how many queues a report has: those with the longest sums.
const keptQueues = 20

// begin adds a wait, and returns how many threads wait for the lock now.
func (q *queues) begin(c *contention) int64 {
	one := q.open[c.on().key()]
	if one == nil {
		one = &queue{on: c.on(), begin: c.From}
		q.open[c.on().key()] = one
	}
	one.waiting++
	one.count++
	one.peak = max(one.peak, one.waiting)
	return one.waiting
}

// end ends a wait.
func (q *queues) end(c *contention, ticks uint64, nanos int64) {
	one := q.open[c.on().key()]
	if one == nil {
		return
	}
	one.totalNs += nanos
	if one.longest == nil || nanos > one.longestNanos {
		one.longest, one.longestNanos = c, nanos
	}
	one.end = max(one.end, ticks)
	q.leave(c, one)
}

// drop removes a wait whose end is lost.
func (q *queues) drop(c *contention) {
	if one := q.open[c.on().key()]; one != nil {
		one.end = max(one.end, c.From)
		q.leave(c, one)
	}
}

// leave ends the queue with its last wait.
func (q *queues) leave(c *contention, one *queue) {
	if one.waiting--; one.waiting > 0 {
		return
	}
	delete(q.open, c.on().key())
	if one.longest == nil {
		return
	}
	q.ended = append(q.ended, one)
	if len(q.ended) >= 4*keptQueues {
		q.prune()
	}
}

// prune keeps the queues with the longest sums.
func (q *queues) prune() {
	slices.SortStableFunc(q.ended, func(a, b *queue) int {
		return cmp.Or(cmp.Compare(b.totalNs, a.totalNs), cmp.Compare(a.begin, b.begin))
	})
	if len(q.ended) > keptQueues {
		q.left += int64(len(q.ended) - keptQueues)
		q.ended = slices.Delete(q.ended, keptQueues, len(q.ended))
	}
}
