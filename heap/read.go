package heap

import (
	"context"
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/rowtable"
)

// Options configure FromReader. The zero value reads the last dump of a stream and
// accepts complete dumps only.
type Options struct {
	// Collection is the number of the collection whose dump is read. 0 means the
	// last dump of the stream.
	Collection uint32
	// Partial accepts a dump of which data was lost. Its sizes are then too small.
	Partial bool
	// Limit bounds the estimated bytes of the graph and of the work on it. 0 means
	// 2 GiB, -1 no limit. A larger dump results in a *codec.LimitError.
	Limit int64
}

// FromReader reads the events of r to the end and returns one dump. The order of r
// can be any.
//
// Errors are a *NoDumpError, an *IncompleteError, a *codec.LimitError, the error of ctx,
// or an error of r. If an error of r ends the stream after the dump, or with
// Options.Partial inside it, FromReader returns the dump and the error.
func FromReader(ctx context.Context, r *codec.Reader, opt Options) (*Heap, error) {
	s, err := newReading(r, opt)
	if err != nil {
		return nil, err
	}
	r.OnSequencePoint(s.point)
	defer r.OnSequencePoint(nil)
	count := 0
	for e, err := range r.Events() {
		if err != nil {
			return s.finish(ctx, err)
		}
		if count++; count&1023 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if s.add(e); s.err != nil {
			return nil, s.err
		}
	}
	return s.finish(ctx, nil)
}

// reading is the state of FromReader.
type reading struct {
	opt       Options
	survey    bool // only the numbers of the dumps are needed
	memory    memory
	processes map[uint64]*process
	last      *process // of the last event
	handlers  rowtable.Table[handler]
	dumps     []Dump
	chosen    *builder
	err       error // that ends the reading
}

// process is the state of one process.
type process struct {
	id       uint64
	open     *builder // the dump that is read, nil outside of a collection
	names    map[uint64]string
	typeRows int64

	commandLine string
}

// handler handles an event of one type.
type handler func(s *reading, p *process, e *codec.Event, b *payload)

// handlers are the handlers of events. A dump has no newer versions of these
// events so far; they would begin with the same fields.
var handlers = map[clr.Kind]handler{
	clr.KindGCStart:        (*reading).gcStart,
	clr.KindGCEnd:          (*reading).gcEnd,
	clr.KindBulkType:       (*reading).types,
	clr.KindGCBulkRootEdge: bulk(roots),
	clr.KindGCBulkRootConditionalWeakTableElementEdge: bulk(weakEdges),
	clr.KindGCBulkNode:          bulk(nodes),
	clr.KindGCBulkEdge:          bulk(edges),
	clr.KindGCBulkRootStaticVar: (*reading).statics,
	clr.KindProcessInfo:         (*reading).processInfo,
}

func newReading(r *codec.Reader, opt Options) (*reading, error) {
	if _, err := r.Trace(); err != nil {
		return nil, err
	}
	return &reading{opt: opt, memory: newMemory(opt.Limit), processes: map[uint64]*process{}}, nil
}

func (s *reading) add(e *codec.Event) {
	handle := s.handler(e.MetadataID, e.Metadata())
	p := s.process(e)
	if p.open != nil {
		p.open.sequence(e)
	}
	if handle != nil {
		handle(s, p, e, &payload{b: e.Payload(), pointer: e.PointerSize()})
	}
}

// handler returns the handler of the events of a metadata row, nil if there is none.
func (s *reading) handler(id uint32, m *codec.Metadata) handler {
	if m == nil {
		return nil
	}
	handle := s.handlers.Find(id, m)
	if handle == nil {
		handle = s.handlers.Put(id, m, handlers[clr.KindOf(m)])
	}
	return *handle
}

// point adds a sequence point.
func (s *reading) point(p *codec.SequencePoint) {
	for _, process := range s.processes {
		if process.open != nil {
			process.open.point(p)
		}
	}
}

func (s *reading) process(e *codec.Event) *process {
	id, _ := e.ProcessID()
	if s.last != nil && s.last.id == id {
		return s.last
	}
	p := s.processes[id]
	if p == nil {
		p = &process{id: id, names: map[uint64]string{}}
		s.processes[id] = p
	}
	s.last = p
	return p
}

// processInfo handles the event with the command line of the process.
func (s *reading) processInfo(p *process, _ *codec.Event, b *payload) {
	if line := b.text(); !b.bad() {
		p.commandLine = line
		s.err = s.memory.take(int64(len(line)))
	}
}

// gcStart begins a dump. It is not yet known whether the collection has one.
func (s *reading) gcStart(p *process, e *codec.Event, b *payload) {
	s.close(p)
	p.open = s.builder(p, e)
	p.open.dump.Collection = b.uint32()
}

// gcEnd ends the collection of a dump. If GCStart is missing, the number is known only
// now.
func (s *reading) gcEnd(p *process, e *codec.Event, b *payload) {
	number := b.uint32()
	if p.open != nil && p.open.dump.Collection == 0 {
		p.open.dump.Collection = number
	}
	if p.open == nil || number != p.open.dump.Collection {
		return
	}
	if p.open.dump.rows() > 0 {
		p.open.touch(e)
		p.open.dump.Ended = true
	}
	s.close(p)
}

// builder returns the builder of a dump that begins with an event.
func (s *reading) builder(p *process, e *codec.Event) *builder {
	b := &builder{process: p, memory: &s.memory, numbers: map[uint64]int32{}}
	b.dump.Process, b.dump.Begin, b.begin = p.id, e.Time(), e.Timestamp
	return b
}

// close ends the dump of a process, if it has one.
func (s *reading) close(p *process) {
	b := p.open
	if p.open = nil; b == nil || b.dump.rows() == 0 {
		return
	}
	b.nameTypes(p.names)
	s.dumps = append(s.dumps, b.dump)
	if s.wanted(b) && !s.survey {
		s.chosen = b
	}
}

// prepare decides whether the rows of a dump are kept. The last dump replaces those
// before it.
func (s *reading) prepare(b *builder) {
	b.keep = s.wanted(b) && !s.survey
	if b.keep && s.chosen != nil {
		s.memory.give(s.chosen.held)
		s.chosen = nil
	}
}

// wanted reports whether a dump is the one that was asked for.
func (s *reading) wanted(b *builder) bool {
	return s.opt.Collection == 0 || b.dump.Collection == s.opt.Collection
}

// bulk returns the handler of an event that has an Index.
func bulk(k *kind) handler {
	return func(s *reading, p *process, e *codec.Event, b *payload) {
		index, count := b.uint32(), b.uint32()
		if b.skip(2); p.open == nil || index == 0 && p.open.next[k.number] > 0 {
			s.close(p) // a dump whose GCStart is missing
			p.open = s.builder(p, e)
		}
		s.prepare(p.open)
		p.open.event(k, bulkEvent{e, index, count}, b)
		s.err = p.open.err
	}
}

// statics handles GCBulkRootStaticVar, which has no Index.
func (s *reading) statics(p *process, e *codec.Event, b *payload) {
	if p.open == nil {
		p.open = s.builder(p, e)
	}
	s.prepare(p.open)
	p.open.statics(e, b)
	s.err = p.open.err
}

// types handles BulkType, which may come outside of a dump. The last name of a type
// during the dump is the right one.
func (s *reading) types(p *process, e *codec.Event, _ *payload) {
	for row := range clr.BulkType(e).Rows() {
		if p.typeRows++; s.survey {
			continue
		}
		name := string(wire.AppendUTF16(nil, row.Name))
		if _, known := p.names[row.ID]; !known {
			s.err = s.memory.take(int64(len(name)) + typeBytes)
		}
		p.names[row.ID] = name
	}
}

// finish builds the graph after the end of the stream.
func (s *reading) finish(ctx context.Context, readError error) (*Heap, error) {
	for _, p := range s.processes {
		s.close(p)
	}
	for i := range s.dumps {
		p := s.processes[s.dumps[i].Process]
		s.dumps[i].Types, s.dumps[i].CommandLine = p.typeRows, p.commandLine
	}
	b := s.chosen
	if b == nil {
		if readError != nil {
			return nil, readError
		}
		return nil, &NoDumpError{s.opt.Collection, s.dumps}
	}
	b.nameTypes(b.process.names)
	b.dump.Types = b.process.typeRows
	b.dump.CommandLine = b.process.commandLine
	h, err := b.graph(ctx)
	if err != nil {
		return nil, err
	}
	h.Dumps = s.dumps
	if !h.Dump.Complete() && !s.opt.Partial {
		if readError != nil {
			return nil, fmt.Errorf("%w (%w)", &IncompleteError{h.Dump}, readError)
		}
		return nil, &IncompleteError{h.Dump}
	}
	return h, readError
}
