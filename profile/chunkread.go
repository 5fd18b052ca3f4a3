package profile

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/recording"
)

// chunk has what one goroutine has read of a chunk, for builder.addChunk.
type chunk struct {
	steps   []step // one for each event
	origins []chunkOrigin
	events  []*codec.Event // those of stepEvent
	names   symbols.Batch  // those of stepNames
	stacks  newStacks
}

// step is an event of a chunk.
type step struct {
	ticks    uint64
	sequence uint32
	origin   uint32 // position in chunk.origins
	stack    uint32 // of a sample: its number in numberedStacks
	do       stepKind
	class    recording.Class
	managed  bool // the sample is in managed code
}

// stepKind is what builder.step does with an event.
type stepKind uint8

const (
	stepTime       stepKind = iota // only its time and number matter
	stepEvent                      // it is copied, and handled as by FromReader
	stepNames                      // it names addresses
	stepSample                     // a sample of the sample profiler
	stepSuspended                  // a suspension, not by the garbage collector
	stepRestarted                  // the end of any suspension
	stepPoolThread                 // its thread is a worker of the pool
)

// chunkOrigin has the threads of events of a chunk. Several can have the same ones.
type chunkOrigin struct {
	origin
	key threadKey     // of the thread that the events are about
	row *codec.Thread // of it, in v6
	at  uint32        // position of the thread plus one, which the builder sets; 0: not found yet
}

// chunkReader reads chunks in one goroutine. Of the builder it reads only what does not
// change.
type chunkReader struct {
	b       *builder
	spent   <-chan *chunk // whose memory is used again
	routes  routeTable
	numbers *numberedStacks
	*chunk
	recent [64]uint32 // positions in origins plus one, by hash of the threads
}

func newChunkReader(b *builder, spent <-chan *chunk) *chunkReader {
	return &chunkReader{b: b, spent: spent}
}

// read reads a chunk. The error that ends it is in the ChunkResult.
func (c *chunkReader) read(r *codec.Reader) *chunk {
	select {
	case c.chunk = <-c.spent:
		c.chunk.reset()
	default:
		c.chunk = &chunk{}
	}
	if c.numbers == nil || c.numbers.full() {
		c.numbers = newNumberedStacks()
	}
	c.stacks.of, c.stacks.first = c.numbers, uint32(len(c.numbers.table.stacks))
	clear(c.recent[:])
	for ev, err := range r.Events() {
		if err != nil {
			break
		}
		c.event(ev)
	}
	return c.chunk
}

// reset empties a chunk, and keeps its memory.
func (c *chunk) reset() {
	clear(c.origins)
	clear(c.events)
	c.steps, c.origins, c.events = c.steps[:0], c.origins[:0], c.events[:0]
	c.names.Reset()
	c.stacks.reset()
}

// event makes the step of an event.
func (c *chunkReader) event(ev *codec.Event) {
	c.steps = append(c.steps, step{ticks: ev.Timestamp, sequence: ev.Sequence, origin: c.originOf(ev)})
	s, m := &c.steps[len(c.steps)-1], ev.Metadata()
	if m == nil {
		s.class = recording.ClassOf(nil, len(ev.Stack()) > 0)
		return
	}
	r := c.routes.of(c.b, ev.MetadataID, m)
	s.class = r.recorded.Of(ev)
	switch {
	case r.step != nil && r.step(c, ev, s):
	case r.do != nil:
		s.do = stepEvent
		c.events = append(c.events, ev.Clone())
	case c.names.Add(ev):
		s.do = stepNames
	}
}

// originOf returns the position of the threads of an event in chunk.origins.
func (c *chunkReader) originOf(ev *codec.Event) uint32 {
	row, from := ev.Thread(), originOf(ev)
	recent := &c.recent[(from.thread^from.capture)%uint64(len(c.recent))]
	if *recent > 0 {
		if o := &c.origins[*recent-1]; o.origin == from && o.row == row {
			return *recent - 1
		}
	}
	c.origins = append(c.origins, chunkOrigin{origin: from, key: keyOf(c.b.process, ev, row), row: row})
	*recent = uint32(len(c.origins))
	return *recent - 1
}

// sampled makes the step of a sample of the sample profiler.
func (c *chunkReader) sampled(ev *codec.Event, s *step) bool {
	if len(ev.Payload()) >= 4 {
		s.do, s.stack, s.managed = stepSample, c.stack(ev), isManaged(ev)
	}
	return true
}

// suspending makes the step of a suspension.
func (c *chunkReader) suspending(ev *codec.Event, s *step) bool {
	s.do = stepSuspended
	return !c.b.kept[GC] || !suspendsForGC(c.b.payload(ev))
}

// restarted makes the step of the end of a suspension.
func (c *chunkReader) restarted(_ *codec.Event, s *step) bool {
	s.do = stepRestarted
	return true
}

// mark lets the Reader count a payload that does not fit its fields, as builder.mark does.
func (c *chunkReader) mark(ev *codec.Event, _ *step) bool {
	_ = ev.FieldsError()
	return false
}

// poolThread makes the step of an event that only workers of the pool write.
func (c *chunkReader) poolThread(ev *codec.Event, s *step) bool {
	s.do = stepPoolThread
	return c.b.tasks == nil || ev.Metadata().EventID != workerThreadWait
}
