package gc

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// suspension is a time in which a thread held all others. Those of two threads
// can overlap.
type suspension struct {
	thread        analysis.Thread
	reason, count uint32
	begin, end    uint64 // ticks
	suspended     uint64 // when all threads were stopped, 0: unknown
	restarted     uint64 // when the restart began, 0: unknown
	ended         bool
	starts        []*collection // that started in it
	background    *collection   // that was in progress at its begin
	next          uint64        // when another thread began one after the last event of this one, 0: none did
}

// byCollector reports whether it is a pause.
func (s *suspension) byCollector() bool { return model.IsPause(s.reason) }

// newSuspension returns the suspension that begins with SuspendEEBegin.
func newSuspension(t *analysis.Trace, ev *codec.Event) suspension {
	e := clr.GCSuspendEEBegin(ev)
	s := suspension{thread: t.Thread(ev), begin: ev.Timestamp, reason: e.Reason(), count: noCount}
	if e.HasCount() {
		s.count = e.Count()
	}
	return s
}

// suspendBegin handles SuspendEEBegin.
func (r *runtime) suspendBegin(ev *codec.Event) {
	r.suspend(newSuspension(r.trace, ev))
}

// suspend begins a suspension.
func (r *runtime) suspend(of suspension) *suspension {
	s := r.spent
	if s == nil {
		s = &suspension{}
	}
	*s, r.spent = of, nil
	s.background = r.lastOpen(func(c *collection) bool { return c.kind == background })
	r.active = slices.DeleteFunc(r.active, func(o *suspension) bool { return o.thread == s.thread })
	for _, o := range r.active {
		if o.next <= o.last() {
			o.next = s.begin
		}
	}
	r.active = append(r.active, s)
	if len(r.active) > maxOpen {
		r.active = slices.Delete(r.active, 0, 1)
	}
	return s
}

// noCount is the number of the last collection before the first one.
const noCount = 1<<32 - 1

// activeOf returns the suspension by a thread, or nil.
func (r *runtime) activeOf(thread analysis.Thread) *suspension {
	for _, s := range r.active {
		if s.thread == thread {
			return s
		}
	}
	return nil
}

// suspensionOf returns the pause in which a collection starts on a thread: the
// one by this thread, or else the last one.
func (r *runtime) suspensionOf(thread analysis.Thread) *suspension {
	if s := r.activeOf(thread); s != nil && s.byCollector() {
		return s
	}
	for _, s := range slices.Backward(r.active) {
		if s.byCollector() {
			return s
		}
	}
	return nil
}

// suspendEnd handles SuspendEEEnd.
func (r *runtime) suspendEnd(ev *codec.Event) {
	if s := r.activeOf(r.trace.Thread(ev)); s != nil {
		s.suspended = ev.Timestamp
	}
}

// restartBegin handles RestartEEBegin.
func (r *runtime) restartBegin(ev *codec.Event) {
	if s := r.activeOf(r.trace.Thread(ev)); s != nil {
		s.restarted = ev.Timestamp
	}
}

// restartEnd handles RestartEEEnd.
func (r *runtime) restartEnd(ev *codec.Event) {
	if s := r.activeOf(r.trace.Thread(ev)); s != nil {
		r.restart(s, max(s.begin, ev.Timestamp))
	}
}

// restart ends an active suspension.
func (r *runtime) restart(s *suspension, end uint64) {
	r.active = slices.DeleteFunc(r.active, func(o *suspension) bool { return o == s })
	s.end, s.ended = end, true
	r.finish(s)
}

// finish gives a suspension with its end to its collections.
func (r *runtime) finish(s *suspension) {
	if !s.byCollector() {
		r.others++
		r.othersNs += r.trace.Between(s.begin, s.end)
		r.spent = s
		return
	}
	if len(s.starts) == 0 && s.reason == model.SuspendForGCPrep && s.background != nil {
		s.background.pauses = append(s.background.pauses, s.pause())
	} else if len(s.starts) == 0 && s.ended {
		r.withoutCollection(s)
	}
	for i, c := range s.starts {
		p := s.pause()
		if i > 0 {
			p.from, p.suspended = c.start, 0
		}
		if i+1 < len(s.starts) {
			p.to, p.restarted = s.starts[i+1].start, 0
		}
		c.pauses = append(c.pauses, p)
	}
	if int64(len(r.pauses)/maxPausesPerRow) < r.trace.Limits().Rows {
		r.pauses = append(r.pauses, s)
	}
}

// maxPausesPerRow bounds the pauses that the totals count.
const maxPausesPerRow = 4

// last returns the time of the last event of a suspension without an end.
func (s *suspension) last() uint64 {
	last := max(s.begin, s.suspended, s.restarted)
	if n := len(s.starts); n > 0 {
		last = max(last, s.starts[n-1].start)
	}
	return last
}

// pause returns the whole suspension as a pause.
func (s *suspension) pause() pause {
	return pause{from: s.begin, to: s.end, suspended: s.suspended, restarted: s.restarted, unfinished: !s.ended}
}

// withoutCollection adds the row of a pause in which no collection starts.
func (r *runtime) withoutCollection(s *suspension) {
	c := &collection{none: true, start: s.begin, ended: true, pauses: []pause{s.pause()}}
	if s.reason == model.SuspendForGC && s.count != noCount {
		c.number, c.hasNumber = s.count+1, true
	}
	r.add(c)
}
