package codec

import "slices"

// Edge is a sequence number of a capture thread in a chunk of a file whose
// previous number is in an earlier chunk. ChunkJoin compares the two.
type Edge struct {
	lost     Lost  // its place and thread, without a count
	defect   Error // if the number is a step back
	sequence uint32
	inside   uint64 // lost in the chunk before it
	bound    bool   // it is a lower bound, of a sequence point or a RemoveThread entry
}

// edges says which capture threads may have a number before the current chunk.
// The zero value is for the start of a stream, before which there is none.
type edges struct {
	open bool                // the threads that the chunk has not met may have one
	gone map[uint64]struct{} // except those that the chunk removed
}

func (g *edges) reset(open bool) { g.open, g.gone = open, nil }

// opens reports whether the previous number of a thread that is not in the list
// is before the chunk.
func (g *edges) opens(thread uint64) bool {
	if !g.open {
		return false
	}
	_, removed := g.gone[thread]
	return !removed
}

// forget is for a thread that was removed in the chunk.
func (g *edges) forget(thread uint64) {
	if !g.open {
		return
	}
	if g.gone == nil {
		g.gone = map[uint64]struct{}{}
	}
	g.gone[thread] = struct{}{}
}

// close is for a sequence point that ends all threads that are not in the list.
func (g *edges) close() { g.open, g.gone = false, nil }

// noteEdge keeps a notice for the first row of a capture thread in the chunk. The
// numbers after it are compared with its own.
func (r *stream) noteEdge(row int, e *Event) {
	last := &r.gaps.last[r.gaps.current]
	last.open, last.sequence = false, e.Sequence-1
	r.note(row, notice{rule: r.dialect.backwards, edge: true})
}

// edgeOf is the edge for an event.
func (r *stream) edgeOf(e *Event, defect Error) Edge {
	lost := Lost{CaptureThread: e.CaptureThreadIndex, Before: e.Timestamp, HasBefore: true}
	return Edge{lost: lost, defect: defect, sequence: e.Sequence}
}

// reportEdge keeps an edge for ChunkResult and reports it.
func (r *stream) reportEdge(e Edge) {
	e.inside = r.gaps.lost
	e.lost.Thread = r.threads.get(e.lost.CaptureThread)
	r.edges = append(r.edges, e)
	if r.onEdge != nil {
		r.onEdge(e)
	}
}

// ChunkResult is the outcome of reading one chunk: what a Reader of the complete
// file adds to its own counts in that part of it, and the first and last sequence
// numbers of each capture thread.
type ChunkResult struct {
	Events  int64    // number of events decoded
	Lost    uint64   // lost events between two numbers in the chunk
	Bad     int      // number of bad blocks
	Defects []Defect // as of Reader.Defects
	Err     error    // that ended the reading, nil at the end of the chunk

	firstBad error
	edges    []Edge
	last     []lastSequence
	open     bool // threads that are not in last keep their number, except those in gone
	gone     []uint64
}

// ChunkResult returns the result of the chunk of ReadChunk so far. It stays
// valid.
func (r *Reader) ChunkResult() ChunkResult {
	g := &r.gaps
	c := ChunkResult{
		Events: r.seen, Lost: g.lost, Defects: r.Defects(), Err: r.Err(),
		edges: slices.Clone(r.edges), open: g.edges.open,
	}
	c.Bad, c.firstBad = r.BadBlocks()
	for thread := range g.edges.gone {
		c.gone = append(c.gone, thread)
	}
	for _, at := range g.threads {
		c.last = append(c.last, g.last[at])
	}
	return c
}
