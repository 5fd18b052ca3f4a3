package model

import "github.com/nettrace-go/nettrace/codec"

// losses finds the places where events of a thread are lost, by the sequence
// numbers of the threads that log events.
type losses struct {
	counted, indexed bool          // rows have sequence numbers, threads are rows of a table
	pages            [][]lastEvent // by index of the thread
	sparse           map[uint64]*lastEvent
	left             int64 // threads that Limits allows
	gap              gap   // the last one that was found

	point   uint64                 // ticks of the last sequence point
	reached []codec.ThreadSequence // the numbers that threads had reached there
}

// gap is the place of lost events of a thread.
type gap struct {
	from  uint64 // ticks of the event before them, 0 for none
	count uint32 // 0 if another thread got the id
}

// lastEvent is the last event of a thread.
type lastEvent struct {
	row      *codec.Thread // in v6
	ticks    uint64
	sequence uint32
	round    uint32 // of the chunk that has it, or 1; 0 for no event
}

// Threads per page, and pages: the id of a thread on Linux is below 1<<22.
const (
	threadsPerPage = 1 << 8
	threadPages    = 1 << 14
)

func (l *losses) init(t *Trace) {
	l.counted, l.indexed = t.Header.Format.HasSequenceNumbers(), t.Header.Format.HasThreadTable()
	l.sparse, l.left = map[uint64]*lastEvent{}, t.limits.Threads
}

// event records an event, and reports whether the events before it on its thread
// are lost or belong to another thread.
func (l *losses) event(ev *codec.Event) bool {
	return l.counted && l.add(ev.CaptureThreadIndex, lastEvent{ev.CaptureThread(), ev.Timestamp, ev.Sequence, 1})
}

// add is event for an event of the capture thread with an index.
func (l *losses) add(index uint64, now lastEvent) bool {
	if page := index / threadsPerPage; page < uint64(len(l.pages)) && l.pages[page] != nil {
		return l.next(&l.pages[page][index%threadsPerPage], now)
	}
	last := l.place(index)
	return last != nil && l.next(last, now)
}

// place returns the place of the last event of a thread, nil for one above the limit.
func (l *losses) place(index uint64) *lastEvent {
	if last := l.find(index); last != nil || l.left <= 0 {
		return last
	}
	page := index / threadsPerPage
	if page >= threadPages {
		l.left--
		l.sparse[index] = &lastEvent{}
		return l.sparse[index]
	}
	l.left -= threadsPerPage
	for uint64(len(l.pages)) <= page {
		l.pages = append(l.pages, nil)
	}
	l.pages[page] = make([]lastEvent, threadsPerPage)
	return &l.pages[page][index%threadsPerPage]
}

// find returns the place of the last event of a thread, nil if it has none.
func (l *losses) find(index uint64) *lastEvent {
	if page := index / threadsPerPage; page < uint64(len(l.pages)) && l.pages[page] != nil {
		return &l.pages[page][index%threadsPerPage]
	}
	return l.sparse[index]
}

// next records the next event of a thread, and reports whether those before it are
// lost.
func (l *losses) next(last *lastEvent, now lastEvent) bool {
	before, row, sequence := *last, now.row, now.sequence
	*last = now
	l.gap = gap{from: before.ticks}
	switch {
	case before.round == 0: // a thread counts from 1
		l.gap.count = max(sequence, 1) - 1
		return l.gap.count > 0
	case row != before.row && !sameThread(row, before.row):
		return true
	case sequence == before.sequence+1:
		return false
	case sequence == 1 && !l.indexed: // another thread with this id
		return true
	}
	l.gap.count = sequence - before.sequence - 1
	return sequence-before.sequence < 1<<31 && sequence != before.sequence
}

// sequencePoint records the last sequence point so far.
func (l *losses) sequencePoint(p *codec.SequencePoint) {
	l.point, l.reached = p.Timestamp, append(l.reached[:0], p.Threads...)
}

// trailing calls lost for each thread whose last events before the last sequence
// point are lost.
func (l *losses) trailing(lost func(index uint64, last lastEvent, count uint32)) {
	if !l.counted {
		return
	}
	for _, r := range l.reached {
		last := lastEvent{}
		if of := l.find(r.Thread); of != nil {
			last = *of
		}
		count := r.Sequence - last.sequence
		if count == 0 || count >= 1<<31 || last.round > 0 && last.ticks > l.point {
			continue
		}
		lost(r.Thread, last, count)
	}
}

// sameThread reports whether two rows of the thread table are of one thread.
func sameThread(a, b *codec.Thread) bool {
	return a != nil && b != nil && a.ThreadID == b.ThreadID && a.ProcessID == b.ProcessID
}
