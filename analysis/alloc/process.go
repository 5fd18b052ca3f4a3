package alloc

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// process has the allocations of one process.
type process struct {
	trace   *analysis.Trace
	id      uint64
	sources map[Source]*source
	text    []byte // of the type of the current event
}

// source has the allocations of one kind of events.
type source struct {
	name   Source
	types  map[string]string // each once
	bytes  int64             // of their names
	groups map[group]*sum
	heaps  map[Heap]*sum
	rate   rate

	leftOut sum // of groups above the limit
}

// group is a type, heap and stack.
type group struct {
	typ   string
	heap  Heap
	stack analysis.StackID
}

// sum is the sum of some allocations.
type sum struct {
	ticks    uint64 // of the first event
	events   int64
	bytes    float64
	objects  float64
	variance float64
	largest  uint64 // size of the largest object
}

func (s *sum) add(a *allocation) {
	s.join(&sum{events: 1, bytes: a.bytes, objects: a.objects, variance: a.variance, largest: a.size})
}

// join adds another sum.
func (s *sum) join(other *sum) {
	s.events += other.events
	s.bytes += other.bytes
	s.objects += other.objects
	s.variance += other.variance
	s.largest = max(s.largest, other.largest)
}

// add adds an event.
func (p *process) add(name Source, ev *codec.Event, a *allocation) {
	s := p.sources[name]
	if s == nil {
		s = &source{name: name, types: map[string]string{}, groups: map[group]*sum{}, heaps: map[Heap]*sum{}}
		p.sources[name] = s
	}
	if s.heaps[a.heap] == nil {
		s.heaps[a.heap] = &sum{}
	}
	s.heaps[a.heap].add(a)
	s.rate.add(p.trace.Nanos(ev.Timestamp), a.bytes)
	p.text = wire.AppendUTF16(p.text[:0], a.typ)
	g := s.group(p.trace, ev, group{heap: a.heap}, p.text)
	g.add(a)
}

// group returns the sum of a type, heap and stack.
func (s *source) group(t *analysis.Trace, ev *codec.Event, key group, typ []byte) *sum {
	limits := t.Limits()
	name, known := s.types[string(typ)]
	if !known {
		if s.bytes += int64(len(typ)); s.bytes > limits.Symbols {
			return &s.leftOut
		}
		name = string(typ)
		s.types[name] = name
	}
	key.typ, key.stack = name, t.Stack(ev)
	g := s.groups[key]
	if g == nil {
		if int64(len(s.groups)) >= limits.Rows {
			return &s.leftOut
		}
		g = &sum{ticks: ev.Timestamp}
		s.groups[key] = g
	}
	return g
}
