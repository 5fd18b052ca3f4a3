package codec

import (
	"errors"
	"slices"

	"github.com/nettrace-go/nettrace/codec/rule"
)

// ChunkJoin adds up the results of all chunks of a file, in file order, to those
// of a Reader of the complete file. Add the result of each chunk with Add. A
// caller that needs each loss in its place among the events calls Edge before
// that, for each edge of the chunk.
type ChunkJoin struct {
	trace    *Trace
	trailing int64 // bytes after the end mark
	strict   bool
	restarts bool
	last     map[uint64]uint32 // by capture thread
	edges    int               // of the next chunk, that Edge has compared
	between  uint64            // lost between the chunks
	found    []Error           // steps back at these edges
	before   uint64            // lost in the chunk before the first of them
	events   int64
	inside   uint64 // lost inside chunks
	bad      int
	firstBad error
	defects  []Defect
	err      error
}

// NewChunkJoin returns the join of the chunks of x before the first one.
func NewChunkJoin(x *Index) *ChunkJoin {
	x.mustBeMade()
	j := &ChunkJoin{trace: x.trace, strict: x.opt.Strict, restarts: x.dialect.restarts, last: map[uint64]uint32{}}
	if x.err == nil {
		j.trailing = x.size - x.offset
	}
	return j
}

// Edge compares an edge of the chunk whose result is added next with the number
// before it: l has the loss between the two, if l.Count is not 0. defect is the
// step back, an *Error, or nil; with Options.Strict it ends the trace before the edge's
// event. Edges must come in the order of the Reader.
func (j *ChunkJoin) Edge(e Edge) (l Lost, defect error) {
	j.edges++
	thread := e.lost.CaptureThread
	lost, back := step(j.last[thread], e.sequence)
	switch {
	case e.bound && back:
		return Lost{}, nil
	case e.bound:
		lost++
	case e.sequence == 1 && j.restarts:
		lost = 0
	case back:
		found := e.defect
		if len(j.found) == 0 {
			j.before = e.inside
		}
		j.found = append(j.found, found)
		defect = &found
	}
	j.last[thread] = e.sequence
	j.between += lost
	l = e.lost
	l.Count = lost
	return l, defect
}

// Add adds the result of the next chunk, and compares its edges if Edge has not.
// It reports whether the trace goes on: not after an error, which Err returns.
func (j *ChunkJoin) Add(c ChunkResult) bool {
	if j.err != nil {
		return false
	}
	for _, e := range c.edges[min(j.edges, len(c.edges)):] {
		j.Edge(e)
	}
	j.edges = 0
	if j.err = c.Err; j.strict && len(j.found) > 0 {
		j.err = &j.found[0]
		c.Lost, c.Bad, c.Defects, j.found = j.before, 0, nil, j.found[:1]
	}
	j.addDefects(c.Defects)
	j.events += c.Events
	j.inside += c.Lost
	j.bad += c.Bad
	if j.firstBad == nil {
		j.firstBad = c.firstBad
	}
	j.follow(&c)
	return j.err == nil
}

// follow makes the numbers those at the end of a chunk.
func (j *ChunkJoin) follow(c *ChunkResult) {
	before := j.last
	if !c.open {
		j.last = make(map[uint64]uint32, len(c.last))
	}
	for _, thread := range c.gone {
		delete(j.last, thread)
	}
	for _, l := range c.last {
		sequence := l.sequence
		if l.open {
			sequence = before[l.thread]
		}
		j.last[l.thread] = sequence
	}
}

// addDefects adds the defects of a chunk and those at its edges, in the order of
// the first one of each rule.
func (j *ChunkJoin) addDefects(inside []Defect) {
	for i := range j.found {
		at := slices.IndexFunc(inside, func(d Defect) bool { return j.found[i].Offset < d.first().Offset })
		if at < 0 {
			at = len(inside)
		}
		inside = slices.Insert(inside, at, Defect{Rule: j.found[i].Rule, Count: 1, Err: &j.found[i]})
	}
	j.found = nil
	for _, d := range inside {
		if i := slices.IndexFunc(j.defects, func(have Defect) bool { return have.Rule == d.Rule }); i >= 0 {
			j.defects[i].Count += d.Count
			continue
		}
		j.defects = append(j.defects, d)
	}
}

// first returns the first defect of the rule.
func (d *Defect) first() *Error {
	var e *Error
	if !errors.As(d.Err, &e) {
		e = &Error{Rule: rule.None}
	}
	return e
}

// Trace returns the description of the trace. The error is always nil.
func (j *ChunkJoin) Trace() (*Trace, error) { return j.trace, nil }

// Err returns the error that ended the trace, of the first chunk that has one.
func (j *ChunkJoin) Err() error { return j.err }

// Count returns the number of events of the added chunks.
func (j *ChunkJoin) Count() int64 { return j.events }

// TrailingBytes returns the number of bytes after the end mark, 0 if the file does not have
// that. The error is always nil.
func (j *ChunkJoin) TrailingBytes() (int64, error) { return j.trailing, nil }

// Lost returns the number of lost events in and between the added chunks.
func (j *ChunkJoin) Lost() uint64 { return j.between + j.inside }

// BadBlocks returns the number of bad blocks in the added chunks, and the *Error
// of the first one, or nil.
func (j *ChunkJoin) BadBlocks() (int, error) { return j.bad, j.firstBad }

// Defects returns the defects of the added chunks, like Reader.Defects.
func (j *ChunkJoin) Defects() []Defect { return slices.Clone(j.defects) }
