package record

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// numbers are the sequence numbers of capture threads in a trace whose start was
// removed: the first number of each thread becomes 1. In a stream with its start
// the numbers do not change.
//
// Spec: "Event Sequence Numbers" of the v4/v5 text.
type numbers struct {
	fromStart bool
	threads   map[uint64]*threadNumber
	id        uint64 // of current
	current   *threadNumber
}

type threadNumber struct {
	base uint32 // of the stream; it becomes 0
	last uint32 // written
}

// of returns the thread. A new thread starts after sequence.
func (n *numbers) of(thread uint64, sequence uint32) *threadNumber {
	if n.current != nil && n.id == thread {
		return n.current
	}
	t := n.threads[thread]
	if t == nil {
		t = &threadNumber{base: sequence}
		if n.fromStart {
			t.base = 0
		}
		if n.threads == nil {
			n.threads = map[uint64]*threadNumber{}
		}
		n.threads[thread] = t
	}
	n.id, n.current = thread, t
	return t
}

// next returns the new number of an event. Number 1 of a known thread is the
// first event of a new thread with the same id.
func (n *numbers) next(thread uint64, sequence uint32) uint32 {
	t := n.of(thread, sequence-1)
	if sequence == 1 {
		t.base = 0
	}
	t.last = sequence - t.base
	return t.last
}

// last returns the number of the newest event of a thread, 0 for none.
func (n *numbers) last(thread uint64) uint32 {
	if t := n.threads[thread]; t != nil {
		return t.last
	}
	return 0
}

// point changes the list of a sequence point, and removes threads that are not in
// it: they have ended. A number from before the removed part is not used after
// it.
func (n *numbers) point(list []codec.ThreadSequence) {
	listed := make(map[uint64]bool, len(list))
	for i := range list {
		entry := &list[i]
		listed[entry.Thread] = true
		t := n.of(entry.Thread, entry.Sequence)
		if entry.Sequence -= t.base; int32(entry.Sequence) < 0 && !n.fromStart {
			entry.Sequence = 0
		}
		t.last = max(t.last, entry.Sequence)
	}
	for thread := range n.threads {
		if !listed[thread] {
			delete(n.threads, thread)
		}
	}
	n.current = nil
}

// list returns the list of a sequence point at this position.
func (n *numbers) list() []codec.ThreadSequence {
	var list []codec.ThreadSequence
	for thread, t := range n.threads {
		list = append(list, codec.ThreadSequence{Thread: thread, Sequence: t.last})
	}
	slices.SortFunc(list, func(a, b codec.ThreadSequence) int { return cmp.Compare(a.Thread, b.Thread) })
	return list
}

// pointAfter returns a sequence point at this position. ticks is the time of the
// newest event or sequence point before it.
func (n *numbers) pointAfter(ticks uint64) codec.BlockRows {
	return codec.BlockRows{Kind: wire.KindSequencePoint, SequencePoint: codec.SequencePoint{Timestamp: ticks + 1, Threads: n.list()}}
}
