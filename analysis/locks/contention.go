package locks

import (
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model"
)

// process has the contentions of one process.
type process struct {
	id     uint64
	trace  *analysis.Trace
	served *model.Served

	open   *blocked.Open[contention]
	owners owners
	sums   blocked.Sums[contention]
	queues queues

	durations []int64 // of those that ended, at most Limits.Rows
	ended     int64
	totalNs   int64 // of those that ended
	clockNs   int64 // the same by the times of the events
	began     int64 // stops without a start
	leftOut   int64 // starts above the limit
	sampled   bool
}

func newProcess(t *analysis.Trace, served *model.Served, id uint64) *process {
	return &process{
		id: id, trace: t, served: served, sums: blocked.Sums[contention]{Served: served}, open: blocked.NewOpen[contention](t.Limits().Threads), owners: newOwners(),
		queues: queues{open: map[lock]*queue{}},
	}
}

// recorded reports whether there were events about contentions.
func (p *process) recorded() bool { return p.ended > 0 || p.began > 0 || len(p.open.Threads(p.id)) > 0 }

// contention is a wait of a thread for a lock.
type contention struct {
	thread   analysis.Thread
	begin    uint64 // ticks
	stack    analysis.StackID
	native   bool
	activity wire.GUID // of the event
	on       lock
	owner    owner
	waits    int64 // threads that waited for the lock then, with this one

	addresses []uint64 // of stack
	samples   int64    // of the thread in the wait
	other     int      // the highest number of frames at the leaf that a sample does not share
}

// owned is the begin of the wait.
func (c *contention) owned() model.Owned {
	return model.Owned{Thread: c.thread, Ticks: c.begin, Activity: c.activity, Stack: c.stack}
}

// lock identifies a lock for a short time. id is reused, object moves.
type lock struct{ id, object uint64 }

// key is the lock for grouping: by the object that is locked, if it is known.
func (l lock) key() lock {
	if l.object != 0 {
		return lock{object: l.object}
	}
	return l
}

// start handles ContentionStart.
func (p *process) start(ev *codec.Event) {
	e := clr.ContentionStart(ev)
	c := &contention{
		thread: p.trace.Thread(ev), begin: ev.Timestamp, native: e.ContentionFlags() == 1, activity: ev.Activity(),
		on: lock{e.LockID(), e.AssociatedObjectID()}, owner: owner{id: e.LockOwnerThreadID()},
	}
	if !p.open.Begin(c.thread, c) {
		p.leftOut++
		return
	}
	c.stack, c.addresses = p.trace.Stack(ev), slices.Clone(ev.Stack())
	c.waits = p.queues.begin(c)
	p.owners.see(c.thread.ID, c.begin)
	p.owners.begin(c)
	held := p.open.Last(analysis.Thread{Process: p.id, ID: c.owner.thread})
	if held != nil && held != c && held.stack != 0 {
		c.owner.seen = append(c.owner.seen, sighting{c.owner.thread, held.begin, held.stack})
	}
}

// stop handles ContentionStop.
func (p *process) stop(ev *codec.Event) {
	c := p.open.End(p.trace.Thread(ev))
	if c == nil {
		p.began++
		return
	}
	p.owners.forget(c)
	clock := p.trace.Between(c.begin, ev.Timestamp)
	nanos := clock
	e := clr.ContentionStop(ev)
	if duration := e.DurationNs(); e.HasDurationNs() && duration >= 0 && duration < math.MaxInt64 {
		nanos = int64(math.Round(duration))
	}
	p.ended, p.totalNs, p.clockNs = p.ended+1, p.totalNs+nanos, p.clockNs+clock
	if int64(len(p.durations)) < p.trace.Limits().Rows {
		p.durations = append(p.durations, nanos)
	}
	p.add(c, nanos, false)
	p.queues.end(c, ev.Timestamp, nanos)
}

// add adds a contention to the sums.
func (p *process) add(c *contention, nanos int64, unfinished bool) {
	mark := uint8(0)
	if c.native {
		mark = 1
	}
	one := blocked.Interval{Owned: c.owned(), Nanos: nanos, Unfinished: unfinished}
	p.sums.Add(mark, one, c.waits, *c)
}

// lost forgets what is open on a thread.
func (p *process) lost(thread analysis.Thread) {
	for _, c := range p.open.Forget(thread) {
		p.owners.forget(c)
		p.queues.drop(c)
	}
}

// sample handles a sample of a thread.
func (p *process) sample(ev *codec.Event) {
	p.sampledStack(p.trace.Thread(ev), ev.Timestamp, ev.Stack(), 1)
}

// sampledStack handles successive samples of a thread with one stack, the first one at ticks:
// they have the stack of the owner of a lock, or show whether a thread is still in its wait.
func (p *process) sampledStack(thread analysis.Thread, ticks uint64, stack []uint64, samples int64) {
	p.sampled = true
	if c := p.open.Last(thread); c != nil {
		c.samples += samples
		c.other = max(c.other, unshared(c.addresses, stack))
	}
	p.owners.see(thread.ID, ticks)
	p.owners.sampled(p.trace, p.id, sighting{thread: thread.ID, ticks: ticks}, stack)
}

// truncatedStack is the number of frames of a stack that the runtime truncates.
const truncatedStack = 100

// unshared returns how many frames at the leaf of a stack another stack of the same
// thread does not have below its own leaf.
func unshared(stack, other []uint64) int {
	if len(stack) < truncatedStack && len(other) < truncatedStack {
		same := 0
		for same < min(len(stack), len(other)) && stack[len(stack)-1-same] == other[len(other)-1-same] {
			same++
		}
		return len(stack) - same
	}
	for i, address := range stack { // the roots are missing
		at := slices.Index(other, address)
		if at < 0 {
			continue
		}
		if n := min(len(stack)-i, len(other)-at); slices.Equal(stack[i:i+n], other[at:at+n]) {
			return i
		}
	}
	return len(stack)
}
