package profile

import (
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// ownerThread handles an event about a thread, or about the version of the runtime.
func (b *builder) ownerThread(ev *codec.Event) {
	b.threadsOf(symbols.Process(ev)).Add(ev)
}

// threadsOf returns the threads of a process that can own locks.
func (b *builder) threadsOf(process uint64) *runtimes.Threads {
	t := b.owners[process]
	if t == nil {
		t = runtimes.NewThreads()
		b.owners[process] = t
	}
	return t
}

// finishOwners replaces the ids of the owners of locks by threads of the operating system, 0 for
// those that cannot be known.
func (b *builder) finishOwners() {
	first := map[uint32]uint64{} // by thread
	for at, r := range b.p.records[Lock].all() {
		d := b.p.details.at(r.at())
		process := b.p.threads.rows[at].ProcessID
		d.owner, _ = b.threadsOf(process).Owner(d.owner, r.ticks, func(thread uint64) (uint64, bool) {
			at, ok := b.p.threads.known[threadKey{process: process, thread: thread}]
			if d.unfinished || !ok { // an owner is still there at the end
				return 0, d.unfinished
			}
			if _, ok := first[at]; !ok {
				first[at] = b.firstSeen(int(at))
			}
			return first[at], true
		})
	}
}

// firstSeen returns the time of the first sample of any type of a thread.
func (b *builder) firstSeen(thread int) uint64 {
	first := uint64(math.MaxUint64)
	for t := range b.p.records {
		for _, r := range b.p.records[t].of(thread).all() {
			first = min(first, r.ticks)
		}
	}
	return first
}
