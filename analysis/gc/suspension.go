package gc

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/model"
)

// suspension is a pause by the collector, with what belongs to it.
type suspension struct {
	model.Suspension               // once it has ended
	ended            bool          // in the trace
	starts           []*collection // that started in it
	background       *collection   // that was in progress at its begin
}

// suspendBegin handles SuspendEEBegin.
func (r *runtime) suspendBegin(ev *codec.Event) {
	r.suspend(r.trace.Thread(ev), model.SuspensionOf(ev))
}

// suspend begins a suspension of a thread.
func (r *runtime) suspend(thread analysis.Thread, one model.Suspension) {
	if of := r.suspending.Begin(thread, one); of.IsPause() {
		of.Of = &suspension{background: r.lastOpen(func(c *collection) bool { return c.kind == background })}
	}
}

// noCount is the number of the last collection before the first one.
const noCount = 1<<32 - 1

// suspensionOf returns the pause in which a collection starts on a thread: the
// one by this thread, or else the last one.
func (r *runtime) suspensionOf(thread analysis.Thread) *model.OpenSuspension[analysis.Thread, *suspension] {
	if s := r.suspending.Of(thread); s != nil && s.IsPause() {
		return s
	}
	open := r.suspending.Open()
	for i := len(open) - 1; i >= 0; i-- {
		if s := &open[i]; s.IsPause() {
			return s
		}
	}
	return nil
}

// suspendEnd handles SuspendEEEnd.
func (r *runtime) suspendEnd(ev *codec.Event) { r.suspending.Stopped(r.trace.Thread(ev), ev.Timestamp) }

// restartBegin handles RestartEEBegin.
func (r *runtime) restartBegin(ev *codec.Event) {
	r.suspending.Restarting(r.trace.Thread(ev), ev.Timestamp)
}

// restartEnd handles RestartEEEnd.
func (r *runtime) restartEnd(ev *codec.Event) { r.restart(r.trace.Thread(ev), ev.Timestamp) }

// restart ends the suspension of a thread.
func (r *runtime) restart(thread analysis.Thread, ticks uint64) {
	if one, ok := r.suspending.End(thread, ticks); ok {
		r.finish(one.Suspension, one.Of)
	}
}

// finish gives a suspension with its end to its collections. s is nil for one that is no pause.
func (r *runtime) finish(one model.Suspension, s *suspension) {
	if !one.IsPause() {
		r.others++
		r.othersNs += r.trace.Between(one.From, one.To)
		return
	}
	s.Suspension, s.ended = one, !one.Unfinished
	if len(s.starts) == 0 && s.Reason == model.SuspendForGCPrep && s.background != nil {
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

// pause returns the whole suspension as a pause.
func (s *suspension) pause() pause {
	return pause{from: s.From, to: s.To, suspended: s.Stopped, restarted: s.Restarting, unfinished: s.Unfinished}
}

// withoutCollection adds the row of a pause in which no collection starts.
func (r *runtime) withoutCollection(s *suspension) {
	c := &collection{none: true, start: s.From, ended: true, pauses: []pause{s.pause()}}
	if s.Reason == model.SuspendForGC && s.HasCount && s.Count != noCount {
		c.number, c.hasNumber = s.Count+1, true
	}
	r.add(c)
}
