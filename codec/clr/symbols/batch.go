package symbols

import "github.com/nettrace-go/nettrace/codec"

// Batch has events that name addresses, for a Table that another goroutine fills. It is for
// one goroutine at a time. The zero value is empty.
type Batch struct {
	kinds  kinds
	events []batched
	names  []byte // of all events
	next   int    // of events, for Table.AddNext
}

// batched is an event of a Batch.
type batched struct {
	ok    bool // the payload of code was read
	code  code // without names, which are those from the names of the event before
	names int  // position after them
	take  func(t *Table, e *codec.Event, p *payload) bool
	event *codec.Event // for take
}

// Add adds an event if it is one that names addresses, and reports whether it is. It keeps no
// part of e.
func (b *Batch) Add(e *codec.Event) bool {
	m := e.Metadata()
	if m == nil {
		return false
	}
	h := b.kinds.of(m)
	if !h.names() {
		return false
	}
	b.events = append(b.events, batched{})
	one := &b.events[len(b.events)-1]
	if h.code {
		one.code, one.ok = h.readCode(e, &payload{b: e.Payload()})
		if one.code.verbose && one.code.size > 0 {
			b.names = append(b.names, one.code.names...)
		}
		one.code.names = nil
	} else {
		one.take, one.event = h.take, e.Clone()
	}
	one.names = len(b.names)
	return true
}

// Reset empties the Batch, and keeps its memory.
func (b *Batch) Reset() {
	clear(b.events)
	b.events, b.names, b.next = b.events[:0], b.names[:0], 0
}

// AddNext is Add for the next event of a Batch, which must have one.
func (t *Table) AddNext(b *Batch) {
	one, from := &b.events[b.next], 0
	if b.next > 0 {
		from = b.events[b.next-1].names
	}
	b.next++
	switch {
	case t.full():
	case one.take != nil:
		t.count(one.take(t, one.event, &payload{b: one.event.Payload()}))
	default:
		one.code.names = b.names[from:one.names]
		t.count(one.ok && t.addCode(&one.code))
	}
}
