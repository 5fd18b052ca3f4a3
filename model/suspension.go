package model

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Suspensions is the tracker of suspensions. Trace.Suspensions returns it.
type Suspensions struct {
	trace *Trace
	open  Suspending[Thread, struct{}]
	each  []func(Thread, *Suspension)
}

// Suspensions returns the tracker of suspensions, for a Consumer that begins.
func (t *Trace) Suspensions() *Suspensions {
	if t.suspensions == nil {
		t.suspensions = &Suspensions{trace: t}
		t.track(t.suspensions, t.suspensions.end)
	}
	return t.suspensions
}

// Each calls do with each suspension and the thread that suspends the others, when it ends, and
// after the last event with those that have not ended. do must not keep the Suspension.
func (s *Suspensions) Each(do func(by Thread, one *Suspension)) { s.each = append(s.each, do) }

// Begin implements Consumer.
func (s *Suspensions) Begin(*Trace) {}

// Handler implements Consumer.
func (s *Suspensions) Handler(m *codec.Metadata) Handler {
	switch clr.KindOf(m) {
	case clr.KindGCSuspendEEEnd:
		return func(ev *codec.Event) { s.open.Stopped(s.trace.Thread(ev), ev.Timestamp) }
	case clr.KindGCRestartEEBegin:
		return func(ev *codec.Event) { s.open.Restarting(s.trace.Thread(ev), ev.Timestamp) }
	case clr.KindGCSuspendEEBegin:
		return func(ev *codec.Event) {
			thread, one := s.trace.Thread(ev), SuspensionOf(ev)
			one.Process = thread.Process
			s.open.Begin(thread, one)
		}
	case clr.KindGCRestartEEEnd:
		return func(ev *codec.Event) {
			if one, ok := s.open.End(s.trace.Thread(ev), ev.Timestamp); ok {
				s.pass(one.Thread, one.Suspension)
			}
		}
	}
	return nil
}

// pass hands out a suspension.
func (s *Suspensions) pass(by Thread, one Suspension) {
	for _, do := range s.each {
		do(by, &one)
	}
}

// Lost implements Consumer: the end of a suspension of the thread can be lost.
func (s *Suspensions) Lost(thread Thread) { s.open.Lost(thread) }

// end ends the open suspensions with the recording.
func (s *Suspensions) end() {
	for _, one := range s.open.Close(func(thread Thread) uint64 {
		_, end := s.trace.Bounds(thread.Process)
		return end
	}) {
		s.pass(one.Thread, one.Suspension)
	}
}
