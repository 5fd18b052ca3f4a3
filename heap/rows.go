package heap

import (
	"math"

	"github.com/nettrace-go/nettrace/codec"
)

// builder has the rows of one dump.
type builder struct {
	process *process
	dump    Dump
	begin   uint64 // ticks
	keep    bool   // the rows are needed, not only their numbers
	memory  *memory
	held    int64
	err     error

	next     [kindCount]uint32 // the next Index of each kind
	thread   uint64            // that writes the dump
	number   uint32            // sequence number of its last event
	numbered bool

	addresses  column[uint64] // of the objects
	sizes      column[uint64]
	types      column[int32]
	counts     column[uint32]   // of their references
	numbers    map[uint64]int32 // types by TypeID
	ids        []uint64
	names      []string
	targets    column[uint64] // of the references
	rootRows   []rootRow
	weakRows   []weakRow
	staticRows []staticRow

	soundObjects int // before the first gap
	soundEdges   int
}

type rootRow struct {
	address, id uint64
	kind        RootKind
	flags       RootFlags
}

type weakRow struct{ key, value uint64 }

type staticRow struct {
	slot, object uint64
	flags        uint32
	name         string
}

// kind is a kind of event with an Index.
type kind struct {
	number int
	name   string
	bytes  int64 // estimated memory of a row
	size   func(pointer int) int
	row    func(b *builder, p *payload)
	rows   func(d *Dump) *int64
}

const kindCount = 4

var (
	nodes = &kind{
		0, "GCBulkNode", objectBytes, func(pointer int) int { return pointer + 24 }, (*builder).node,
		func(d *Dump) *int64 { return &d.Objects },
	}
	edges = &kind{
		1, "GCBulkEdge", edgeBytes, func(pointer int) int { return pointer + 4 }, (*builder).edge,
		func(d *Dump) *int64 { return &d.Edges },
	}
	roots = &kind{
		2, "GCBulkRootEdge", rootBytes, func(pointer int) int { return 2*pointer + 5 }, (*builder).root,
		func(d *Dump) *int64 { return &d.Roots },
	}
	weakEdges = &kind{
		3, "GCBulkRootConditionalWeakTableElementEdge", rootBytes, func(pointer int) int { return 3 * pointer }, (*builder).weakEdge,
		func(d *Dump) *int64 { return &d.WeakEdges },
	}
)

// maxRows bounds the rows of a kind, because the graph has 32-bit numbers.
const maxRows = math.MaxInt32 - 1<<16

// bulkEvent is an event with the fields before its rows.
type bulkEvent struct {
	*codec.Event
	index, count uint32
}

// event adds the rows of an event of a kind.
func (b *builder) event(k *kind, e bulkEvent, p *payload) {
	b.touch(e.Event)
	if e.index != b.next[k.number] {
		b.gap(k, e.index)
	}
	b.next[k.number] = e.index + 1
	fit := uint32(min(p.left()/k.size(p.pointer), math.MaxInt32))
	if p.bad() || fit < e.count {
		b.dump.Malformed++
		e.count = fit
	}
	rows := k.rows(&b.dump)
	if *rows += int64(e.count); *rows > maxRows {
		b.err = (&memory{limit: maxRows}).take(*rows)
		return
	}
	if b.keep && !b.hold(int64(e.count)*k.bytes) {
		return
	}
	for range e.count {
		k.row(b, p)
	}
	if b.dump.Malformed == 0 {
		b.sound(k)
	}
}

// gap notes missing events.
func (b *builder) gap(k *kind, index uint32) {
	missing := int64(index) - int64(b.next[k.number])
	if missing < 0 {
		b.dump.Malformed++
		return
	}
	for i := range b.dump.Gaps {
		if g := &b.dump.Gaps[i]; g.Event == k.name {
			g.Count += missing
			return
		}
	}
	b.dump.Gaps = append(b.dump.Gaps, Gap{Event: k.name, Index: b.next[k.number], Count: missing})
}

// sound notes that the rows of a kind so far belong together.
func (b *builder) sound(k *kind) {
	for _, g := range b.dump.Gaps {
		if g.Event == k.name {
			return
		}
	}
	switch k {
	case nodes:
		b.soundObjects = b.addresses.len
	case edges:
		b.soundEdges = b.targets.len
	}
}

func (b *builder) hold(n int64) bool {
	b.held += n
	b.err = b.memory.take(n)
	return b.err == nil
}

// touch makes the dump contain the time of an event.
func (b *builder) touch(e *codec.Event) {
	if e.Timestamp > b.begin {
		b.dump.Duration = e.Time().Sub(b.dump.Begin)
	}
	if !b.numbered && e.Sequence != 0 {
		b.thread, b.number, b.numbered = e.CaptureThreadIndex, e.Sequence, true
	}
}

// sequence counts the events that are missing on the thread that writes the dump.
func (b *builder) sequence(e *codec.Event) {
	if !b.numbered || e.CaptureThreadIndex != b.thread {
		return
	}
	if step := e.Sequence - b.number; step > 1 && step < 1<<31 {
		b.dump.Dropped += uint64(step - 1)
	}
	b.number = e.Sequence
}

// point counts the events that the thread that writes the dump lost before a sequence point.
func (b *builder) point(p *codec.SequencePoint) {
	for _, listed := range p.Threads {
		if step := listed.Sequence - b.number; b.numbered && listed.Thread == b.thread && step > 0 && step < 1<<31 {
			b.dump.Dropped += uint64(step)
			b.number = listed.Sequence
		}
	}
}

func (b *builder) node(p *payload) {
	address, size, id, count := p.address(), p.uint64(), p.uint64(), p.uint64()
	b.dump.addDeclared(count)
	b.dump.addBytes(size)
	if !b.keep {
		return
	}
	b.addresses.append(address)
	b.sizes.append(size)
	b.types.append(b.typeNumber(id))
	b.counts.append(uint32(min(count, math.MaxUint32)))
}

func (b *builder) edge(p *payload) {
	if target := p.address(); b.keep {
		b.targets.append(target)
	}
	p.skip(4) // ReferencingFieldID, always 0
}

func (b *builder) root(p *payload) {
	r := rootRow{address: p.address(), kind: RootKind(p.uint8()), flags: RootFlags(p.uint32())}
	if r.id = p.address(); b.keep {
		b.rootRows = append(b.rootRows, r)
	}
}

func (b *builder) weakEdge(p *payload) {
	w := weakRow{p.address(), p.address()}
	if p.address(); b.keep {
		b.weakRows = append(b.weakRows, w)
	}
}

// statics adds the rows of a GCBulkRootStaticVar.
func (b *builder) statics(e *codec.Event, p *payload) {
	b.touch(e)
	n := p.uint32()
	p.skip(8 + 2)
	for ; n > 0; n-- {
		s := staticRow{slot: p.uint64(), object: p.uint64()}
		p.skip(8)
		if s.flags, s.name = p.uint32(), p.text(); p.bad() {
			b.dump.Malformed++
			return
		}
		b.dump.Statics++
		if !b.keep {
			continue
		}
		if !b.hold(rootBytes + int64(len(s.name))) {
			return
		}
		b.staticRows = append(b.staticRows, s)
	}
}

// typeNumber returns the number of a TypeID.
func (b *builder) typeNumber(id uint64) int32 {
	n, known := b.numbers[id]
	if !known {
		n = int32(len(b.ids))
		b.numbers[id] = n
		b.ids, b.names = append(b.ids, id), append(b.names, "")
	}
	return n
}

// nameTypes names the types that have no name yet.
func (b *builder) nameTypes(names map[uint64]string) {
	for i, id := range b.ids {
		if b.names[i] == "" {
			b.names[i] = names[id]
		}
	}
}
