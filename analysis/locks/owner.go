package locks

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// owners finds the owners of locks, and their stacks. Since .NET 11 an event has the managed id of
// the owner. Which thread that is can be known at the end only: until then the first stacks of all
// threads in the wait are kept.
type owners struct {
	threads   *runtimes.Threads
	firstSeen map[uint64]uint64        // ticks of the first event of a thread
	waitingOn map[uint64][]*contention // open, by the thread that is the owner
	undecided []*contention            // open, in order of number, with an owner that is not known yet
	number    uint64                   // of the last one that was undecided
	upTo      map[uint64]uint64        // by thread: the number of the last one that has it in seen
}

func newOwners() owners {
	return owners{threads: runtimes.NewThreads(), firstSeen: map[uint64]uint64{}, waitingOn: map[uint64][]*contention{}, upTo: map[uint64]uint64{}}
}

// Bounds of what is kept of waits whose owner is not known yet.
const (
	maxUndecided = 64  // such waits at the same time
	maxSeen      = 256 // threads of one
)

// owner is what is known of the thread that held a lock when a wait for it began.
type owner struct {
	id     uint64 // LockOwnerThreadID, 0 for none
	thread uint64 // 0: not known yet, or not at all
	why    runtimes.Why
	number uint64     // if the thread is not known yet
	seen   []sighting // of threads that may be the owner, or of the owner alone
}

// sighting is the first stack of a thread in a wait.
type sighting struct {
	thread, ticks uint64
	stack         analysis.StackID
}

// thread handles an event about a thread, or about the version of the runtime.
func (p *process) threadEvent(ev *codec.Event) { p.owners.threads.Add(ev) }

// see notes when a thread is first seen.
func (o *owners) see(thread, ticks uint64) {
	if _, ok := o.firstSeen[thread]; !ok {
		o.firstSeen[thread] = ticks
	}
}

// find returns the thread with an id of an owner at a time. In a wait that is open at the end the
// owner is still there, and needs no event before.
func (o *owners) find(id, ticks uint64, open bool) (uint64, runtimes.Why) {
	return o.threads.Owner(id, ticks, func(thread uint64) (uint64, bool) {
		first, ok := o.firstSeen[thread]
		if open {
			return 0, true
		}
		return first, ok
	})
}

// begin adds a contention that begins.
func (o *owners) begin(c *contention) {
	if c.owner.id == 0 {
		return
	}
	if c.owner.thread, c.owner.why = o.find(c.owner.id, c.From, false); c.owner.thread != 0 {
		o.waitingOn[c.owner.thread] = append(o.waitingOn[c.owner.thread], c)
		return
	}
	if len(o.undecided) < maxUndecided {
		o.number++
		c.owner.number = o.number
		o.undecided = append(o.undecided, c)
	}
}

// forget removes a contention that ends.
func (o *owners) forget(c *contention) {
	is := func(one *contention) bool { return one == c }
	switch {
	case c.owner.number != 0:
		o.undecided = slices.DeleteFunc(o.undecided, is)
	case c.owner.thread != 0:
		if list := slices.DeleteFunc(o.waitingOn[c.owner.thread], is); len(list) == 0 {
			delete(o.waitingOn, c.owner.thread)
		} else {
			o.waitingOn[c.owner.thread] = list
		}
	}
}

// sampled notes the stack of a thread for the waits that it may be the owner of.
func (o *owners) sampled(t *analysis.Trace, process uint64, s sighting, addresses []uint64) {
	if len(addresses) == 0 {
		return
	}
	for _, c := range o.waitingOn[s.thread] {
		if len(c.owner.seen) == 0 {
			s.stack = t.StackOf(process, addresses)
			c.owner.seen = append(c.owner.seen, s)
		}
	}
	if n := len(o.undecided); n == 0 || o.undecided[n-1].owner.number <= o.upTo[s.thread] {
		return
	}
	s.stack = t.StackOf(process, addresses)
	for _, c := range o.undecided {
		if c.owner.number > o.upTo[s.thread] && c.thread.ID != s.thread && len(c.owner.seen) < maxSeen {
			c.owner.seen = append(c.owner.seen, s)
		}
	}
	o.upTo[s.thread] = o.number
}

// decide finds the owner of a contention that is open after the last event.
func (o *owners) decide(c *contention) {
	if c.owner.thread == 0 && c.owner.id != 0 {
		c.owner.thread, c.owner.why = o.find(c.owner.id, c.From, true)
	}
}

// decideAll finds the owners of the open contentions, and returns the threads that wait for each
// owner.
func (p *process) decideAll() map[uint64][]*contention {
	waiting := map[uint64][]*contention{}
	for _, thread := range p.open.Threads() {
		for _, one := range p.open.All(thread) {
			c := one.Of
			p.owners.decide(c)
			if c.owner.thread != 0 {
				waiting[c.owner.thread] = append(waiting[c.owner.thread], c)
			}
		}
	}
	return waiting
}

// describeOwner adds the owner of a lock to the description of a wait. A thread that is idle has
// left the lock already.
func (p *process) describeOwner(one *Contention, o owner, begin uint64) {
	if o.thread == 0 && o.id != 0 {
		o.thread, o.why = p.owners.find(o.id, begin, false)
	}
	if o.thread == 0 {
		one.OwnerUnknown = o.why.String()
		return
	}
	one.OwnerThreadID = analysis.Known(int64(o.thread))
	i := slices.IndexFunc(o.seen, func(s sighting) bool { return s.thread == o.thread })
	if i < 0 || o.seen[i].stack == 0 {
		return
	}
	frames := p.trace.Frames(o.seen[i].stack, o.seen[i].ticks)
	if blocking.Of(frames, blocking.Source{BySample: true}).Cause.Idle() {
		return
	}
	library := max(blocking.LockFrames(frames), blocking.PollFrames(frames))
	one.OwnerStack = blocked.Names(frames, library)
	first := len(frames) - len(one.OwnerStack)
	at := max(first, blocking.ProgramFrame(frames))
	one.Owner, one.ownerPlace = blocked.Method(frames, one.OwnerStack[at-first:]), p.trace.PlaceOf(frames, at)
}
