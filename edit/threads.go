package edit

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// threadIndexes gives the threads of a v4 stream, which are ids of the operating
// system, indexes of v6, because the losses of both are counted alike.
//
// Spec: "Thread block", "Sequence numbers".
type threadIndexes struct {
	process    uint64
	hasProcess bool
	next       uint64
	points     uint32 // sequence points so far
	byID       map[uint64]*indexedThread
	fresh      []codec.ThreadBytes    // rows to write
	ended      []codec.ThreadSequence // threads to remove
}

type indexedThread struct {
	index    uint64
	last     uint32 // number it has reached
	numbered bool   // it captured events, or a sequence point listed it
	point    uint32 // the last sequence point that listed it
}

// of returns the current thread of an id.
func (t *threadIndexes) of(id uint64) *indexedThread {
	if th := t.byID[id]; th != nil {
		return th
	}
	t.next++
	th := &indexedThread{index: t.next}
	t.byID[id] = th
	t.fresh = append(t.fresh, codec.ThreadBytes{Thread: &codec.Thread{
		Index: th.index, ProcessID: t.process, HasProcessID: t.hasProcess, ThreadID: id, HasThreadID: true,
	}})
	return th
}

// restarts reports whether the thread that logs an event with this number is a
// new one with an old id: it starts again at 1. Then it ends the old one.
func (t *threadIndexes) restarts(id uint64, sequence uint32) bool {
	if sequence != 1 {
		return false
	}
	th := t.byID[id]
	if th == nil || th.last == 0 {
		return false
	}
	t.forget(id, th)
	return true
}

// capture returns the index of the thread that logged an event.
func (t *threadIndexes) capture(id uint64, sequence uint32) uint64 {
	th := t.of(id)
	th.last, th.numbered = sequence, true
	return th.index
}

func (t *threadIndexes) forget(id uint64, th *indexedThread) {
	t.ended = append(t.ended, codec.ThreadSequence{Thread: th.index, Sequence: th.last})
	delete(t.byID, id)
}

// point translates the list of a sequence point. A thread that logged events
// and is not in it has ended.
func (t *threadIndexes) point(dst, list []codec.ThreadSequence) []codec.ThreadSequence {
	t.points++
	for _, entry := range list {
		if t.byID[entry.Thread] == nil && entry.Sequence == 0 {
			continue
		}
		th := t.of(entry.Thread)
		th.numbered, th.point = true, t.points
		if reaches(th.last, entry.Sequence) {
			th.last = entry.Sequence
		}
		dst = append(dst, codec.ThreadSequence{Thread: th.index, Sequence: entry.Sequence})
	}
	for id, th := range t.byID {
		if th.numbered && th.point != t.points {
			t.forget(id, th)
		}
	}
	slices.SortFunc(t.ended, func(a, b codec.ThreadSequence) int { return cmp.Compare(a.Thread, b.Thread) })
	return dst
}

// reaches reports whether a number is after the last one, or after the
// wrap-around.
func reaches(last, next uint32) bool { return next > last || last-next > 1<<31 }
