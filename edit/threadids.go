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
	ended   map[uint64]endedThread     // by id: capture threads that readers of v4 still know
}

type numberedThread struct {
	row       *codec.Thread // nil when the stream has none
	captureID uint64
	captures  bool
	last      uint32
	point     int  // the last sequence point that listed it
	recent    bool // has events since the last sequence point
}

// endedThread is a capture thread that was removed. In v4 it ends at the first sequence
// point that does not list it.
type endedThread struct {
	last   uint32
	lost   bool // events before last, which no sequence point shows yet
	recent bool // has events since the last sequence point
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
	th.last, th.recent = sequence, true
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
	if before, ended := t.ended[th.captureID]; taken || before.lost || ended && first != 1 {
		t.changes.add("capture threads that share an id, which are others now", 1)
		th.captureID = 1<<32 + index
	}
	delete(t.ended, th.captureID) // points list the new thread
	t.owners[th.captureID] = index
	return th
}

// remove ends a thread. The next sequence point lists it if it has events or losses.
func (t *threadIDs) remove(entry codec.ThreadSequence) {
	th := t.numbered(entry.Thread, 0)
	ended := endedThread{last: th.last, lost: reaches(th.last, entry.Sequence), recent: th.recent}
	if ended.lost {
		ended.last = entry.Sequence
	}
	t.ended[th.captureID] = ended
	t.forget(entry.Thread, th)
}

func (t *threadIDs) forget(index uint64, th *numberedThread) {
	if th.captures {
		delete(t.owners, th.captureID)
	}
	delete(t.live, index)
}

// losses reports whether a removed thread has losses that no sequence point shows.
func (t *threadIDs) losses() bool {
	for _, th := range t.ended {
		if th.lost {
			return true
		}
	}
	return false
}

// point translates the list of a sequence point. In v4 a thread that is missing
// in the list has ended. Therefore the result has the removed threads with events
// or losses since the point before, the threads of the point in its order, and then
// the other threads that continue.
func (t *threadIDs) point(p *codec.SequencePoint) []codec.ThreadSequence {
	list := t.removed()
	t.points++
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
		th.recent = false
		switch {
		case flush:
			t.forget(index, th)
		case th.captures && th.point != t.points:
			list = append(list, codec.ThreadSequence{Thread: th.captureID, Sequence: th.last})
		}
	}
	slices.SortFunc(list[others:], byThread)
	return list
}

// removed lists the removed threads for a sequence point, by id. Readers know these until the
// next point, and the others no longer.
func (t *threadIDs) removed() (list []codec.ThreadSequence) {
	for id, th := range t.ended {
		if !th.lost && !th.recent {
			delete(t.ended, id)
			continue
		}
		list = append(list, codec.ThreadSequence{Thread: id, Sequence: th.last})
		t.ended[id] = endedThread{last: th.last}
	}
	slices.SortFunc(list, byThread)
	return list
}

func byThread(a, b codec.ThreadSequence) int { return cmp.Compare(a.Thread, b.Thread) }
