package profile

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"github.com/nettrace-go/nettrace/internal/recording"
	"github.com/nettrace-go/nettrace/internal/rowtable"
)

// chunk has what one goroutine has read of a chunk, for builder.addChunk.
type chunk struct {
	steps     []step
	origins   []chunkOrigin
	events    chunks.Copies                  // those of stepEvent
	handlers  []func(*builder, *codec.Event) // of them
	names     symbols.Batch                  // those of stepNames
	stacks    newStacks
	kept      []keptSample           // those of stepKept
	rounds    []int                  // of the samples that are kept separate, position in builder.rounds; the builder sets it
	spare     spare                  // memory for the builder
	apart     int                    // number of samples that are kept separate
	free      [][]apartSample        // memory for them
	recording recording.Part         // of all events
	points    bool                   // it has a sequence point
	reached   []codec.ThreadSequence // at the last one
}

// step is an event of a chunk. Events that nothing is done with have none, unless their
// numbers show a loss. With Options.Async all events have one.
type step struct {
	ticks    uint64
	sequence uint32
	origin   uint32 // position in chunk.origins
	of       uint32 // see stepKind
	do       stepKind
	follows  bool // its capture thread has logged no event between the one before in the chunk and this one
	managed  bool // the sample is in managed code
}

// stepKind is what builder.step does with an event.
type stepKind uint8

const (
	stepNumber     stepKind = iota // only its number matters
	stepEvent                      // it is copied, and handled as by FromReader; of is its position in events
	stepNames                      // events that name addresses; of is their number
	stepSample                     // a sample of the sample profiler; of is the number of its stack in numberedStacks
	stepKept                       // a sample without labels; of is its position in kept
	stepSuspended                  // a suspension, not by the garbage collector; of is the position in rounds, plus one, of the round that it begins
	stepRestarted                  // the end of any suspension
	stepPoolThread                 // its thread is a worker of the pool
	stepApart                      // no event; samples of the origin that are kept separate are added, up to this number
)

// keptSample is what a chunk has of a sample without labels.
type keptSample struct {
	of           Type
	stack        uint32 // number in numberedStacks
	value, count int64
	activities   activityPair
}

// threads are the threads of an event.
type threads struct {
	origin
	row *codec.Thread // of the one that the event is about, in v6
}

// chunkOrigin has the threads of events of a chunk.
type chunkOrigin struct {
	origin
	key threadKey     // of the thread that the events are about
	row *codec.Thread // of it, in v6

	round   uint32 // position in steps, plus one, of the suspension that began the round of the last sample
	sampled bool   // a sample has a step
	samples []apartSample
	ended   int // how many of samples are before the last stepApart

	// The builder sets the fields below.

	added   int      // how many of samples are added
	at      uint32   // position of the thread plus one; 0: not found yet
	sampler *capture // the last one that sampled the thread
	last    *int     // the value of builder.sampledIn for it
}

// chunkNumber is the number of the last event of a capture thread in a chunk.
type chunkNumber struct {
	capture  uint64
	sequence uint32
	known    bool
	without  bool // the event has no step
}

// chunkReader reads chunks in one goroutine. Of the builder it reads only what does not
// change.
type chunkReader struct {
	b       *builder
	spent   <-chan *chunk // whose memory is used again
	memory  *symbols.BatchMemory
	routes  rowtable.Table[route]
	numbers *numberedStacks
	*chunk
	recent   [256]uint32        // positions in origins plus one, by hash of the threads
	known    map[threads]uint32 // all of them
	numbered [64]chunkNumber    // by hash of the capture thread
	next     step

	sampler chunkSampler
	rows    map[threadKey]*codec.Thread // of threads
	mixed   bool                        // no more samples are kept separate
	restart uint32                      // position in origins, plus one, of the last suspension, whose end means nothing
}

func newChunkReader(b *builder, spent <-chan *chunk, memory *symbols.BatchMemory) *chunkReader {
	return &chunkReader{b: b, spent: spent, memory: memory, rows: map[threadKey]*codec.Thread{}, known: map[threads]uint32{}}
}

// read reads a chunk. The error that ends it is in the ChunkResult.
func (c *chunkReader) read(r *codec.Reader) *chunk {
	select {
	case c.chunk = <-c.spent:
		c.chunk.reset()
	default:
		c.chunk = &chunk{names: symbols.Batch{Memory: c.memory, Lines: c.b.p.opt.Lines != nil}}
	}
	c.recording.Reset(c.b.slice)
	if c.numbers == nil || c.numbers.full() {
		c.numbers = newNumberedStacks()
	}
	c.stacks.of, c.stacks.first = c.numbers, uint32(len(c.numbers.table.stacks))
	clear(c.recent[:])
	clear(c.numbered[:])
	clear(c.known)
	clear(c.rows)
	c.sampler, c.mixed, c.restart = chunkSampler{}, false, 0
	c.points = false
	r.OnSequencePoint(func(p *codec.SequencePoint) {
		c.points, c.reached = true, append(c.reached[:0], p.Threads...)
	})
	for ev, err := range r.Events() {
		if err != nil {
			break
		}
		c.event(ev)
	}
	c.endAllApart()
	c.spare.provide(c.apart+len(c.kept), len(c.kept), len(c.rounds))
	for i := range c.numbered {
		c.endNumbers(&c.numbered[i])
	}
	return c.chunk
}

// reset empties a chunk, and keeps its memory. names are empty already.
func (c *chunk) reset() {
	for i := range c.origins {
		if o := &c.origins[i]; o.samples != nil {
			c.free = append(c.free, o.samples[:0])
		}
	}
	clear(c.origins)
	c.steps, c.origins, c.handlers, c.kept = c.steps[:0], c.origins[:0], c.handlers[:0], c.kept[:0]
	c.rounds, c.apart = c.rounds[:0], 0
	c.events.Reset()
	c.stacks.reset()
}

// event makes the steps of an event.
func (c *chunkReader) event(ev *codec.Event) {
	number := &c.numbered[ev.CaptureThreadIndex%uint64(len(c.numbered))]
	s := &c.next
	*s = step{ticks: ev.Timestamp, sequence: ev.Sequence, follows: c.follows(number, ev)}
	if m := ev.Metadata(); m == nil {
		c.recording.Add(ev.Timestamp, recording.ClassOf(nil, false))
	} else {
		r := c.b.routeIn(&c.routes, ev.MetadataID, m)
		c.recording.Add(ev.Timestamp, r.recorded.Of(ev))
		if r.naming && c.names.Add(ev) {
			c.addNames(ev, s, number)
		}
		if r.do != nil && (r.step == nil || !r.step(c, ev, s)) {
			s.do, s.of = stepEvent, uint32(c.events.Len())
			c.events.Add(ev)
			c.handlers = append(c.handlers, r.do)
		}
	}
	if s.do == stepNumber && s.follows && c.b.tasks == nil {
		number.without = true
		return
	}
	c.add(ev, s, number)
}

// add adds a step of an event.
func (c *chunkReader) add(ev *codec.Event, s *step, number *chunkNumber) {
	s.origin = c.originOf(ev)
	c.steps = append(c.steps, *s)
	number.without = false
}

// addNames adds an event to the step of those that name addresses.
func (c *chunkReader) addNames(ev *codec.Event, s *step, number *chunkNumber) {
	if last := len(c.steps) - 1; last >= 0 && c.steps[last].do == stepNames && c.b.tasks == nil {
		c.steps[last].of++
		return
	}
	names := *s
	names.do, names.of = stepNames, 1
	c.add(ev, &names, number)
	s.follows = true // its number is that of the step before
}

// follows reports whether an event has the number after that of the event before of its
// capture thread in the chunk.
func (c *chunkReader) follows(last *chunkNumber, ev *codec.Event) bool {
	if last.known && last.capture == ev.CaptureThreadIndex && ev.Sequence-last.sequence == 1 {
		last.sequence = ev.Sequence
		return true
	}
	c.endNumbers(last)
	*last = chunkNumber{capture: ev.CaptureThreadIndex, sequence: ev.Sequence, known: true}
	return false
}

// endNumbers adds a step with the number of the last event, if that has none. Its origin has
// the capture thread alone.
func (c *chunkReader) endNumbers(last *chunkNumber) {
	if last.without {
		c.steps = append(c.steps, step{sequence: last.sequence, origin: uint32(len(c.origins)), follows: true})
		c.origins = append(c.origins, chunkOrigin{origin: origin{capture: last.capture}})
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
	at, ok := c.known[threads{from, row}]
	if !ok {
		key := keyOf(c.b.process, ev, row)
		if other, ok := c.rows[key]; ok && other != row {
			c.mix()
		}
		if in := &c.sampler; in.known && in.capture == from.capture && in.row != from.row {
			c.mix()
		}
		at = uint32(len(c.origins))
		c.rows[key], c.known[threads{from, row}] = row, at
		c.origins = append(c.origins, chunkOrigin{origin: from, key: key, row: row})
	}
	*recent = at + 1
	return at
}

// sampled makes the step of a sample of the sample profiler.
func (c *chunkReader) sampled(ev *codec.Event, s *step) bool {
	if len(ev.Payload()) < 4 {
		return true
	}
	known := c.stacks.end()
	stack, managed := c.stack(ev), isManaged(ev)
	if !c.keepApart(ev, apartSample{ticks: ev.Timestamp, stack: stack, managed: managed}, stack >= known) {
		s.do, s.of, s.managed = stepSample, stack, managed
	}
	return true
}

// allocationTick makes the step of an allocation, if labels are left out.
func (c *chunkReader) allocationTick(ev *codec.Event, s *step) bool {
	if !c.b.p.opt.NoLabels {
		return false
	}
	bytes, count, _ := c.b.readAllocationTick(ev)
	c.keep(ev, s, keptSample{of: Alloc, value: bytes, count: count})
	return true
}

// exceptionThrown makes the step of an exception, if labels are left out.
func (c *chunkReader) exceptionThrown(ev *codec.Event, s *step) bool {
	if !c.b.p.opt.NoLabels {
		return false
	}
	c.keep(ev, s, keptSample{of: Exception, value: 1, count: 1})
	return true
}

// keep makes the step of a sample without labels.
func (c *chunkReader) keep(ev *codec.Event, s *step, k keptSample) {
	k.stack, k.activities = c.stack(ev), activitiesOf(ev)
	s.do, s.of = stepKept, uint32(len(c.kept))
	c.kept = append(c.kept, k)
}

// suspending makes the step of a suspension.
func (c *chunkReader) suspending(ev *codec.Event, s *step) bool {
	origin, collects := c.originOf(ev), c.b.kept[GC] && suspendsForGC(ev)
	c.suspended(ev, !collects)
	s.do, c.restart = stepSuspended, origin+1
	if collects {
		c.restart = 0
	}
	return !collects
}

// restarted makes the step of the end of a suspension.
func (c *chunkReader) restarted(ev *codec.Event, s *step) bool {
	if c.restart == 0 || c.restart != c.originOf(ev)+1 {
		s.do = stepRestarted
	}
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
	return c.b.tasks == nil || clr.KindOf(ev.Metadata()) != clr.KindThreadPoolWorkerThreadWait
}
