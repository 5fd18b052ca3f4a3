package model

import (
	"cmp"
	"maps"
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

// IsPause reports whether a suspension is one by the garbage collector. reason is
// that of GCSuspendEEBegin.
func IsPause(reason uint32) bool { return reason == SuspendForGC || reason == SuspendForGCPrep }

// Suspension is a time in which a thread of the runtime held all other threads of the
// process: from GCSuspendEEBegin to GCRestartEEEnd of that thread. Those of two
// threads can overlap.
type Suspension struct {
	Thread     Thread // that suspended the others
	Reason     uint32 // of GCSuspendEEBegin
	From, To   uint64 // ticks
	Unfinished bool   // it ends with the recording
}

// IsPause reports whether the suspension is one by the garbage collector.
func (s *Suspension) IsPause() bool { return IsPause(s.Reason) }

// Suspensions is the tracker of suspensions. Trace.Suspensions returns it.
type Suspensions struct {
	trace *Trace
	open  map[Thread]Suspension
	each  []func(*Suspension)
}

// Suspensions returns the tracker of suspensions, for a Consumer that begins.
func (t *Trace) Suspensions() *Suspensions {
	if t.suspensions == nil {
		t.suspensions = &Suspensions{trace: t, open: map[Thread]Suspension{}}
		t.track(t.suspensions, t.suspensions.end)
	}
	return t.suspensions
}

// Each calls do with each suspension when it ends, and after the last event with those
// that have not ended. do must not keep the Suspension.
func (s *Suspensions) Each(do func(*Suspension)) { s.each = append(s.each, do) }

// Begin implements Consumer.
func (s *Suspensions) Begin(*Trace) {}

// Handler implements Consumer.
func (s *Suspensions) Handler(m *codec.Metadata) Handler {
	switch clr.KindOf(m) {
	case clr.KindGCSuspendEEBegin:
		return s.suspend
	case clr.KindGCRestartEEEnd:
		return s.restart
	}
	return nil
}

// suspend handles GCSuspendEEBegin. One that the thread has begun before has lost its end.
func (s *Suspensions) suspend(ev *codec.Event) {
	thread := s.trace.Thread(ev)
	if _, known := s.open[thread]; known || int64(len(s.open)) < s.trace.limits.Threads {
		s.open[thread] = Suspension{Thread: thread, Reason: clr.GCSuspendEEBegin(ev).Reason(), From: ev.Timestamp}
	}
}

// restart handles GCRestartEEEnd.
func (s *Suspensions) restart(ev *codec.Event) {
	thread := s.trace.Thread(ev)
	one, ok := s.open[thread]
	if !ok {
		return
	}
	delete(s.open, thread)
	one.To = max(one.From, ev.Timestamp)
	s.pass(&one)
}

func (s *Suspensions) pass(one *Suspension) {
	for _, do := range s.each {
		do(one)
	}
}

// Lost implements Consumer: the end of a suspension of the thread can be lost.
func (s *Suspensions) Lost(thread Thread) { delete(s.open, thread) }

// end ends the open suspensions with the recording.
func (s *Suspensions) end() {
	threads := slices.SortedFunc(maps.Keys(s.open), func(a, b Thread) int {
		return cmp.Or(cmp.Compare(s.open[a].From, s.open[b].From), cmp.Compare(a.Process, b.Process), cmp.Compare(a.ID, b.ID))
	})
	for _, thread := range threads {
		one := s.open[thread]
		_, end := s.trace.Bounds(thread.Process)
		one.To, one.Unfinished = max(one.From, end), true
		s.pass(&one)
	}
}
