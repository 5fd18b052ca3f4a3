package symbols

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec"
)

// Batch has events that name addresses, for a Table that another goroutine fills. It is for
// one goroutine at a time. The zero value is empty.
type Batch struct {
	// Memory has memory of Batches that were reset, for other ones to use. If it is nil, the Batch
	// gets new memory after a Reset. It must not change.
	Memory *BatchMemory
	// Lines keeps the events for a Table with Options.Lines.
	Lines bool

	kinds    kinds
	events   pages[batched]
	payloads pages[byte] // of the events about ranges of code
	others   []other

	nextEvent   cursor // for Table.AddNext
	nextPayload cursor
	nextOther   int
}

// BatchMemory is memory that Batches in several goroutines share. It is safe for concurrent use. The
// zero value is empty. A part of it is released when the Batches were reset 64 times without needing it.
type BatchMemory struct {
	events   pagePool[batched]
	payloads pagePool[byte]
}

// ofEvents returns the pages for events, nil for none.
func (m *BatchMemory) ofEvents() *pagePool[batched] {
	if m == nil {
		return nil
	}
	return &m.events
}

// ofPayloads returns the pages for payloads, nil for none.
func (m *BatchMemory) ofPayloads() *pagePool[byte] {
	if m == nil {
		return nil
	}
	return &m.payloads
}

// batched is an event of a Batch. It has no pointers: a rundown has 100,000 of them.
type batched struct {
	ticks, process uint64
	size           uint32 // of the part of the payload that is kept
	kind           rowKind
	code, verbose  bool // as in handler
}

// other is an event that is not about a range of code.
type other struct {
	take  func(t *Table, e *codec.Event, p *payload) bool
	event *codec.Event
}

// Add adds an event if it is one that names addresses, and reports whether it is. It keeps no
// part of e.
func (b *Batch) Add(e *codec.Event) bool {
	m := e.Metadata()
	if m == nil {
		return false
	}
	h := b.kinds.of(m)
	if !h.names() || h.lines && !b.Lines {
		return false
	}
	one := batched{ticks: e.Timestamp, kind: h.kind, code: h.code, verbose: h.verbose}
	if h.code {
		kept := b.needed(h, e.Payload())
		one.process, one.size = Process(e), uint32(len(kept))
		copy(b.payloads.take(len(kept), b.Memory.ofPayloads()), kept)
	} else {
		b.others = append(b.others, other{h.take, e.Clone()})
	}
	b.events.take(1, b.Memory.ofEvents())[0] = one
	return true
}

// needed returns the part of the payload of an event about a range of code that a Table needs: no
// names of a range without bytes, and without Lines nothing after the names.
func (b *Batch) needed(h *handler, payload []byte) []byte {
	if len(payload) > namesAt && !b.Lines && (!h.verbose || binary.LittleEndian.Uint32(payload[sizeAt:]) == 0) {
		return payload[:namesAt]
	}
	return payload
}

// Reset empties the Batch, and gives its memory to Memory.
func (b *Batch) Reset() {
	b.events.reset(b.Memory.ofEvents())
	b.payloads.reset(b.Memory.ofPayloads())
	clear(b.others)
	b.others = b.others[:0]
	b.nextEvent, b.nextPayload, b.nextOther = cursor{}, cursor{}, 0
}

// AddNext is Add for the next event of a Batch, which must have one.
func (t *Table) AddNext(b *Batch) {
	one := b.events.next(&b.nextEvent, 1)[0]
	if !one.code {
		o := &b.others[b.nextOther]
		b.nextOther++
		if !t.full() {
			t.count(o.take(t, o.event, &payload{b: o.event.Payload()}))
		}
		return
	}
	kept := b.payloads.next(&b.nextPayload, int(one.size))
	if !t.full() {
		h := handler{code: true, kind: one.kind, verbose: one.verbose}
		c, ok := h.readCode(one.ticks, one.process, &payload{b: kept})
		t.count(ok && t.addCode(&c))
	}
}
