package model

import (
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Contention is a wait of a thread for a lock that another thread holds: from ContentionStart to
// ContentionStop of one thread. They nest.
type Contention struct {
	Lock, Object uint64  // the id of the lock, which is used again, and the address of the object that is locked, which moves; 0: unknown
	Owner        uint64  // LockOwnerThreadID: see runtimes.Threads, which finds the thread; 0 for none
	Native       bool    // a lock of the runtime itself
	From, To     uint64  // ticks of the events
	Duration     float64 // DurationNs of ContentionStop in nanoseconds, with the time before the start was logged; negative: it has none
	Unfinished   bool    // its end is not in the trace: it lasts to the end of the recording
}

// Contending pairs the events of contentions. K identifies a thread; T is what its reader keeps of a
// contention. Use NewContending to create one. The events of a thread must come in the order of
// time.
type Contending[K comparable, T any] struct {
	open nested[K, OpenContention[K, T]]
}

// OpenContention is a contention with the thread that waits, and what its reader keeps.
type OpenContention[K comparable, T any] struct {
	Contention
	Thread K // that identifies its thread
	Of     T // what its reader keeps
}

// NewContending returns a Contending for at most limit contentions at the same time. order compares
// threads.
func NewContending[K comparable, T any](limit int64, order func(a, b K) int) *Contending[K, T] {
	return &Contending[K, T]{newNested[K, OpenContention[K, T]](limit, order)}
}

// Start handles ContentionStart of a thread. The result is valid until the next start or end on that
// thread, and nil above the limit.
func (c *Contending[K, T]) Start(thread K, ev *codec.Event) *OpenContention[K, T] {
	e := clr.ContentionStart(ev)
	return c.open.begin(thread, OpenContention[K, T]{Thread: thread, Contention: Contention{
		Lock: e.LockID(), Object: e.AssociatedObjectID(), Owner: e.LockOwnerThreadID(), Native: e.ContentionFlags() == 1,
		From: ev.Timestamp, Duration: noDuration,
	}})
}

// noDuration is the Duration of a contention without one.
const noDuration = -1

// Stop handles ContentionStop of a thread, and returns the contention that it ends. Without a start
// it returns false, and what the event has: From is To.
func (c *Contending[K, T]) Stop(thread K, ev *codec.Event) (one OpenContention[K, T], begun bool) {
	if one, begun = c.open.end(thread); !begun {
		one.Thread, one.From = thread, ev.Timestamp
	}
	one.To, one.Duration = max(one.From, ev.Timestamp), noDuration
	if e := clr.ContentionStop(ev); e.HasDurationNs() && e.DurationNs() >= 0 && e.DurationNs() < math.MaxInt64 {
		one.Duration = e.DurationNs()
	}
	return one, begun
}

// Last returns the innermost contention of a thread, nil for none, until the next start or end on
// that thread.
func (c *Contending[K, T]) Last(thread K) *OpenContention[K, T] { return c.open.last(thread) }

// All returns the contentions of a thread, the innermost last, until the next start or end on that thread.
func (c *Contending[K, T]) All(thread K) []OpenContention[K, T] { return c.open.byThread[thread] }

// Threads returns the threads that are in contentions, in their order.
func (c *Contending[K, T]) Threads() []K { return c.open.threads() }

// Lost forgets the contentions of a thread, whose ends can be lost, and returns them until the next
// start.
func (c *Contending[K, T]) Lost(thread K) []OpenContention[K, T] { return c.open.forget(thread) }

// Close ends the contentions that are open when the recording ends, at end, and returns them: thread
// by thread, the innermost first.
func (c *Contending[K, T]) Close(end uint64) []OpenContention[K, T] {
	list := c.open.close()
	for i := range list {
		list[i].To, list[i].Unfinished = max(list[i].From, end), true
	}
	return list
}
