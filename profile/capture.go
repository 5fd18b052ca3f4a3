package profile

import (
	"github.com/nettrace-go/nettrace/codec"
)

// capture is a thread that logs events whose order and numbers matter: the thread
// of the sample profiler, and threads that wait.
type capture struct {
	row      *codec.Thread // in v6
	sequence uint32        // of its last event
	gaps     int           // places where events of it are lost or another thread took its id
	open     uint32        // position, plus one, of the thread that it began a wait or a pause on; 0 for none

	round   int    // of the sample profiler, position in builder.rounds; -1 before the first
	group   uint32 // of its rounds
	sampler bool   // it logged samples
	self    bool   // it logged samples about itself, as in v3: its suspensions are not those of the sampler
	empty   int    // rounds without samples that end with the current one
	// The last suspension before the first sample.
	suspended      bool
	suspensionTime uint64
}

// captures finds captures by the index of the thread.
type captures struct {
	counted, indexed bool // rows have sequence numbers, threads are rows of a table
	known            map[uint64]*capture
	index            uint64                 // of the last look-up
	last             *capture               // nil: not known
	reached          []codec.ThreadSequence // at the last sequence point
}

func (c *captures) init(t *codec.Trace) {
	c.counted, c.indexed = t.Format.HasSequenceNumbers(), t.Format.HasThreadTable()
	c.known = map[uint64]*capture{}
}

// find returns the capture of a thread, or nil.
func (c *captures) find(index uint64) *capture {
	if index != c.index || c.last == nil {
		c.index, c.last = index, c.known[index]
	}
	return c.last
}

// origin has the threads of an event by index: the one that it is about, and the one that
// logged it with its row (v6).
type origin struct {
	thread, capture uint64
	row             *codec.Thread
}

// originOf returns the threads of an event.
func originOf(ev *codec.Event) origin {
	return origin{ev.ThreadIndex, ev.CaptureThreadIndex, ev.CaptureThread()}
}

// number records the sequence number of an event that a thread logged.
func (b *builder) number(thread uint64, sequence uint32) {
	if !b.captures.counted || len(b.captures.known) == 0 {
		return
	}
	if c := b.captures.find(thread); c != nil {
		b.compare(c, sequence)
	}
}

// point keeps the numbers that the threads had reached at the last sequence point so far.
func (b *builder) point(p *codec.SequencePoint) {
	b.captures.reached = append(b.captures.reached[:0], p.Threads...)
}

// loseTrailing notes for each thread whether its last events before the last sequence point are lost.
func (b *builder) loseTrailing() {
	for _, r := range b.captures.reached {
		c := b.captures.find(r.Thread)
		if c == nil {
			continue
		}
		if step := r.Sequence - c.sequence; b.captures.counted && step > 0 && step < 1<<31 {
			b.loses(c)
		}
	}
}

// compare compares the sequence number of an event with that of the last one of its
// capture.
func (b *builder) compare(c *capture, sequence uint32) {
	step := sequence - c.sequence
	c.sequence = sequence
	switch {
	case step == 1:
	case sequence == 1 && !b.captures.indexed: // another thread with this id
		b.loses(c)
	case step > 1 && step < 1<<31:
		b.loses(c)
		if c.round >= 0 {
			b.rounds.at(c.round).lossy = true
		}
	}
}

// capture returns the capture of the thread that logged an event with a number. It adds
// one for a thread that is not known yet.
func (b *builder) capture(from *origin, sequence uint32) *capture {
	c, row := b.captures.find(from.capture), from.row
	if c != nil && (c.row == row || c.row != nil && row != nil && c.row.ThreadID == row.ThreadID && c.row.ProcessID == row.ProcessID) {
		return c
	}
	if c != nil {
		b.loses(c)
	}
	c = &capture{row: row, sequence: sequence, round: -1}
	b.captures.known[from.capture] = c
	b.captures.last = c
	if int64(len(b.captures.known)) > b.limits.Threads {
		b.exceed("Threads")
	}
	return c
}
