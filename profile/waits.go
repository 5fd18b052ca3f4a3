package profile

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// begun is what the profile keeps of a wait or a pause that has begun.
type begun struct {
	stack StackID
	act   uint32
}

// begun returns it for the event that begins one, and notes that losses of its thread matter.
func (b *builder) begun(ev *codec.Event) begun {
	b.noteOpen(ev)
	return begun{b.stack(ev), b.activity(ev)}
}

// noteOpen notes that something is open on the thread of an event.
func (b *builder) noteOpen(ev *codec.Event) {
	from := originOf(ev)
	b.capture(&from, ev.Sequence).open = b.thread(ev) + 1
}

// loses notes that events of a capture are lost, or that another thread took its id: what is open on
// its thread can have ended.
func (b *builder) loses(c *capture) {
	c.gaps++
	if c.open == 0 {
		return
	}
	thread := c.open - 1
	b.held -= int64(len(b.contending.Lost(thread)) + b.waiting.Lost(thread))
	b.suspending.Lost(thread)
}

// contentionStart notes that a thread waits for a lock.
func (b *builder) contentionStart(ev *codec.Event) {
	if of := b.begun(ev); b.hold(1) {
		b.contending.Start(b.thread(ev), ev).Of = of
	}
}

// contentionStop ends it. A stop without a start, as at the beginning of a trace, has no stack.
func (b *builder) contentionStop(ev *codec.Event) {
	c, begun := b.contending.Stop(b.thread(ev), ev)
	switch {
	case begun:
		b.held--
	case c.Duration >= 0:
		c.Of.act = b.activity(ev)
	default:
		return
	}
	if c.Duration >= 0 {
		c.From = c.To - min(b.p.nanos.ticks(c.Duration), c.To)
	}
	b.keepContention(&c)
}

// keepContention makes a sample of a contention.
func (b *builder) keepContention(c *model.OpenContention[uint32, begun]) {
	kind := "Lock"
	if c.Native {
		kind = "Native lock"
	}
	d := detail{owner: c.Owner, unfinished: c.Unfinished}
	b.keepBlocked(Lock, c.Thread, record{ticks: c.From, until: c.To}, c.Of, d, kind, keyDurationBucket)
}

// waitStart notes that a thread waits for a handle or on a monitor.
func (b *builder) waitStart(ev *codec.Event) {
	if of := b.begun(ev); b.hold(1) {
		thread := b.thread(ev)
		b.waiting.Start(thread, ev, b.contending.Last(thread) != nil).Of = of
	}
}

// waitStop ends it.
func (b *builder) waitStop(ev *codec.Event) {
	if w, begun := b.waiting.Stop(b.thread(ev), ev); begun {
		b.held--
		b.keepWait(&w)
	}
}

// taskWaits are the events that tell which waits are for tasks.
var taskWaits = map[clr.Kind]func(*builder, *codec.Event){
	clr.KindTaskWaitBegin: (*builder).taskWaitBegin,
	clr.KindTaskWaitEnd:   (*builder).taskWaitEnd,
}

// taskWaitBegin notes that a thread waits for a task.
func (b *builder) taskWaitBegin(ev *codec.Event) {
	if _, blocks := model.BlockingTask(ev); blocks && b.hold(1) {
		b.noteOpen(ev)
		b.waiting.StartTask(b.thread(ev), ev)
	}
}

// taskWaitEnd ends it. Most threads that log the event wait for none.
func (b *builder) taskWaitEnd(ev *codec.Event) {
	thread, known := b.p.threads.known[keyOf(b.p.threads.process, ev, ev.Thread())]
	if !known {
		return
	}
	if _, begun := b.waiting.StopTask(thread, clr.TaskWaitEnd(ev).TaskID(), ev.Timestamp); begun {
		b.held--
	}
}

// monitorWait is the kind of a wait for a pulse.
const monitorWait = "Monitor wait"

// keepWait makes a sample of a wait.
func (b *builder) keepWait(w *model.OpenWait[uint32, begun]) {
	kind := "Wait"
	if w.OnMonitor {
		kind = monitorWait
	}
	d := detail{unfinished: w.Unfinished, inLock: w.InContention, onMonitor: w.OnMonitor, ofTask: w.OfTask}
	b.keepBlocked(Wait, w.Thread, record{ticks: w.From, until: w.To}, w.Of, d, kind, keyWaitBucket)
}

// keepBlocked makes a sample of a time in which a thread was blocked.
func (b *builder) keepBlocked(t Type, thread uint32, r record, of begun, d detail, kind, bucket string) {
	nanos := b.p.nanos.of(r.until - r.ticks)
	d.activity, d.label = of.act, b.nextLabel()
	b.detail, r.stack = d, of.stack
	b.labelText(keyContentionType, kind)
	b.labelText(bucket, bucketOf(nanos))
	if d.unfinished {
		b.labelText(keyUnfinished, "true")
	}
	b.keep(t, thread, r, nanos, 1)
}

// finishWaits makes samples of the contentions, waits and pauses that have not ended when the
// recording ends. A pause without a later suspension after which the sampler ran is left out.
func (b *builder) finishWaits() {
	for _, c := range b.contending.Close(b.p.End) {
		b.keepContention(&c)
	}
	for _, w := range b.waiting.Close(b.p.End) {
		if !w.ByTask {
			b.keepWait(&w)
		}
	}
	for _, s := range b.suspending.Close(func(uint32) uint64 { return b.p.End }) {
		if s.IsPause() && (s.Next > 0 || !b.roundsAfter(b.p.threads.rows[s.Thread].ProcessID, s.From)) {
			b.addPause(&s)
		}
	}
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
