package codec

import "github.com/nettrace-go/nettrace/codec/rule"

// Lost reports events that a thread logged and that are not in the stream.
type Lost struct {
	CaptureThread uint64 // the operating system's thread id (v4, v5) or thread index (v6)
	// Thread is the row of that thread (v6), otherwise nil.
	Thread *Thread
	// Count is the number of lost events.
	Count     uint64
	Before    uint64 // ticks of the event or the sequence point after the gap
	HasBefore bool   // false after a RemoveThread entry, which has no time
}

// gaps follows the sequence numbers of each capture thread.
//
// Rows without a written sequence number follow the row before, so only rows that
// write one are checked: current is the thread of the current run of rows, and
// its last number is updated when the run ends.
//
// Spec: "Sequence numbers" of the v6 text, "Event Sequence Numbers" of the v4/v5
// text.
type gaps struct {
	threads map[uint64]int // position in last
	last    []lastSequence
	free    []int
	current int // position in last, -1 for none
	lost    uint64
	point   uint32 // number of sequence points so far, from 1
	edges   edges
}

type lastSequence struct {
	thread   uint64
	sequence uint32
	point    uint32 // the last one that listed the thread
	open     bool   // the last number is before the chunk
}

func (g *gaps) reset() {
	clear(g.threads)
	g.last, g.free, g.current, g.lost, g.point = g.last[:0], g.free[:0], -1, 0, 0
	g.edges.reset(false)
}

// trim releases the memory of an empty list.
func (g *gaps) trim() {
	if len(g.last) == 0 {
		g.threads, g.last, g.free = nil, nil, nil
	}
}

// find returns the position of a thread's number, which starts at 0, or is open.
func (g *gaps) find(thread uint64) int {
	if i, ok := g.threads[thread]; ok {
		return i
	}
	if g.threads == nil {
		g.threads = make(map[uint64]int)
	}
	i := len(g.last)
	if n := len(g.free); n > 0 {
		i, g.free = g.free[n-1], g.free[:n-1]
		g.last[i] = lastSequence{thread: thread, open: g.edges.opens(thread)}
	} else {
		g.last = append(g.last, lastSequence{thread: thread, open: g.edges.opens(thread)})
	}
	g.threads[thread] = i
	return i
}

// forget drops a thread.
func (g *gaps) forget(thread uint64) {
	g.edges.forget(thread)
	if i, ok := g.threads[thread]; ok {
		g.drop(i)
	}
}

func (g *gaps) drop(i int) {
	delete(g.threads, g.last[i].thread)
	g.free = append(g.free, i)
	if g.current == i {
		g.current = -1
	}
}

// keepListed drops all threads that the last sequence point did not list. The
// others move together, so that a point costs no more than was listed or met
// since the one before. Such points are those of v4 and v5, where no thread is
// removed otherwise.
func (g *gaps) keepListed() {
	kept := g.last[:0]
	for i, l := range g.last {
		if l.point != g.point {
			delete(g.threads, l.thread)
			continue
		}
		if i != len(kept) {
			g.threads[l.thread] = len(kept)
		}
		kept = append(kept, l)
	}
	g.last, g.current = kept, -1
	g.edges.close()
}

// dropAll drops all threads.
func (g *gaps) dropAll() {
	if len(g.threads) > keptSparse {
		g.threads = nil
	}
	clear(g.threads)
	g.last, g.free, g.current = g.last[:0], g.free[:0], -1
	g.edges.close()
}

// step compares a new sequence number with the last one of its thread.
func step(last, next uint32) (lost uint64, back bool) {
	switch {
	case next > last:
		return uint64(next - last - 1), false
	case last-next > 1<<31:
		return uint64(next) + 1<<32 - uint64(last) - 1, false
	}
	return 0, true
}

// bound handles a number that a thread had reached at least: that of a sequence
// point or a RemoveThread entry. One below the last number is ignored.
func (g *gaps) bound(r *stream, entry ThreadSequence, at Lost) {
	if r.sliced || r.beforeChunk() {
		return
	}
	last := &g.last[g.find(entry.Thread)]
	last.point = g.point
	if last.open {
		at.CaptureThread = entry.Thread
		r.reportEdge(Edge{lost: at, sequence: entry.Sequence, bound: true})
		return
	}
	lost, back := step(last.sequence, entry.Sequence)
	if back {
		return
	}
	last.sequence = entry.Sequence
	at.CaptureThread, at.Count = entry.Thread, lost+1
	r.report(at)
}

// report counts a loss on a thread with its current row, and reports it.
func (r *stream) report(l Lost) {
	l.Thread = r.threads.get(l.CaptureThread)
	r.countLost(l)
}

// countLost counts and reports a loss.
func (r *stream) countLost(l Lost) {
	r.gaps.lost += l.Count
	if r.opt.OnLost != nil {
		r.opt.OnLost(l)
	}
}

// account follows the sequence numbers of a batch. Losses and steps back are
// kept as notices, which go out before their events.
func (r *stream) account(batch []Event, s *rowState) {
	g := &r.gaps
	for _, mark := range s.marks[:s.marked] {
		row := int(mark)
		if row > 0 && g.current >= 0 {
			g.last[g.current].sequence = batch[row-1].Sequence
		}
		e := &batch[row]
		if g.current < 0 || g.last[g.current].thread != e.CaptureThreadIndex {
			g.current = g.find(e.CaptureThreadIndex)
			if g.last[g.current].open {
				r.noteEdge(row, e)
			}
		}
		last := &g.last[g.current]
		lost, back := step(last.sequence, e.Sequence)
		switch {
		case e.Sequence == 1 && r.dialect.restarts:
		case back:
			r.note(row, notice{rule: r.dialect.backwards})
		case lost > 0:
			r.note(row, notice{lost: lost})
		}
		last.sequence = e.Sequence
	}
	if n := len(batch); n > 0 && g.current >= 0 {
		g.last[g.current].sequence = batch[n-1].Sequence
	}
}

// overThreads is the error for too many capture threads.
func (r *stream) overThreads() error {
	if n := int64(len(r.gaps.threads)); n > r.limits.Threads {
		return r.blockError(rule.LIM007, &LimitError{Name: "Threads", Size: n, Limit: r.limits.Threads})
	}
	return nil
}
