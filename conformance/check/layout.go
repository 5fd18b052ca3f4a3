package check

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// layout is where the fields of a compressed row stand; those that it does not
// write stand nowhere, which is -1.
type layout struct {
	flags                                                 byte
	row, metadata, sequence, capture, processor, thread   int
	stack, time, activity, related, labels, size, payload int
	metadataID                                            uint32
	ticks                                                 uint64 // since the row before
	payloadSize                                           int
	overlong                                              int // a number with superfluous zeros, -1
	bad                                                   rule.ID
	badPos                                                int
}

// layout reads the header of a compressed row with care. The payload is of
// prevSize bytes when the row does not say.
//
// Spec: "Header compression".
func (c *checker) layout(b []byte, pos int, prevSize uint32) layout {
	l := layout{row: pos, metadata: -1, sequence: -1, capture: -1, processor: -1, thread: -1, stack: -1, activity: -1,
		related: -1, labels: -1, size: -1, overlong: -1, badPos: pos}
	if pos >= len(b) {
		l.bad = rule.EVB006
		return l
	}
	l.flags = b[pos]
	w := varWalk{b: b, pos: pos + 1, l: &l}
	if l.flags&wire.RowMetadataID != 0 {
		l.metadata = w.pos
		l.metadataID = uint32(w.number(32))
	}
	if l.flags&wire.RowSequence != 0 {
		l.sequence = w.pos
		w.number(32)
		l.capture = w.pos
		w.number(64)
		l.processor = w.pos
		w.number(32)
	}
	if l.flags&wire.RowThread != 0 {
		l.thread = w.pos
		w.number(64)
	}
	if l.flags&wire.RowStackID != 0 {
		l.stack = w.pos
		w.number(32)
	}
	l.time = w.pos
	l.ticks = w.number(64)
	l.references(&w, c.v6)
	size := prevSize
	if l.flags&wire.RowPayloadSize != 0 {
		l.size = w.pos
		size = uint32(w.number(32))
	}
	l.payload, l.payloadSize = w.pos, int(size)
	if l.bad == rule.None && uint64(size) > uint64(len(b)-w.pos) {
		l.bad, l.badPos = rule.CMP006, w.pos
	}
	return l
}

// references reads the label list of a row of v6, or the activity ids of others.
func (l *layout) references(w *varWalk, v6 bool) {
	if l.flags&wire.RowActivity != 0 {
		if v6 {
			l.labels = w.pos
			w.number(32)
		} else {
			l.activity = w.pos
			w.skip(16)
		}
	}
	if l.flags&wire.RowRelated != 0 && !v6 {
		l.related = w.pos
		w.skip(16)
	}
}

// varWalk reads the numbers of a row.
type varWalk struct {
	b   []byte
	pos int
	l   *layout
}

func (w *varWalk) number(bits int) uint64 {
	v, next, tooLarge := uint64(0), 0, rule.CMP003
	if bits == 32 {
		var x uint32
		x, next = wire.VarUint32(w.b, w.pos)
		v, tooLarge = uint64(x), rule.CMP002
	} else {
		v, next = wire.VarUint64(w.b, w.pos)
	}
	if next == wire.TooLarge {
		w.fail(tooLarge)
	}
	if w.l.overlong < 0 && w.l.bad == rule.None && overlong(w.b, w.pos, next) {
		w.l.overlong = w.pos
	}
	w.step(next)
	return v
}

func (w *varWalk) skip(n int) { w.step(wire.Skip(w.b, w.pos, n)) }

func (w *varWalk) fail(id rule.ID) {
	if w.l.bad == rule.None {
		w.l.bad, w.l.badPos = id, w.pos
	}
}

func (w *varWalk) step(next int) {
	if next < 0 {
		w.fail(rule.CMP001)
		w.pos = len(w.b)
		return
	}
	if w.l.bad == rule.None {
		w.pos = next
	}
}

// field is where a field of an event's row stands: pos when the row writes it,
// else the row itself.
func (c *checker) field(e *codec.Event, of func(*layout) int) spot {
	at := c.at(e.Offset(), c.rows-1)
	row := int(e.Offset() - c.b.BodyOffset)
	if c.v3 {
		at.offset += int64(max(of(&layoutV3), 0))
		return at
	}
	if !c.b.Compressed() {
		at.offset += int64(plainField(of, c.v6))
		return at
	}
	l := c.layout(c.b.Body, row, uint32(len(e.Payload())))
	if pos := of(&l); pos >= 0 {
		at.offset = c.b.BodyOffset + int64(pos)
	}
	return at
}
