package columns

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// eventColumns has the events of a trace, and decodes the fields of those of some types. It is
// a Part without reports. It has 48
// bytes for an event, or 52 with stacks.
type eventColumns struct {
	store  bool // keep the columns, not only the number of rows
	stacks bool // keep the column of stacks, if store
	number bool // find the stacks
	typed  []*typedColumns

	trace *analysis.Trace
	rows  int

	at                []int64 // nanoseconds since the trace's sync time
	offset            []int64
	kind              []uint32 // position in types
	thread, capture   []uint32 // positions in threads
	processor         []uint32 // positions in processors
	activity, related []uint32 // positions in activities
	sequence, payload []uint32
	stack             []uint32 // of the Trace
	node              []uint32 // by stack of the Trace: its node in the tree of stacks
	firsts            []uint64 // by stack of the Trace: ticks of its first event

	types      eventTypes
	threads    numbering[analysis.Thread]
	processors numbering[uint32]
	activities numbering[wire.GUID]
}

// numbering numbers keys from 0 in the order of their first use.
type numbering[K comparable] struct {
	list  []K
	known map[K]uint32
	last  K
	at    uint32
}

// of returns the number of a key.
func (n *numbering[K]) of(key K) uint32 {
	if key == n.last && len(n.list) > 0 {
		return n.at
	}
	at, ok := n.known[key]
	if !ok {
		if n.known == nil {
			n.known = map[K]uint32{}
		}
		at = uint32(len(n.list))
		n.list = append(n.list, key)
		n.known[key] = at
	}
	n.last, n.at = key, at
	return at
}

// Name implements analysis.Part.
func (e *eventColumns) Name() string { return "events" }

// Begin implements analysis.Part.
func (e *eventColumns) Begin(t *analysis.Trace) { e.trace = t }

// Handler implements analysis.Part: it handles all events.
func (e *eventColumns) Handler(m *codec.Metadata) analysis.Handler {
	do := e.handler(m)
	for _, t := range e.typed {
		if refs := t.refs(m); refs != nil {
			before := do
			do = func(ev *codec.Event) { before(ev); t.add(ev, e, refs) }
		}
	}
	return do
}

// handler returns the handler for the columns.
func (e *eventColumns) handler(m *codec.Metadata) analysis.Handler {
	switch {
	case !e.store && e.number:
		return func(ev *codec.Event) { e.rows++; e.stackOf(ev) }
	case !e.store:
		return func(*codec.Event) { e.rows++ }
	}
	kind := uint32(0)
	return func(ev *codec.Event) {
		if kind == 0 {
			kind = e.types.of(m, ev.Name()) + 1
		}
		e.add(ev, kind-1)
	}
}

// add adds an event of a type.
func (e *eventColumns) add(ev *codec.Event, kind uint32) {
	e.rows++
	e.types.list[kind].events++
	if len(e.at) == cap(e.at) {
		e.grow(1)
	}
	e.at = append(e.at, e.trace.Nanos(ev.Timestamp))
	e.offset = append(e.offset, ev.Offset())
	e.kind = append(e.kind, kind)
	thread := e.threads.of(e.trace.Thread(ev))
	e.thread = append(e.thread, thread)
	if ev.CaptureThreadIndex != ev.ThreadIndex {
		thread = e.threads.of(e.trace.CaptureThread(ev))
	}
	e.capture = append(e.capture, thread)
	e.processor = append(e.processor, e.processors.of(ev.Processor))
	e.activity = append(e.activity, e.activities.of(ev.Activity()))
	e.related = append(e.related, e.activities.of(ev.RelatedActivity()))
	e.sequence = append(e.sequence, ev.Sequence)
	e.payload = append(e.payload, uint32(len(ev.Payload())))
	if e.stacks {
		e.stack = append(e.stack, e.stackOf(ev))
	}
}

// firstRows is the number of events that the columns first have room for.
const firstRows = 1 << 12

// grow adds room for half as many events, and for some at least. Append alone grows long
// slices by a quarter, which copies each value twice as often.
func (e *eventColumns) grow(some int) {
	more := max(len(e.at)/2, firstRows, some)
	e.at, e.offset = slices.Grow(e.at, more), slices.Grow(e.offset, more)
	for _, column := range []*[]uint32{
		&e.kind, &e.thread, &e.capture, &e.processor, &e.activity, &e.related, &e.sequence, &e.payload,
	} {
		*column = slices.Grow(*column, more)
	}
	if e.stacks {
		e.stack = slices.Grow(e.stack, more)
	}
}

// stackOf returns the stack of an event.
func (e *eventColumns) stackOf(ev *codec.Event) uint32 {
	id := uint32(e.trace.Stack(ev))
	for uint32(len(e.firsts)) <= id {
		e.firsts = append(e.firsts, ev.Timestamp)
	}
	return id
}

// Lost implements analysis.Part.
func (e *eventColumns) Lost(analysis.Thread) {}

// Reports implements analysis.Part: there are none.
func (e *eventColumns) Reports(*analysis.Trace) []analysis.Report { return nil }

// eventTypes numbers the types of events in the order of their first event.
type eventTypes struct {
	list      []*eventType
	known     map[typeKey]uint32
	providers numbering[string]
}

// typeKey identifies a type of events: the same type can have several metadata
// rows.
type typeKey struct {
	provider, name    string
	id, version       uint32
	level             uint32
	keywords          uint64
	opcode, hasOpcode uint8
}

// eventType is a type of events.
type eventType struct {
	typeKey
	number     int64  // from 1
	providerAt uint32 // position of the provider
	events     int64
}

// of returns the position of the type of a metadata row whose events have a name.
func (t *eventTypes) of(m *codec.Metadata, name string) uint32 {
	key := typeKey{provider: m.Provider, name: name, id: m.EventID, version: m.Version, level: m.Level, keywords: m.Keywords}
	if m.OpcodeSet {
		key.opcode, key.hasOpcode = m.Opcode, 1
	}
	return t.at(key)
}

// at returns the position of a type.
func (t *eventTypes) at(key typeKey) uint32 {
	at, ok := t.known[key]
	if !ok {
		if t.known == nil {
			t.known = map[typeKey]uint32{}
		}
		at = uint32(len(t.list))
		t.list = append(t.list, &eventType{typeKey: key, number: int64(at) + 1, providerAt: t.providers.of(key.provider)})
		t.known[key] = at
	}
	return at
}

// text returns the Vector of a text of the types of all events, which is null if it
// is empty.
func (e *eventColumns) text(of func(t *eventType) string) *Vector {
	v := &Vector{Index: e.kind}
	for _, t := range e.types.list {
		v.Texts = append(v.Texts, of(t))
		v.Nulls = append(v.Nulls, of(t) == "")
	}
	return v
}

// ofTypes returns the Vector of a number of the types of all events.
func (e *eventColumns) ofTypes(of func(t *eventType) int64) *Vector {
	v := &Vector{Index: e.kind, Ints: []int64{}}
	for _, t := range e.types.list {
		v.Ints = append(v.Ints, of(t))
	}
	return v
}

// threadIDs returns the Vector of the ids of threads.
func (e *eventColumns) threadIDs(index []uint32) *Vector {
	v := &Vector{Index: index, Ints: []int64{}}
	for _, t := range e.threads.list {
		v.Ints = append(v.Ints, int64(t.ID))
	}
	return v
}

// processIDs returns the Vector of the ids of the processes of the events' threads.
func (e *eventColumns) processIDs() *Vector {
	v := &Vector{Index: e.thread, Ints: []int64{}}
	for _, t := range e.threads.list {
		v.Ints = append(v.Ints, int64(t.Process))
		v.Nulls = append(v.Nulls, t.Process == 0)
	}
	return v
}

// ids returns the Vector of activities, which is null for the zero one.
func (e *eventColumns) ids(index []uint32) *Vector {
	v := &Vector{Index: index, Texts: []string{}}
	for _, id := range e.activities.list {
		v.Texts = append(v.Texts, id.String())
		v.Nulls = append(v.Nulls, id.IsZero())
	}
	return v
}

// onProcessors returns the Vector of the processors.
func (e *eventColumns) onProcessors() *Vector {
	v := &Vector{Index: e.processor, Ints: []int64{}}
	for _, n := range e.processors.list {
		v.Ints = append(v.Ints, int64(n))
		v.Nulls = append(v.Nulls, n == wire.UnknownProcessor)
	}
	return v
}

// numbers returns a Vector of small numbers.
func numbers(list []uint32) *Vector {
	v := &Vector{Ints: make([]int64, len(list))}
	for i, n := range list {
		v.Ints[i] = int64(n)
	}
	return v
}

// nodes returns the Vector of the stacks, null for the empty one.
func (e *eventColumns) nodes() *Vector {
	v := reference(e.node)
	v.Index = e.stack
	return v
}
