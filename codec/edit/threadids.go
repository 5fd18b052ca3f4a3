package edit

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// threadIDs gives the threads of a v6 stream, which are rows of a table, the ids
// that they have in v4, as the losses of both are counted alike.
//
// Spec: "Event Sequence Numbers", "SequencePointBlock Object" of the v4/v5 text.
type threadIDs struct {
	changes *changes
	live    map[uint64]*numberedThread // by index
	owners  map[uint64]uint64          // index of the capture thread that has an id of the operating system
	removed []codec.ThreadSequence     // to be listed once more: events of theirs were lost
}

type numberedThread struct {
	row       *codec.Thread // nil when the stream has none
	captureID uint64
	captures  bool
	last      uint32
}

func (t *threadIDs) of(index uint64) *numberedThread {
	th := t.live[index]
	if th == nil {
		th = &numberedThread{}
		t.live[index] = th
	}
	return th
}

func (t *threadIDs) define(row *codec.Thread) {
	t.of(row.Index).row = row
	if !row.HasThreadID {
		t.changes.add("threads without an id, which are their indexes now", 1)
	}
}

// id is the thread that an event is about.
func (t *threadIDs) id(index uint64) uint64 {
	if th := t.live[index]; th != nil && th.row != nil && th.row.HasThreadID {
		return th.row.ThreadID
	}
	return index
}

// capture is the thread that logged an event.
func (t *threadIDs) capture(index uint64, sequence uint32) uint64 {
	th := t.numbered(index)
	th.last = sequence
	return th.captureID
}

// numbered returns a thread that has numbers, and an id of its own: two threads
// of one id, as those of two processes, would mix theirs.
func (t *threadIDs) numbered(index uint64) *numberedThread {
	th := t.of(index)
	if th.captures {
		return th
	}
	th.captures, th.captureID = true, t.id(index)
	if _, taken := t.owners[th.captureID]; taken {
		t.changes.add("capture threads that share an id, which are others now", 1)
		th.captureID = 1<<32 + index
	}
	t.owners[th.captureID] = index
	return th
}

// remove ends a thread. What it lost is told by the next sequence point.
func (t *threadIDs) remove(entry codec.ThreadSequence) {
	th := t.numbered(entry.Thread)
	if reaches(th.last, entry.Sequence) {
		t.removed = append(t.removed, codec.ThreadSequence{Thread: th.captureID, Sequence: entry.Sequence})
	}
	t.forget(entry.Thread, th)
}

func (t *threadIDs) forget(index uint64, th *numberedThread) {
	if th.captures {
		delete(t.owners, th.captureID)
	}
	delete(t.live, index)
}

// point translates the list of a sequence point. A thread that it leaves out has
// ended, in v4; so it lists those that go on, and those that lost something.
func (t *threadIDs) point(p *codec.SequencePoint) []codec.ThreadSequence {
	list := t.removed
	t.removed = nil
	flush := p.Flags&wire.SequenceThreads != 0
	for _, entry := range p.Threads {
		th := t.numbered(entry.Thread)
		if !reaches(th.last, entry.Sequence) {
			continue
		}
		th.last = entry.Sequence
		if flush {
			list = append(list, codec.ThreadSequence{Thread: th.captureID, Sequence: th.last})
		}
	}
	for index, th := range t.live {
		switch {
		case flush:
			t.forget(index, th)
		case th.captures:
			list = append(list, codec.ThreadSequence{Thread: th.captureID, Sequence: th.last})
		}
	}
	slices.SortStableFunc(list, func(a, b codec.ThreadSequence) int { return cmp.Compare(a.Thread, b.Thread) })
	return list
}
