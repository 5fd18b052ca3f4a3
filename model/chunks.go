package model

import (
	"context"
	"errors"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/chunks"
)

// PanicError is the error for a panic in a goroutine that reads.
type PanicError = chunks.PanicError

// Chunks is a file of version 4 to 6 that several goroutines read.
type Chunks struct {
	Index   *codec.Index // with codec.ByTime
	Size    int64        // bytes of the file
	Workers int          // goroutines that read; 0: one for each core
}

// A Divisible is a Consumer that several goroutines make at the same time, each from the events
// of other chunks.
type Divisible interface {
	Consumer
	// Divide returns a Consumer for the events of one chunk. Its Trace is that of the chunk:
	// its StackIDs are others, and it has no Frames. spent is a Consumer that Join has added, whose
	// memory can be used again, or nil. Several goroutines call Divide. The method Lost of the
	// Consumer that it returns is not called.
	Divide(spent Divisible) Divisible
	// Join adds a Consumer that Divide returned, after the events of its chunk. The chunks come in
	// file order. stacks has the StackID in the Trace by that in the chunk.
	Join(chunk Divisible, stacks []StackID)
}

// ReadChunks is Read for a file that several goroutines read at the same time. The Trace and
// the facts are the same. One goroutine, the calling one, passes events to the trackers and the consumers that are
// not Divisible, and what is left of the events to those that are Condensing. All goroutines
// call the method Handler of these, which may therefore read only what does not change.
// The ChunkJoin has the losses and faults of the file. The Trace is nil only after a
// *PanicError. With codec.Options.Strict, a defect between two chunks ends the trace
// after all events of its chunk, not before its event.
func ReadChunks(ctx context.Context, c Chunks, opt Options) (*Trace, *codec.ChunkJoin, error) {
	c.Workers = chunks.Workers(c.Workers)
	join := codec.NewChunkJoin(c.Index)
	j := &joiner{Chunks: c, d: newDispatcher(c.Index.Trace(), &opt), free: make(chan *chunk, c.Workers+1), batches: &symbols.BatchMemory{}}
	job := chunks.Job[*chunk]{
		Index: c.Index, Size: c.Size, Workers: c.Workers, Chunk: chunks.SmallChunk,
		Start: func() (codec.ChunkHooks, func(*codec.Reader) (*chunk, error)) {
			reader := newChunkReader(j)
			return codec.ChunkHooks{}, func(r *codec.Reader) (*chunk, error) { return reader.read(r), nil }
		},
		Join: func(of *chunk, result codec.ChunkResult) (bool, error) {
			j.join(of)
			of.names.Reset()
			select {
			case j.free <- of:
			default:
			}
			return join.Add(result), nil
		},
	}
	j.chunks = job.Chunks
	err := job.Run(ctx)
	var panicked *PanicError
	if errors.As(err, &panicked) {
		return nil, join, err
	}
	if err == nil {
		err = join.Err()
	}
	j.d.end(join.Lost(), join.Err())
	return j.d.trace, join, err
}

// joiner joins chunks.
type joiner struct {
	Chunks
	d       *dispatcher
	free    chan *chunk // chunks that were joined, whose memory is used again
	batches *symbols.BatchMemory
	joined  int // number of chunks
	chunks  func() []codec.Chunk
	again   *codec.Reader // nil before the first chunk that is read again
	all     []codec.Chunk // for it
}

// join adds a chunk, after those before it in the file.
func (j *joiner) join(c *chunk) {
	if j.joined++; !j.accepts(c) {
		j.readAgain(j.joined - 1)
		return
	}
	t, stacks := j.d.trace, make([]StackID, 1, len(c.trace.stacks.list))
	for i := range c.steps {
		s := &c.steps[i]
		stacks = t.addStacks(stacks, c.trace.stacks.list[:s.stacks])
		switch s.do {
		case names:
			t.table.AddNext(&c.names)
		case loses:
			j.lose(&c.gaps[s.at])
		case handles:
			do := s.kind.own[s.part]
			if do == nil {
				do = j.d.parts[s.part].Handler(s.kind.of)
				s.kind.own[s.part] = do
			}
			do(c.copies.At(int(s.at)))
		case applies:
			j.d.parts[s.part].(Condensing).Apply(c.condensed[s.part], int(s.at), stacks)
		}
	}
	stacks = t.addStacks(stacks, c.trace.stacks.list)
	t.join(&c.order)
	t.recording.Join(&c.recording)
	for id, p := range c.processes {
		t.recordingOf(id).Join(p)
	}
	for i, p := range j.d.parts {
		if d, ok := p.(Divisible); ok {
			d.Join(c.parts[i], stacks)
		}
	}
	j.endChunk(c)
}

// accepts reports whether a chunk can be joined: all parts accept what their Condensers have.
func (j *joiner) accepts(c *chunk) bool {
	if !j.d.trace.accepts(&c.order) {
		return false
	}
	for i, of := range c.condensed {
		if of != nil && !j.d.parts[i].(Condensing).Accepts(of) {
			return false
		}
	}
	return true
}

// lose handles a loss in a chunk, or the first event of a thread in it.
func (j *joiner) lose(g *chunkGap) {
	l := &j.d.losses
	switch {
	case !g.inside:
		if !l.add(g.index, g.now) {
			return
		}
	case l.find(g.index) == nil: // above the limit
		return
	default:
		l.gap = g.gap
	}
	j.d.lost(g.thread, g.now.ticks)
}

// endChunk makes the last events of threads those at the end of a chunk.
func (j *joiner) endChunk(c *chunk) {
	for i := range c.last {
		if last := j.d.losses.find(c.last[i].index); last != nil {
			*last = c.last[i].event
		}
	}
	if c.point != nil {
		j.d.losses.sequencePoint(c.point)
	}
}

// readAgain passes the events of a chunk to the parts.
func (j *joiner) readAgain(number int) {
	if j.again == nil {
		j.again, j.all = j.Index.ChunkReader(codec.ChunkHooks{}), j.chunks()
		j.again.OnSequencePoint(j.d.losses.sequencePoint)
	}
	j.again.ReadChunk(j.all[number])
	for ev, err := range j.again.Events() {
		if err != nil {
			break // it is in the ChunkResult
		}
		j.d.event(ev)
	}
}

// addStacks adds the stacks of a chunk that come after those whose ids are in the list.
func (t *Trace) addStacks(ids []StackID, of []stack) []StackID {
	for n := len(ids); n < len(of); n++ {
		ids = append(ids, t.addStack(&of[n]))
	}
	return ids
}

// addStack returns the id of a stack of a chunk.
func (t *Trace) addStack(s *stack) StackID {
	before := t.LeftOut.Stacks
	id := t.stackOf(s.hash, s.process, s.addresses)
	if t.LeftOut.Stacks > before {
		t.LeftOut.Stacks = before + s.uses
	}
	return id
}
