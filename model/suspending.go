package model

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Reasons of GCSuspendEEBegin that are the collector's own. The sample profiler
// suspends with reason 0 at each round: that is no pause.
const (
	SuspendForGC     = 1 // for a collection
	SuspendForGCPrep = 6 // before one, or within one in the background
)

// Suspension is a time in which a thread of the runtime held all other threads of the
// process: from GCSuspendEEBegin to GCRestartEEEnd of that thread. Those of two
// threads can overlap.
type Suspension struct {
	Process    uint64 // 0 where the reader has one only
	Reason     uint32 // of GCSuspendEEBegin
	Count      uint32 // of it: the number of the last collection
	HasCount   bool   // the event has Count
	From, To   uint64 // ticks
	Stopped    uint64 // when all threads had stopped, by GCSuspendEEEnd; 0: unknown
	Restarting uint64 // when the restart began, by GCRestartEEBegin; 0: unknown
	Next       uint64 // when another thread began one after the last event of this one; 0: none did
	Unfinished bool   // its end is not in the trace: it lasts to Next, or to the end of the recording
}

// IsPause reports whether the suspension is one by the garbage collector.
func (s *Suspension) IsPause() bool {
	return s.Reason == SuspendForGC || s.Reason == SuspendForGCPrep
}

// SuspensionOf returns the suspension that an event GCSuspendEEBegin begins.
func SuspensionOf(ev *codec.Event) Suspension {
	e := clr.GCSuspendEEBegin(ev)
	return Suspension{Reason: e.Reason(), Count: e.Count(), HasCount: e.HasCount(), From: ev.Timestamp}
}

// Suspending pairs the events of suspensions of one process or of several. K identifies a thread;
// T is what its reader keeps of a suspension. The zero value has none. The events of a thread must
// come in the order of time; those of different threads may come in the order of a file.
type Suspending[K comparable, T any] struct {
	open   []OpenSuspension[K, T] // in the order of their begins; usually one
	recent [recentBegins]beginning[K]
	next   int // of recent
}

// beginning is when a thread began a suspension.
type beginning[K comparable] struct {
	process, from uint64
	thread        K
}

// recentBegins are the begins that can stand in a file before an earlier suspension: the sampler suspends each
// millisecond, and a runtime that runs writes its buffers each tenth of a second.
const recentBegins = 256

// OpenSuspension is a suspension with the thread that suspends the others, and what its reader keeps.
type OpenSuspension[K comparable, T any] struct {
	Suspension
	Thread K // that identifies its thread
	Of     T // what its reader keeps

	last uint64 // ticks of the last event in it
}

// Saw notes an event that is in the suspension.
func (s *OpenSuspension[K, T]) Saw(ticks uint64) {
	if s.last = max(s.last, ticks); s.Next <= s.last {
		s.Next = 0
	}
}

// follow notes that a thread began a suspension.
func (s *OpenSuspension[K, T]) follow(by *beginning[K]) {
	if by.process == s.Process && by.thread != s.Thread && by.from > s.last && (s.Next == 0 || by.from < s.Next) {
		s.Next = by.from
	}
}

// maxSuspending bounds the suspensions that have not ended: the ends of more are lost.
const maxSuspending = 64

// Begin begins a suspension of a thread, and returns it; it is valid until the next call of a method. One that the
// thread has begun before has lost its end. Others of the process that are open last until now at most, unless another
// event of theirs follows: to suspend the threads of a process, they must run.
func (s *Suspending[K, T]) Begin(thread K, one Suspension) *OpenSuspension[K, T] {
	s.Lost(thread)
	now := beginning[K]{process: one.Process, from: one.From, thread: thread}
	for i := range s.open {
		s.open[i].follow(&now)
	}
	s.recent[s.next%recentBegins] = now
	s.next++
	if len(s.open) >= maxSuspending {
		s.open = slices.Delete(s.open, 0, 1)
	}
	s.open = append(s.open, OpenSuspension[K, T]{Suspension: one, Thread: thread, last: one.From})
	return &s.open[len(s.open)-1]
}

// Stopped handles GCSuspendEEEnd: all threads have stopped.
func (s *Suspending[K, T]) Stopped(thread K, ticks uint64) {
	if at := s.find(thread); at >= 0 {
		s.open[at].Suspension.Stopped = ticks
		s.open[at].Saw(ticks)
	}
}

// Restarting handles GCRestartEEBegin.
func (s *Suspending[K, T]) Restarting(thread K, ticks uint64) {
	if at := s.find(thread); at >= 0 {
		s.open[at].Suspension.Restarting = ticks
		s.open[at].Saw(ticks)
	}
}

// End handles GCRestartEEEnd. It returns false if the thread has begun no suspension.
func (s *Suspending[K, T]) End(thread K, ticks uint64) (one OpenSuspension[K, T], ok bool) {
	at := s.find(thread)
	if at < 0 {
		return one, false
	}
	one = s.open[at]
	one.To, one.Next = max(one.From, ticks), 0
	s.open = slices.Delete(s.open, at, at+1)
	return one, true
}

// Lost forgets the suspension of a thread: its end can be lost.
func (s *Suspending[K, T]) Lost(thread K) {
	if at := s.find(thread); at >= 0 {
		s.open = slices.Delete(s.open, at, at+1)
	}
}

// Open returns the suspensions that have not ended, in the order of their begins, until the next
// call of a method.
func (s *Suspending[K, T]) Open() []OpenSuspension[K, T] { return s.open }

// Of returns the suspension that a thread has begun, nil for none, until the next call of a method.
func (s *Suspending[K, T]) Of(thread K) *OpenSuspension[K, T] {
	if at := s.find(thread); at >= 0 {
		return &s.open[at]
	}
	return nil
}

// Close returns the suspensions that have not ended when the recording does, in the order of their
// begins, and forgets them. end is when it ends for a thread.
func (s *Suspending[K, T]) Close(end func(thread K) uint64) []OpenSuspension[K, T] {
	list := s.open
	for i := range list {
		one := &list[i]
		for k := range s.recent[:min(s.next, recentBegins)] {
			one.follow(&s.recent[k])
		}
		if one.To = one.Next; one.To == 0 {
			one.To = max(one.From, end(one.Thread))
		}
		one.Unfinished = true
	}
	s.open = nil
	return list
}

// find returns the position of a thread's suspension, -1 for none.
func (s *Suspending[K, T]) find(thread K) int {
	for i := range s.open {
		if s.open[i].Thread == thread {
			return i
		}
	}
	return -1
}
