package info

import (
	"math/bits"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
	"github.com/nettrace-go/nettrace/internal/sampling"
)

// maxFrames is the number of frames at which the runtime truncates a stack.
const maxFrames = 100

// kindOrder is the order in which block kinds are printed.
var kindOrder = [...]wire.Kind{
	wire.KindTrace, wire.KindEvent, wire.KindMetadata, wire.KindStack, wire.KindThread, wire.KindRemoveThread, wire.KindLabelList,
	wire.KindSequencePoint, wire.KindEndOfStream,
}

// summary has the facts that info prints about one trace.
type summary struct {
	trace    *codec.Trace // nil when not even that could be read
	blocks   [wire.KindLabelList + 1]int64
	unknown  int64 // blocks of unknown kind
	trailing int64

	events      int64
	slice       codec.TimeRange // the part of a longer recording that the trace has
	timed       bool            // an event is within slice
	first, last uint64          // ticks of the oldest and the newest of those events
	lost        uint64
	lostBy      map[string]uint64 // by capture thread
	lostOrder   []string
	threads     map[threadKey]struct{}
	processes   map[uint64]struct{}
	stacks, cut int64 // events with a stack, and with one of maxFrames frames
	metadata    int64 // rows
	sampling    sampling.Intervals
	features    features
	providers   map[string]*providerSummary
	known       map[*codec.Metadata]*typeSummary
	lastThread  threadKey

	defects  []codec.Defect
	bad      int
	firstBad error
	err      error // the error that ended the reading, nil at the end mark
}

// threadKey identifies a thread: by the process and thread id of the operating
// system, or by its index if its row has no id.
type threadKey struct {
	process, thread uint64
	byIndex         bool
}

type providerSummary struct {
	name         string
	unknown      bool // events whose metadata is not in the stream
	sampler      bool // whether it is the runtime's sampler
	events       int64
	payloadBytes int64
	types        map[typeKey]*typeSummary
}

type typeKey struct {
	id, version uint32
	name        string
}

type typeSummary struct {
	typeKey
	provider *providerSummary
	events   int64
}

func newSummary() *summary {
	return &summary{
		lostBy: map[string]uint64{}, threads: map[threadKey]struct{}{}, processes: map[uint64]struct{}{},
		providers: map[string]*providerSummary{}, known: map[*codec.Metadata]*typeSummary{},
	}
}

// read reads a stream to its end, or to the error that ends the reading.
func (s *summary) read(r *codec.BlockReader) {
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if s.trace == nil {
			s.begin(r)
		}
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			s.event(e)
		}
		s.block(b)
	}
	s.err = r.Err()
	if s.err == nil {
		s.trailing, s.err = r.TrailingBytes()
	}
	s.defects = r.Defects()
	s.bad, s.firstBad = r.BadBlocks()
}

func (s *summary) begin(r *codec.BlockReader) {
	s.trace, _ = r.Trace()
	if s.trace == nil {
		return
	}
	s.slice = s.trace.SliceTime()
	if id, ok := s.trace.ProcessID(); ok {
		s.processes[id] = struct{}{}
	}
}

// block counts a block and its rows, except events.
func (s *summary) block(b *codec.Block) {
	if b.Kind.Known() {
		s.blocks[b.Kind]++
	} else {
		s.unknown++
		s.features.set(featureUnknownBlocks)
	}
	s.metadata += int64(len(b.Metadata))
	for _, t := range b.Threads {
		s.threads[keyOf(t)] = struct{}{}
		if t.HasProcessID {
			s.processes[t.ProcessID] = struct{}{}
		}
	}
	s.features.block(s.trace, b)
}

func keyOf(t *codec.Thread) threadKey {
	if t.HasThreadID {
		return threadKey{process: t.ProcessID, thread: t.ThreadID}
	}
	return threadKey{process: t.ProcessID, thread: t.Index, byIndex: true}
}

// event counts an event.
func (s *summary) event(e *codec.Event) {
	s.events++
	s.time(e.Timestamp)
	t := s.typeOf(e)
	t.events++
	t.provider.events++
	t.provider.payloadBytes += int64(len(e.Payload()))
	if t.provider.sampler && t.id == 0 {
		s.sampling.Add(e)
	}
	if n := len(e.Stack()); n > 0 {
		s.stacks++
		if n == maxFrames {
			s.cut++
		}
	}
	if !s.trace.Format.HasThreadTable() {
		s.thread(e.ThreadIndex)
		s.thread(e.CaptureThreadIndex)
	}
	s.features.event(e)
}

// thread notes an operating-system thread of v3 to v5.
func (s *summary) thread(id uint64) {
	key := threadKey{thread: id}
	if key != s.lastThread || len(s.threads) == 0 {
		s.threads[key] = struct{}{}
		s.lastThread = key
	}
}

// typeOf returns the entry of the event's type.
func (s *summary) typeOf(e *codec.Event) *typeSummary {
	m := e.Metadata()
	t := s.known[m]
	if t != nil && t.version == e.Version() {
		return t
	}
	key := typeKey{id: e.ID(), version: e.Version()}
	if m != nil {
		key.name = ndjson.EventName(m, key.version)
	}
	t = s.provider(m).typeOf(key)
	if len(s.known) < 1<<16 {
		s.known[m] = t
	}
	return t
}

// provider returns the entry of a provider; the entry of events with unknown
// metadata has no name.
func (s *summary) provider(m *codec.Metadata) *providerSummary {
	name, key := "", "?"
	if m != nil {
		name, key = m.Provider, "="+m.Provider
	}
	p := s.providers[key]
	if p == nil {
		p = &providerSummary{name: name, unknown: m == nil, sampler: name == SampleProvider, types: map[typeKey]*typeSummary{}}
		s.providers[key] = p
	}
	return p
}

func (p *providerSummary) typeOf(key typeKey) *typeSummary {
	t := p.types[key]
	if t == nil {
		t = &typeSummary{typeKey: key, provider: p}
		p.types[key] = t
	}
	return t
}

// addLost adds a loss.
func (s *summary) addLost(l codec.Lost) {
	s.lost += l.Count
	thread := strconv.FormatUint(l.CaptureThread, 10)
	switch {
	case l.Thread != nil && l.Thread.HasThreadID:
		thread = strconv.FormatUint(l.Thread.ThreadID, 10)
	case s.trace != nil && s.trace.Format.HasThreadTable():
		thread = "#" + thread
	}
	if _, ok := s.lostBy[thread]; !ok {
		s.lostOrder = append(s.lostOrder, thread)
	}
	s.lostBy[thread] += l.Count
}

// time adds the time of an event. The naming events of a slice can have times
// outside of the slice.
func (s *summary) time(ticks uint64) {
	if !s.slice.Contains(ticks) {
		return
	}
	if !s.timed {
		s.first, s.last = ticks, ticks
	}
	s.timed, s.first, s.last = true, min(s.first, ticks), max(s.last, ticks)
}

// duration returns the time from the oldest to the newest event in nanoseconds,
// at most the largest int64, and false when the trace has no clock.
func (s *summary) duration() (uint64, bool) {
	if s.trace == nil || s.trace.TickFrequency == 0 {
		return 0, false
	}
	hi, lo := bits.Mul64(s.last-s.first, 1e9)
	if hi >= s.trace.TickFrequency {
		return 1<<64 - 1, true
	}
	ns, _ := bits.Div64(hi, lo, s.trace.TickFrequency)
	return ns, true
}
