package profile

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// waitKey is a waiting thread and the kind of wait: a thread that waits for a
// lock can log the wait for the handle too.
type waitKey struct {
	thread uint32
	of     Type
}

// waiting is a wait that has begun.
type waiting struct {
	r       record
	owner   uint64
	act     uint32
	kind    string
	inLock  bool     // it begins in a contention
	capture *capture // of the thread that logged the beginning
	gaps    int      // of capture at that time
}

// broken reports whether the end of a wait may be lost.
func (w *waiting) broken() bool { return w.gaps != w.capture.gaps }

// lastUntil ends a wait that has no end with the recording.
func (w *waiting) lastUntil(end uint64) { w.r.until = max(end, w.r.ticks) }

// begun returns the wait that an event begins.
func (b *builder) begun(ev *codec.Event, kind string) waiting {
	from := originOf(ev)
	c := b.capture(&from, ev.Sequence)
	return waiting{r: b.record(ev), act: b.activity(ev), kind: kind, capture: c, gaps: c.gaps}
}

// startWait notes a wait. Waits of one type on one thread nest.
func (b *builder) startWait(ev *codec.Event, t Type, w waiting) {
	key := waitKey{b.thread(ev), t}
	w.inLock = t == Wait && len(b.intact(waitKey{key.thread, Lock})) > 0
	b.intact(key)
	if b.hold(1) {
		b.waits[key] = append(b.waits[key], w)
	}
}

// contentionStart notes that a thread waits for a lock.
func (b *builder) contentionStart(ev *codec.Event) {
	e, kind := clr.ContentionStart(ev), "Lock"
	if e.ContentionFlags() == 1 {
		kind = "Native lock"
	}
	w := b.begun(ev, kind)
	w.owner = e.LockOwnerThreadID()
	b.startWait(ev, Lock, w)
}

// contentionStop ends it. Since version 1 the event has the duration, which
// includes the time before the start was logged.
func (b *builder) contentionStop(ev *codec.Event) {
	e := clr.ContentionStop(ev)
	nanos := e.DurationNs()
	if !e.HasDurationNs() || !(nanos >= 0) {
		b.endWait(ev, Lock, 0, false)
		return
	}
	b.endWait(ev, Lock, b.p.nanos.ticks(nanos), true)
}

// monitorWait is the kind of a wait for a pulse.
const monitorWait = "Monitor wait"

// waitStart notes that a thread waits for a handle or on a monitor.
func (b *builder) waitStart(ev *codec.Event) {
	kind := "Wait"
	if clr.WaitHandleWaitStart(ev).WaitSource() == 1 {
		kind = monitorWait
	}
	b.startWait(ev, Wait, b.begun(ev, kind))
}

// waitStop ends it.
func (b *builder) waitStop(ev *codec.Event) { b.endWait(ev, Wait, 0, false) }

// endWait makes a sample of a finished wait: of the given number of ticks if it
// is known, otherwise since its start. A stop without a start, as at the
// beginning of a trace, has no stack.
func (b *builder) endWait(ev *codec.Event, t Type, ticks uint64, known bool) {
	key := waitKey{b.thread(ev), t}
	open := b.intact(key)
	var w waiting
	switch {
	case len(open) > 0:
		w = open[len(open)-1]
		b.waits[key] = open[:len(open)-1]
		b.held--
	case known:
		w = waiting{act: b.activity(ev), kind: "Lock"}
	default:
		return
	}
	if known {
		w.r.ticks = ev.Timestamp - min(ticks, ev.Timestamp)
	}
	w.r.until = max(w.r.ticks, ev.Timestamp)
	b.keepWait(key, &w, false)
}

// intact returns the open waits of a thread. It forgets them if events of the thread are lost since
// the last one began: it is not known which of them go on.
func (b *builder) intact(key waitKey) []waiting {
	open := b.waits[key]
	if len(open) > 0 && open[len(open)-1].broken() {
		b.held -= int64(len(open))
		open = open[:0]
		b.waits[key] = open
	}
	return open
}

// keepWait makes a sample of a wait.
func (b *builder) keepWait(key waitKey, w *waiting, unfinished bool) {
	nanos := b.p.nanos.of(w.r.until - w.r.ticks)
	b.detail = detail{activity: w.act, owner: w.owner, unfinished: unfinished, inLock: w.inLock, onMonitor: w.kind == monitorWait, label: b.nextLabel()}
	b.labelText(keyContentionType, w.kind)
	bucket := keyDurationBucket
	if key.of == Wait {
		bucket = keyWaitBucket
	}
	b.labelText(bucket, bucketOf(nanos))
	if unfinished {
		b.labelText(keyUnfinished, "true")
	}
	b.keep(key.of, key.thread, w.r, nanos, 1)
}

// finishWaits makes samples of the waits and pauses that have not ended when the
// recording ends. A wait is left out when events of its thread are lost after its
// beginning: its end can be among them. So is a pause after which the sampler ran.
func (b *builder) finishWaits() {
	keys := slices.SortedFunc(maps.Keys(b.waits), func(x, y waitKey) int {
		return cmp.Or(cmp.Compare(x.thread, y.thread), cmp.Compare(x.of, y.of))
	})
	for _, key := range keys {
		for _, w := range b.waits[key] {
			if w.broken() {
				continue
			}
			w.lastUntil(b.p.End)
			b.keepWait(key, &w, true)
		}
	}
	for _, thread := range slices.Sorted(maps.Keys(b.pausing)) {
		if w := b.pausing[thread]; !w.broken() && !b.roundsAfter(b.p.threads.rows[thread].ProcessID, w.r.ticks) {
			w.lastUntil(b.p.End)
			g := b.gcOf(thread)
			g.pauses = append(g.pauses, pause{thread, w.r, w.act, true})
		}
	}
	b.waits, b.pausing = nil, nil
}

// bucketOf sorts durations as the continuous profiler does.
func bucketOf(nanos int64) string {
	switch ms := nanos / 1e6; {
	case ms < 10:
		return "0 - 9 ms"
	case ms < 50:
		return " 10 - 49 ms"
	case ms < 100:
		return "50 - 99 ms"
	case ms < 500:
		return "100 - 499 ms"
	}
	return "+500 ms"
}
