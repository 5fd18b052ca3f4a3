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
	index            uint64   // of the last look-up
	last             *capture // nil: not known
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

// number records the sequence number of an event.
func (b *builder) number(ev *codec.Event) {
	c := b.captures.find(ev.CaptureThreadIndex)
	if c == nil {
		return
	}
	step := ev.Sequence - c.sequence
	c.sequence = ev.Sequence
	switch {
	case step == 1:
	case ev.Sequence == 1 && !b.captures.indexed: // another thread with this id
		c.gaps++
	case step > 1 && step < 1<<31:
		c.gaps++
		if c.round >= 0 {
			b.rounds[c.round].lossy = true
		}
	}
}

// capture returns the capture of an event's thread. It adds one for a thread that
// is not known yet.
func (b *builder) capture(ev *codec.Event) *capture {
	c := b.captures.find(ev.CaptureThreadIndex)
	row := ev.CaptureThread()
	if c != nil && (c.row == row || c.row != nil && row != nil && c.row.ThreadID == row.ThreadID && c.row.ProcessID == row.ProcessID) {
		return c
	}
	if c != nil {
		c.gaps++
	}
	c = &capture{row: row, sequence: ev.Sequence, round: -1}
	b.captures.known[ev.CaptureThreadIndex] = c
	b.captures.last = c
	if int64(len(b.captures.known)) > b.limits.Threads {
		b.exceed("Threads")
	}
	return c
}
