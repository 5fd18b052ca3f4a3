package analysis

import (
	"context"
	"errors"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/chunks"
)

// Chunks is a file of version 4 to 6 that several goroutines read.
type Chunks struct {
	Index   *codec.Index // with codec.ByTime
	Size    int64        // bytes of the file
	Workers int          // goroutines that read; at least 1
}

// A Divisible is a Part that several goroutines make at the same time, each from the events
// of other chunks. Its method Lost is not called.
type Divisible interface {
	Part
	// Divide returns a Part for the events of one chunk. Its Trace is that of the chunk:
	// its StackIDs are others, and it has no Frames. spent is a Part that Join has added, whose
	// memory can be used again, or nil. Several goroutines call Divide.
	Divide(spent Divisible) Divisible
	// Join adds a Part that Divide returned, after the events of its chunk. The chunks come in
	// file order. stacks has the StackID in the Trace by that in the chunk.
	Join(chunk Divisible, stacks []StackID)
}

// ReadChunks is Read for a file that several goroutines read at the same time. The Trace and
// the parts are the same. One goroutine, the calling one, passes events to the parts that are
// not Divisible, but all call their method Handler, which may therefore read only what does not
// change. The Divisible parts come first in Options. The ChunkJoin has the losses and faults of
// the file. The Trace is nil only after a *chunks.PanicError.
func ReadChunks(ctx context.Context, c Chunks, opt Options) (*Trace, *codec.ChunkJoin, error) {
	join := codec.NewChunkJoin(c.Index)
	j := &joiner{free: make(chan *chunk, c.Workers+1)}
	for _, p := range opt.Parts {
		if d, ok := p.(Divisible); ok {
			j.divisible = append(j.divisible, d)
		} else {
			j.others = append(j.others, p)
		}
	}
	header := c.Index.Trace()
	j.d = newDispatcher(header, &Options{Parts: j.others, Limits: opt.Limits})
	for _, p := range j.divisible {
		p.Begin(j.d.trace)
	}
	job := chunks.Job[*chunk]{
		Index: c.Index, Size: c.Size, Workers: c.Workers,
		Start: func() (codec.ChunkHooks, func(*codec.Reader) (*chunk, error)) {
			return codec.ChunkHooks{}, func(r *codec.Reader) (*chunk, error) { return j.read(header, r), nil }
		},
		Join: func(of *chunk, result codec.ChunkResult) (bool, error) {
			j.join(of)
			select {
			case j.free <- of:
			default:
			}
			return join.Add(result), nil
		},
	}
	err := job.Run(ctx)
	var panicked *chunks.PanicError
	if errors.As(err, &panicked) {
		return nil, join, err
	}
	if err == nil {
		err = join.Err()
	}
	j.d.losses.trailing(j.d.trailing)
	j.d.trace.end(join.Lost(), join.Err())
	return j.d.trace, join, err
}

// chunk has what one goroutine read of a chunk.
type chunk struct {
	trace  *Trace
	parts  []Divisible // in the order of joiner.divisible
	steps  []step      // one for each event
	copies []*codec.Event
	point  *codec.SequencePoint // the last one, nil for none
}

// step is what the Trace needs of an event.
type step struct {
	ticks    uint64
	kind     *chunkKind
	threads  *chunkThreads
	sequence uint32
	stacks   uint32 // number of stacks up to this event
}

// chunkKind is a metadata row.
type chunkKind struct {
	of       *codec.Metadata
	handlers []Handler // of the parts of the chunk
	copied   bool      // events are copied complete, for the parts that are not Divisible
}

// chunkThreads are the threads of an event.
type chunkThreads struct {
	index, captureIndex uint64
	row, captureRow     *codec.Thread
	capture             Thread
	process             uint64
}

// chunkReader reads the events of a chunk.
type chunkReader struct {
	*joiner
	*chunk
	kinds   []*chunkKind // by metadata id
	sparse  map[uint32]*chunkKind
	unnamed chunkKind // of events without metadata
	threads map[[2]uint64]*chunkThreads
	recent  *chunkThreads
}

// joiner joins chunks.
type joiner struct {
	d         *dispatcher
	divisible []Divisible
	others    []Part
	free      chan *chunk // chunks that were joined, whose memory is used again
}

// read reads a chunk. The error that ends it is in the ChunkResult.
func (j *joiner) read(header *codec.Trace, r *codec.Reader) *chunk {
	c := chunkReader{joiner: j, chunk: &chunk{trace: newChunkTrace(header)}, sparse: map[uint32]*chunkKind{}, threads: map[[2]uint64]*chunkThreads{}}
	spent := make([]Divisible, len(j.divisible))
	select {
	case old := <-j.free:
		spent = old.parts
		clear(old.steps)
		c.steps = old.steps[:0]
	default:
	}
	for i, p := range j.divisible {
		part := p.Divide(spent[i])
		part.Begin(c.trace)
		c.parts = append(c.parts, part)
	}
	r.OnSequencePoint(func(p *codec.SequencePoint) {
		point := *p
		point.Threads = append([]codec.ThreadSequence(nil), p.Threads...)
		c.point = &point
	})
	for ev, err := range r.Events() {
		if err != nil {
			break
		}
		c.event(ev)
	}
	return c.chunk
}

// newChunkTrace returns the Trace of the parts of a chunk.
func newChunkTrace(header *codec.Trace) *Trace {
	t := &Trace{Header: header, limits: Limits{Stacks: -1, Frames: -1}.withDefaults(), many: header.Format.HasThreadTable()}
	t.process, _ = header.ProcessID()
	t.stacks.init()
	return t
}

// event handles an event of a chunk.
func (c *chunkReader) event(ev *codec.Event) {
	kind := c.kind(ev.MetadataID, ev.Metadata())
	if kind.copied {
		c.copies = append(c.copies, ev.Clone())
	}
	for _, do := range kind.handlers {
		do(ev)
	}
	c.steps = append(c.steps, step{ev.Timestamp, kind, c.threadsOf(ev), ev.Sequence, uint32(len(c.trace.stacks.list))})
}

// kind returns the chunkKind of a metadata row.
func (c *chunkReader) kind(id uint32, m *codec.Metadata) *chunkKind {
	switch {
	case m == nil:
		return &c.unnamed
	case id < uint32(len(c.kinds)) && c.kinds[id] != nil && c.kinds[id].of == m:
		return c.kinds[id]
	}
	if have := c.sparse[id]; have != nil && have.of == m {
		return have
	}
	kind := &chunkKind{of: m, copied: symbols.IsNaming(m)}
	for _, p := range c.others {
		kind.copied = kind.copied || p.Handler(m) != nil
	}
	for _, p := range c.parts {
		if do := p.Handler(m); do != nil {
			kind.handlers = append(kind.handlers, do)
		}
	}
	if id >= denseRoutes {
		c.sparse[id] = kind
		return kind
	}
	for uint32(len(c.kinds)) <= id {
		c.kinds = append(c.kinds, nil)
	}
	c.kinds[id] = kind
	return kind
}

// threadsOf returns the threads of an event, the same for events of the same threads.
func (c *chunkReader) threadsOf(ev *codec.Event) *chunkThreads {
	row, captureRow := ev.Thread(), ev.CaptureThread()
	is := func(t *chunkThreads) bool {
		return t != nil && t.index == ev.ThreadIndex && t.captureIndex == ev.CaptureThreadIndex && t.row == row && t.captureRow == captureRow
	}
	if is(c.recent) {
		return c.recent
	}
	key := [2]uint64{ev.ThreadIndex, ev.CaptureThreadIndex}
	found := c.threads[key]
	if !is(found) {
		found = &chunkThreads{ev.ThreadIndex, ev.CaptureThreadIndex, row, captureRow, c.trace.CaptureThread(ev), c.trace.Process(ev)}
		c.threads[key] = found
	}
	c.recent = found
	return found
}

// join adds a chunk, after those before it in the file.
func (j *joiner) join(c *chunk) {
	d, stacks, copies := j.d, make([]StackID, 1, len(c.trace.stacks.list)), c.copies
	for i := range c.steps {
		s := &c.steps[i]
		if d.losses.counted && d.losses.add(s.threads.captureIndex, lastEvent{s.threads.captureRow, s.ticks, s.sequence, true}) {
			d.lost(s.threads.capture, s.ticks)
		}
		var ev *codec.Event
		var handlers []Handler
		if s.kind.copied {
			ev, copies = copies[0], copies[1:]
			d.trace.event(ev, s.kind.of)
			handlers = d.handlers(ev.MetadataID, s.kind.of)
			if symbols.IsNaming(s.kind.of) { // it comes before the stacks, as in dispatcher.find
				handlers[0](ev)
				handlers = handlers[1:]
			}
		} else {
			d.trace.at(s.ticks, s.kind.of, s.threads.process)
		}
		for n := uint32(len(stacks)); n < s.stacks; n++ {
			stacks = append(stacks, d.trace.addStack(&c.trace.stacks.list[n]))
		}
		for _, do := range handlers {
			do(ev)
		}
	}
	if c.point != nil {
		d.losses.sequencePoint(c.point)
	}
	for i, p := range j.divisible {
		p.Join(c.parts[i], stacks)
	}
}

// addStack returns the id of a stack of a chunk.
func (t *Trace) addStack(s *stack) StackID {
	before := t.LeftOut.Stacks
	id := t.StackOf(s.process, s.addresses)
	if t.LeftOut.Stacks > before {
		t.LeftOut.Stacks = before + s.uses
	}
	return id
}
