package alloc

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model"
)

// process has the allocations of one process.
type process struct {
	trace   *analysis.Trace
	served  *model.Served
	id      uint64
	sources map[Source]*source
	types   map[uint64][]byte // names of types by id, UTF-16
	text    []byte            // of the type of the current event
}

// source has the allocations of one kind of events.
type source struct {
	name   Source
	types  map[string]string // each once
	bytes  int64             // of their names
	groups map[group]*sum
	sole   model.SoleRequests[group]
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

// join adds another sum.
func (s *sum) join(other *sum) {
	s.events += other.events
	s.bytes += other.bytes
	s.objects += other.objects
	s.variance += other.variance
	s.largest = max(s.largest, other.largest)
}

// sums are what an allocation is added to.
type sums struct {
	heap, group *sum
	rate        *rate
}

// add adds a sum at a time in nanoseconds.
func (s *sums) add(nanos int64, one *sum) {
	s.heap.join(one)
	s.rate.add(nanos, one.bytes)
	s.group.join(one)
}

// add adds an event.
func (p *process) add(name Source, ev *codec.Event, a *allocation) {
	s := p.source(name)
	to := sums{s.heap(a.heap), &s.leftOut, &s.rate}
	p.text = wire.AppendUTF16(p.text[:0], a.typ)
	if typ, ok := s.typeOf(p.text, p.trace.Limits().Symbols); ok {
		of := model.Owned{Thread: p.trace.Thread(ev), Ticks: ev.Timestamp, Activity: ev.Activity(), Stack: p.trace.Stack(ev)}
		key := group{typ, a.heap, of.Stack}
		if to.group = s.group(key, ev.Timestamp, p.trace.Limits().Rows); to.group != &s.leftOut {
			s.sole.Add(p.served, key, of, whole(a.bytes))
		}
	}
	one := a.sum(ev.Timestamp)
	to.add(p.trace.Nanos(ev.Timestamp), &one)
}

// source returns the allocations of a kind of events.
func (p *process) source(name Source) *source {
	s := p.sources[name]
	if s == nil {
		s = &source{name: name, types: map[string]string{}, groups: map[group]*sum{}, heaps: map[Heap]*sum{}}
		p.sources[name] = s
	}
	return s
}

// heap returns the sum of a heap.
func (s *source) heap(of Heap) *sum {
	h := s.heaps[of]
	if h == nil {
		h = &sum{}
		s.heaps[of] = h
	}
	return h
}

// typeOf returns the name of a type, false for one above the limit of bytes.
func (s *source) typeOf(name []byte, limit int64) (string, bool) {
	if known, ok := s.types[string(name)]; ok {
		return known, true
	}
	if s.bytes += int64(len(name)); s.bytes > limit {
		return "", false
	}
	added := string(name)
	s.types[added] = added
	return added, true
}

// group returns the sum of a type, heap and stack, whose first event has a time in ticks.
func (s *source) group(key group, ticks uint64, limit int64) *sum {
	g := s.groups[key]
	if g == nil {
		if int64(len(s.groups)) >= limit {
			return &s.leftOut
		}
		g = &sum{ticks: ticks}
		s.groups[key] = g
	}
	return g
}
