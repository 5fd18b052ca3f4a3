package locks

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// Deadlock is a deadlock candidate: each thread waits for a lock that the next one
// held, the last one for the first one.
type Deadlock struct {
	Threads []DeadlockedThread `json:"threads"` // the one with the lowest id first
	WaitNs  int64              `json:"waitNs"`  // since when all of them wait
	// Waiting are the threads outside of the cycle that wait for a lock of it.
	Waiting []int64 `json:"waiting"`
}

// DeadlockedThread is a thread of a deadlock candidate.
type DeadlockedThread struct {
	Contention
	Method  string   `json:"method,omitempty"` // that takes the lock
	Stack   []string `json:"stack,omitempty"`  // from this method on, leaf first
	Samples int64    `json:"samples"`          // of the thread since then, all in the wait
}

// minDeadlock is the shortest wait of a thread of a deadlock candidate, in
// nanoseconds.
const minDeadlock = 1e9

// deadlocks finds the cycles among the open contentions. It returns nil if there are none and the
// owner of a lock for which a thread is stuck is not known.
func (p *process) deadlocks(end uint64) []Deadlock {
	var list []Deadlock
	waiting, unknown := p.decideAll(), false
	done := map[uint64]bool{}
	for _, thread := range p.open.Threads() {
		if cycle := p.cycle(thread.ID, done, end); cycle != nil {
			list = append(list, p.deadlock(cycle, waiting, end))
		}
		c := p.stuck(thread.ID, end)
		unknown = unknown || c != nil && c.owner.why != runtimes.Known
	}
	if list == nil && !unknown {
		list = []Deadlock{}
	}
	return list
}

// stuck returns the contention in which a thread is stuck, nil if it is not.
func (p *process) stuck(thread, end uint64) *contention {
	c := p.innermost(analysis.Thread{Process: p.id, ID: thread})
	if c == nil || p.trace.Between(c.From, end) < minDeadlock {
		return nil
	}
	if c.other > lockFramesOf(p.trace.Frames(c.stack, c.From)) {
		return nil
	}
	return c
}

// unnamedLockFrames is how many frames at the leaf are taken for those of the lock
// in a stack without names.
const unnamedLockFrames = 4

// lockFramesOf returns how many frames at the leaf can change in a wait: those of
// the lock, and the address in their caller does not change.
func lockFramesOf(frames []symbols.Frame) int {
	if !slices.ContainsFunc(frames, func(f symbols.Frame) bool { return f.Symbol != nil }) {
		return unnamedLockFrames
	}
	return blocking.LockFrames(frames)
}

// cycle follows the owners from a thread on, and returns the threads of a new
// cycle.
func (p *process) cycle(thread uint64, done map[uint64]bool, end uint64) []*contention {
	var path []*contention
	for !done[thread] {
		done[thread] = true
		c := p.stuck(thread, end)
		if c == nil || c.owner.thread == thread {
			return nil
		}
		path = append(path, c)
		thread = c.owner.thread
	}
	first := slices.IndexFunc(path, func(c *contention) bool { return c.thread.ID == thread })
	if first < 0 { // it ends in what another thread found
		return nil
	}
	return path[first:]
}

// deadlock describes a cycle. waiting are the threads that wait for each owner.
func (p *process) deadlock(cycle []*contention, waiting map[uint64][]*contention, end uint64) Deadlock {
	lowest := 0
	for i, c := range cycle {
		if c.thread.ID < cycle[lowest].thread.ID {
			lowest = i
		}
	}
	d := Deadlock{Waiting: []int64{}}
	var members []uint64
	for i := range cycle {
		c := cycle[(lowest+i)%len(cycle)]
		nanos := p.trace.Between(c.From, end)
		if i == 0 || nanos < d.WaitNs {
			d.WaitNs = nanos
		}
		frames := p.trace.Frames(c.stack, c.From)
		stack := blocked.Names(frames, blocking.LockFrames(frames))
		d.Threads = append(d.Threads, DeadlockedThread{
			Contention: *p.contention(c, nanos, true), Method: blocked.Method(frames, stack), Stack: stack, Samples: c.samples,
		})
		members = append(members, c.thread.ID)
	}
	for _, owner := range members {
		for _, c := range waiting[owner] {
			if !slices.Contains(members, c.thread.ID) {
				d.Waiting = append(d.Waiting, int64(c.thread.ID))
			}
		}
	}
	slices.Sort(d.Waiting)
	return d
}
