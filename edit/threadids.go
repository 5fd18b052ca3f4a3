package edit

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// threadIDs gives the threads of a v6 stream, which are rows of a table, ids of
// v4, because the losses of both are counted alike.
//
// Spec: "Event Sequence Numbers", "SequencePointBlock Object" of the v4/v5 text.
type threadIDs struct {
	changes *changes
	points  int                        // so far
	live    map[uint64]*numberedThread // by index
	owners  map[uint64]uint64          // index of the capture thread that has an id of the operating system
	removed []codec.ThreadSequence     // to be listed again, because they lost events
	ended   map[uint64]bool            // ids of capture threads removed since the last point; true: the next point lists it
}

type numberedThread struct {
	row       *codec.Thread // nil when the stream has none
	captureID uint64
	captures  bool
	last      uint32
	point     int // the last sequence point that listed it
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
	} else if th == nil || th.row == nil {
		t.changes.add("references to undefined threads, which are thread ids now", 1)
	}
	return index
}

// capture is the thread that logged an event.
func (t *threadIDs) capture(index uint64, sequence uint32) uint64 {
	th := t.numbered(index, sequence)
	th.last = sequence
	return th.captureID
}

// numbered returns a thread that has numbers, and an id of its own: two threads
// of one id, as those of two processes, would mix their numbers. first is its
// first number, 0 if it is unknown: in v4, a thread with the id of an ended one
// is a new one only if it starts with 1.
func (t *threadIDs) numbered(index uint64, first uint32) *numberedThread {
	th := t.of(index)
	if th.captures {
		return th
	}
	th.captures, th.captureID = true, t.id(index)
	_, taken := t.owners[th.captureID]
	if listed, ended := t.ended[th.captureID]; taken || listed || ended && first != 1 {
		t.changes.add("capture threads that share an id, which are others now", 1)
		th.captureID = 1<<32 + index
	}
	t.owners[th.captureID] = index
	return th
}

// remove ends a thread. The next sequence point shows its losses.
func (t *threadIDs) remove(entry codec.ThreadSequence) {
	th := t.numbered(entry.Thread, 0)
	lost := reaches(th.last, entry.Sequence)
	t.ended[th.captureID] = lost
	if lost {
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

// point translates the list of a sequence point. In v4 a thread that is missing
// in the list has ended. Therefore the result has the removed threads with
// losses, the threads of the point in its order, and then the other threads that
// continue.
func (t *threadIDs) point(p *codec.SequencePoint) []codec.ThreadSequence {
	list := t.removed
	t.removed = nil
	t.points++
	clear(t.ended)
	flush := p.Flags&wire.SequenceThreads != 0
	for _, entry := range p.Threads {
		th := t.numbered(entry.Thread, 0)
		lost := reaches(th.last, entry.Sequence)
		if lost {
			th.last = entry.Sequence
		}
		if lost || !flush && th.point != t.points {
			list = append(list, codec.ThreadSequence{Thread: th.captureID, Sequence: th.last})
		}
		th.point = t.points
	}
	others := len(list)
	for index, th := range t.live {
		switch {
		case flush:
			t.forget(index, th)
		case th.captures && th.point != t.points:
			list = append(list, codec.ThreadSequence{Thread: th.captureID, Sequence: th.last})
		}
	}
	slices.SortFunc(list[others:], func(a, b codec.ThreadSequence) int { return cmp.Compare(a.Thread, b.Thread) })
	return list
}
