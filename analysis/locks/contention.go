package locks

import (
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model"
)

// process has the contentions of one process.
type process struct {
	id     uint64
	trace  *analysis.Trace
	served *model.Served

	open   *model.Contending[analysis.Thread, *contention]
	owners owners
	sums   blocked.Sums[contention]
	queues queues

	held map[wait]*Holder // of the longest waits, after report

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
		id: id, trace: t, served: served, sums: blocked.Sums[contention]{Served: served}, owners: newOwners(),
		open:   model.NewContending[analysis.Thread, *contention](t.Limits().Threads, analysis.Thread.Compare),
		queues: queues{open: map[lock]*queue{}},
	}
}

// recorded reports whether there were events about contentions.
func (p *process) recorded() bool { return p.ended > 0 || p.began > 0 || len(p.open.Threads()) > 0 }

// contention is a wait of a thread for a lock.
type contention struct {
	model.Contention
	thread   analysis.Thread
	stack    analysis.StackID
	activity wire.GUID // of the event
	owner    owner
	waits    int64 // threads that waited for the lock then, with this one

	addresses []uint64 // of stack
	samples   int64    // of the thread in the wait
	other     int      // the highest number of frames at the leaf that a sample does not share
}

// owned is the begin of the wait.
func (c *contention) owned() model.Owned {
	return model.Owned{Thread: c.thread, Ticks: c.From, Activity: c.activity, Stack: c.stack}
}

// on is the lock.
func (c *contention) on() lock { return lock{c.Lock, c.Object} }

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
	one := p.open.Start(p.trace.Thread(ev), ev)
	if one == nil {
		p.leftOut++
		return
	}
	c := &contention{
		Contention: one.Contention, thread: one.Thread, activity: ev.Activity(), owner: owner{id: one.Owner},
		stack: p.trace.Stack(ev), addresses: slices.Clone(ev.Stack()),
	}
	one.Of = c
	c.waits = p.queues.begin(c)
	p.owners.see(c.thread.ID, c.From)
	p.owners.begin(c)
	held := p.innermost(analysis.Thread{Process: p.id, ID: c.owner.thread})
	if held != nil && held != c && held.stack != 0 {
		c.owner.seen = append(c.owner.seen, sighting{c.owner.thread, held.From, held.stack})
	}
}

// innermost returns the innermost contention of a thread, nil for none.
func (p *process) innermost(thread analysis.Thread) *contention {
	if one := p.open.Last(thread); one != nil {
		return one.Of
	}
	return nil
}

// stop handles ContentionStop.
func (p *process) stop(ev *codec.Event) {
	one, begun := p.open.Stop(p.trace.Thread(ev), ev)
	if !begun {
		p.began++
		return
	}
	c := one.Of
	p.owners.forget(c)
	clock := p.trace.Between(one.From, one.To)
	nanos := clock
	if one.Duration >= 0 {
		nanos = int64(math.Round(one.Duration))
	}
	p.ended, p.totalNs, p.clockNs = p.ended+1, p.totalNs+nanos, p.clockNs+clock
	if int64(len(p.durations)) < p.trace.Limits().Rows {
		p.durations = append(p.durations, nanos)
	}
	p.add(c, nanos, false)
	p.queues.end(c, one.To, nanos)
}

// add adds a contention to the sums.
func (p *process) add(c *contention, nanos int64, unfinished bool) {
	mark := uint8(0)
	if c.Native {
		mark = 1
	}
	one := blocked.Interval{Owned: c.owned(), Nanos: nanos, Unfinished: unfinished}
	p.sums.Add(mark, one, c.waits, *c)
}

// lost forgets what is open on a thread.
func (p *process) lost(thread analysis.Thread) {
	for _, one := range p.open.Lost(thread) {
		p.owners.forget(one.Of)
		p.queues.drop(one.Of)
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
	if c := p.innermost(thread); c != nil {
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
