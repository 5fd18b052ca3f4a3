package analysis

import "github.com/nettrace-go/nettrace/codec"

// losses finds the places where events of a thread are lost, by the sequence
// numbers of the threads that log events.
type losses struct {
	counted, indexed bool          // rows have sequence numbers, threads are rows of a table
	pages            [][]lastEvent // by index of the thread
	sparse           map[uint64]lastEvent
	left             int64 // threads that Limits allows
}

// lastEvent is the last event of a thread.
type lastEvent struct {
	row      *codec.Thread // in v6
	sequence uint32
	known    bool
}

// Threads per page, and pages: the id of a thread on Linux is below 1<<22.
const (
	threadsPerPage = 1 << 8
	threadPages    = 1 << 14
)

func (l *losses) init(t *Trace) {
	l.counted, l.indexed = t.Header.Format.HasSequenceNumbers(), t.Header.Format.HasThreadTable()
	l.sparse, l.left = map[uint64]lastEvent{}, t.limits.Threads
}

// event records an event, and reports whether the events before it on its thread
// are lost or belong to another thread.
func (l *losses) event(ev *codec.Event) bool {
	if !l.counted {
		return false
	}
	if page := ev.CaptureThreadIndex / threadsPerPage; page < uint64(len(l.pages)) && l.pages[page] != nil {
		return l.step(&l.pages[page][ev.CaptureThreadIndex%threadsPerPage], ev.CaptureThread(), ev.Sequence)
	}
	return l.find(ev)
}

// find is the slow path of event.
func (l *losses) find(ev *codec.Event) bool {
	page := ev.CaptureThreadIndex / threadsPerPage
	if page >= threadPages {
		last, known := l.sparse[ev.CaptureThreadIndex]
		if !known && l.left <= 0 {
			return false
		}
		lost := l.step(&last, ev.CaptureThread(), ev.Sequence)
		l.sparse[ev.CaptureThreadIndex] = last
		if !known {
			l.left--
		}
		return lost
	}
	if l.left <= 0 {
		return false
	}
	l.left -= threadsPerPage
	for uint64(len(l.pages)) <= page {
		l.pages = append(l.pages, nil)
	}
	l.pages[page] = make([]lastEvent, threadsPerPage)
	return l.step(&l.pages[page][ev.CaptureThreadIndex%threadsPerPage], ev.CaptureThread(), ev.Sequence)
}

// step records the next event of a thread.
func (l *losses) step(last *lastEvent, row *codec.Thread, sequence uint32) bool {
	before := *last
	*last = lastEvent{row, sequence, true}
	switch {
	case !before.known:
		return false
	case row != before.row && !sameThread(row, before.row):
		return true
	case sequence == before.sequence+1:
		return false
	case sequence == 1 && !l.indexed: // another thread with this id
		return true
	}
	return sequence-before.sequence < 1<<31 && sequence != before.sequence
}

// sameThread reports whether two rows of the thread table are of one thread.
func sameThread(a, b *codec.Thread) bool {
	return a != nil && b != nil && a.ThreadID == b.ThreadID && a.ProcessID == b.ProcessID
}
