package model

import (
	"sort"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"github.com/nettrace-go/nettrace/internal/recording"
	"github.com/nettrace-go/nettrace/internal/rowtable"
)

// chunk has what one goroutine read of a chunk. Its memory is used for several chunks.
type chunk struct {
	trace     *Trace
	parts     []Divisible // by position in dispatcher.parts, nil for others
	condensed []Condenser // the same
	steps     []step
	copies    chunks.Copies
	names     symbols.Batch
	gaps      []chunkGap
	last      []chunkThread        // the last event of each capture thread
	point     *codec.SequencePoint // the last one, nil for none
	order     chunkOrder
	recording recording.Part
	processes map[uint64]*recording.Part // if Trace.many
}

// step is what the joiner does in its place between the events of chunks.
type step struct {
	kind   *chunkKind // of an event
	stacks uint32     // number of stacks of the chunk before it
	at     uint32     // position in copies, in gaps or in the entries of a Condenser
	part   uint8      // position in dispatcher.parts
	do     stepKind
}

type stepKind uint8

const (
	names   stepKind = iota // the next event of chunk.names
	loses                   // a chunkGap
	handles                 // a part handles an event
	applies                 // a Condensing applies an entry
)

// chunkGap is a place before which events of a capture thread are lost, or that of its first
// event in the chunk.
type chunkGap struct {
	thread Thread
	index  uint64
	now    lastEvent
	inside bool // the chunk has the event before: gap is known
	gap    gap
}

// chunkThread is the last event of a capture thread.
type chunkThread struct {
	index uint64
	event lastEvent
}

// chunkOrder counts events that are older than one before them.
type chunkOrder struct {
	latest uint64
	late   int64    // in the chunk
	others int64    // number of the other events, which are in ascending order
	newest []uint64 // ticks of the first maxNewest of them
}

// maxNewest is the number of events of a chunk that can be older than one of a chunk before, if not
// all of them are. With more of them the chunk is read again.
const maxNewest = 1 << 10

func (o *chunkOrder) add(ticks uint64) {
	if ticks < o.latest {
		o.late++
		return
	}
	o.latest = ticks
	o.others++
	if len(o.newest) < maxNewest {
		o.newest = append(o.newest, ticks)
	}
}

// accepts reports whether the number of events of a chunk that are older than one of a chunk before
// is known.
func (t *Trace) accepts(o *chunkOrder) bool {
	return len(o.newest) < maxNewest || o.newest[maxNewest-1] >= t.latest || o.latest < t.latest
}

// join adds the times of a chunk.
func (t *Trace) join(o *chunkOrder) {
	older := o.others
	if o.latest >= t.latest {
		older = int64(sort.Search(len(o.newest), func(i int) bool { return o.newest[i] >= t.latest }))
	}
	t.OutOfOrder += o.late + older
	t.latest = max(t.latest, o.latest)
}

// chunkKind is a metadata row, of one goroutine.
type chunkKind struct {
	of       *codec.Metadata
	naming   bool
	recorded recording.Classes
	round    uint32    // for which the handlers are
	handlers []Handler // of the goroutine that reads
	own      []Handler // of the parts, by position in dispatcher.parts, for the goroutine that joins
}

// chunkReader reads chunks in one goroutine.
type chunkReader struct {
	*joiner
	*chunk
	round   uint32 // number of the chunk
	kinds   rowtable.Table[chunkKind]
	unnamed chunkKind // of events without metadata
	losses  losses
	met     []uint64     // capture threads of the chunk
	passed  *codec.Event // the last one of copies is its copy
}

// newChunkReader returns a chunkReader of one goroutine.
func newChunkReader(j *joiner) *chunkReader {
	c := &chunkReader{joiner: j, unnamed: chunkKind{recorded: recording.ClassesOf(nil)}}
	c.losses.init(&Trace{Header: j.d.trace.Header, limits: noLimits})
	return c
}

// noLimits are those of the Trace of a chunk: its joiner has limits.
var noLimits = Limits{Stacks: -1, Frames: -1, Threads: -1}.withDefaults()

// read reads a chunk. The error that ends it is in the ChunkResult.
func (c *chunkReader) read(r *codec.Reader) *chunk {
	c.begin()
	r.OnSequencePoint(func(p *codec.SequencePoint) {
		if c.point == nil {
			c.point = &codec.SequencePoint{}
		}
		threads := append(c.point.Threads[:0], p.Threads...)
		*c.point = *p
		c.point.Threads = threads
	})
	for ev, err := range r.Events() {
		if err != nil {
			break
		}
		c.event(ev)
	}
	c.end()
	return c.chunk
}

// begin begins a chunk, with the memory of one that was joined.
func (c *chunkReader) begin() {
	c.round++
	c.met = c.met[:0]
	if known := noLimits.Threads - c.losses.left; known > c.d.trace.limits.Threads {
		c.losses.init(&Trace{Header: c.d.trace.Header, limits: noLimits})
	}
	select {
	case c.chunk = <-c.free:
	default:
		c.chunk = c.newChunk()
	}
	k, slice := c.chunk, c.trace.Header.SliceTime()
	k.copies.Reset()
	k.steps, k.gaps, k.last, k.point = k.steps[:0], k.gaps[:0], k.last[:0], nil
	k.order = chunkOrder{newest: k.order.newest[:0]}
	k.recording.Reset(slice)
	clear(k.processes)
	k.trace.stacks.reset()
	for i := range k.parts {
		switch p := c.d.parts[i].(type) {
		case Divisible:
			k.parts[i] = p.Divide(k.parts[i])
			k.parts[i].Begin(k.trace)
		case Condensing:
			k.condensed[i].Begin(k.trace, &Log{c, uint8(i)})
		}
	}
}

// newChunk returns an empty chunk.
func (c *chunkReader) newChunk() *chunk {
	header := c.d.trace.Header
	t := &Trace{Header: header, limits: noLimits, many: header.Format.HasThreadTable()}
	t.process, _ = header.ProcessID()
	t.stacks.init(c.d.trace.stacks.seed)
	k := &chunk{
		trace: t, names: symbols.Batch{Memory: c.batches, Lines: c.d.trace.lines != nil}, processes: map[uint64]*recording.Part{},
		parts: make([]Divisible, len(c.d.parts)), condensed: make([]Condenser, len(c.d.parts)),
	}
	for i, p := range c.d.parts {
		if p, ok := p.(Condensing); ok {
			k.condensed[i] = p.Condenser()
		}
	}
	return k
}

// end ends a chunk.
func (c *chunkReader) end() {
	for _, of := range c.condensed {
		if of != nil {
			of.End()
		}
	}
	for _, index := range c.met {
		c.last = append(c.last, chunkThread{index, *c.losses.find(index)})
	}
}

// event handles an event of a chunk.
func (c *chunkReader) event(ev *codec.Event) {
	kind := c.kind(ev.MetadataID, ev.Metadata())
	if c.losses.counted {
		c.gap(ev)
	}
	c.order.add(ev.Timestamp)
	class := kind.recorded.Of(ev)
	c.recording.Add(ev.Timestamp, class)
	if c.trace.many {
		c.recordingOf(c.trace.Process(ev)).Add(ev.Timestamp, class)
	}
	if kind.naming && c.names.Add(ev) {
		c.steps = append(c.steps, step{do: names, stacks: c.stackCount()})
	}
	c.passed = nil
	for _, do := range kind.handlers {
		do(ev)
	}
}

// stackCount returns the number of stacks of the chunk so far.
func (c *chunkReader) stackCount() uint32 { return uint32(len(c.trace.stacks.list)) }

// gap finds the losses before an event.
func (c *chunkReader) gap(ev *codec.Event) {
	index := ev.CaptureThreadIndex
	now := lastEvent{ev.CaptureThread(), ev.Timestamp, ev.Sequence, c.round}
	last := c.losses.place(index)
	switch {
	case last.round != c.round:
		*last = now
		c.met = append(c.met, index)
		c.lose(ev, chunkGap{index: index, now: now})
	case c.losses.next(last, now):
		c.lose(ev, chunkGap{index: index, now: now, inside: true, gap: c.losses.gap})
	}
}

// lose adds a gap before an event.
func (c *chunkReader) lose(ev *codec.Event, g chunkGap) {
	g.thread = c.trace.CaptureThread(ev)
	for _, of := range c.condensed {
		if of != nil {
			of.Lost(g.thread)
		}
	}
	c.steps = append(c.steps, step{do: loses, at: uint32(len(c.gaps)), stacks: c.stackCount()})
	c.gaps = append(c.gaps, g)
}

// recordingOf returns the recording of a process in the chunk.
func (c *chunkReader) recordingOf(id uint64) *recording.Part {
	p := c.processes[id]
	if p == nil {
		p = &recording.Part{}
		p.Reset(c.trace.Header.SliceTime())
		c.processes[id] = p
	}
	return p
}

// pass makes a part handle an event after the events before it in the file.
func (c *chunkReader) pass(part uint8, ev *codec.Event) {
	if c.passed != ev {
		c.passed = ev
		c.copies.Add(ev)
	}
	kind := c.kind(ev.MetadataID, ev.Metadata())
	c.steps = append(c.steps, step{do: handles, kind: kind, part: part, at: uint32(c.copies.Len() - 1), stacks: c.stackCount()})
}

// kind returns the chunkKind of a metadata row.
func (c *chunkReader) kind(id uint32, m *codec.Metadata) *chunkKind {
	if have := c.kinds.Find(id, m); have != nil && have.round == c.round {
		return have
	}
	return c.kindOfRound(id, m)
}

// kindOfRound is the slow path of kind.
func (c *chunkReader) kindOfRound(id uint32, m *codec.Metadata) *chunkKind {
	if m == nil {
		return &c.unnamed
	}
	kind := c.kinds.Find(id, m)
	if kind == nil {
		kind = c.kinds.Put(id, m, chunkKind{of: m, naming: c.d.trace.isNaming(m), recorded: recording.ClassesOf(m), own: make([]Handler, len(c.d.parts))})
	}
	if kind.round != c.round {
		kind.round, kind.handlers = c.round, c.handlers(m)
	}
	return kind
}

// handlers returns what the goroutine that reads does with the events of a metadata row.
func (c *chunkReader) handlers(m *codec.Metadata) []Handler {
	var list []Handler
	for i, p := range c.d.parts {
		var do Handler
		switch {
		case c.parts[i] != nil:
			do = c.parts[i].Handler(m)
		case c.condensed[i] != nil:
			do = c.condensed[i].Handler(m)
		}
		if do == nil && c.parts[i] == nil && p.Handler(m) != nil {
			do = func(ev *codec.Event) { c.pass(uint8(i), ev) }
		}
		if do != nil {
			list = append(list, do)
		}
	}
	return list
}
