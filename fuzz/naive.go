package fuzz

import (
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// This file decodes event rows once more, for the sake of comparison. It is
// written from the text of the format, one byte at a time, and shares nothing
// with the loops of package codec but the names of flags and rules.

// row holds what the text says of one event row.
type row struct {
	start         int    // position of the row in the body
	flags         byte   // of a compressed row
	metadata      uint32 // id
	sequence      uint32
	captureThread uint64
	processor     uint32
	thread        uint64
	stack         uint32
	time          uint64
	activity      [16]byte // v4
	related       [16]byte // v4
	labels        uint32   // v6
	sorted        bool
	size          uint32
	payload       []byte
	end           int
	numbered      bool // it says its sequence number, or one follows from the row before
}

// fault says where a row breaks its layout.
type fault struct {
	rule rule.ID
	pos  int // of the field in the body
}

// tape is a body from which bytes are taken one by one.
type tape struct {
	all   []byte
	pos   int
	fault *fault
}

// take returns the next byte. start is where the field begins.
func (t *tape) take(start int) byte {
	if t.fault != nil {
		return 0
	}
	if t.pos == len(t.all) {
		t.fault = &fault{rule.CMP001, start}
		return 0
	}
	t.pos++
	return t.all[t.pos-1]
}

// number takes a variable-length number of at most bits bits: seven bits a
// byte, the lowest first, the eighth bit says that more come.
func (t *tape) number(bits int, tooLarge rule.ID) uint64 {
	start := t.pos
	var value uint64
	for shift := 0; ; shift += 7 {
		if shift >= bits && t.fault == nil { // no room for another seven
			t.fault = &fault{tooLarge, start}
		}
		c := t.take(start)
		if t.fault != nil {
			return 0
		}
		more, part := c >= 128, uint64(c%128)
		if !more && shift+7 > bits && part>>(bits-shift) != 0 {
			t.fault = &fault{tooLarge, start}
			return 0
		}
		value += part << shift
		if !more {
			return value
		}
	}
}

func (t *tape) number32() uint32 { return uint32(t.number(32, rule.CMP002)) }
func (t *tape) number64() uint64 { return t.number(64, rule.CMP003) }

func (t *tape) guid() (g [16]byte) {
	start := t.pos
	for i := range g {
		g[i] = t.take(start)
	}
	return g
}

// compressedRows decodes the rows of a block body from pos on, to the end or to
// the first fault. v4 and v6 differ in what bits 16 and 32 mean, and in that
// metadata rows of v4, those with id 0, do not count in the sequence.
func compressedRows(body []byte, pos int, v6 bool) ([]row, *fault) {
	t := &tape{all: body, pos: pos}
	var rows []row
	var last row // all zero before the first
	for t.pos < len(body) {
		next := compressedRow(t, last, v6)
		if t.fault != nil {
			return rows, t.fault
		}
		rows = append(rows, next)
		last = next
	}
	return rows, nil
}

func compressedRow(t *tape, last row, v6 bool) row {
	r := last
	r.start = t.pos
	r.flags = t.take(t.pos)
	has := func(flag byte) bool { return r.flags&flag == flag }
	if has(1) {
		r.metadata = t.number32()
	}
	if has(2) {
		r.sequence = last.sequence + t.number32() + 1
		r.captureThread = t.number64()
		r.processor = t.number32()
	} else if v6 || r.metadata != 0 {
		r.sequence = last.sequence + 1
	}
	r.numbered = has(2) || r.metadata != 0 || v6
	if has(4) {
		r.thread = t.number64()
	}
	if has(8) {
		r.stack = t.number32()
	}
	r.time = last.time + t.number64()
	switch {
	case v6 && has(16):
		r.labels = t.number32()
	case !v6:
		if has(16) {
			r.activity = t.guid()
		}
		if has(32) {
			r.related = t.guid()
		}
	}
	r.sorted = has(64)
	if has(128) {
		r.size = t.number32()
	}
	r.takePayload(t)
	return r
}

// takePayload takes as many bytes as the row says.
func (r *row) takePayload(t *tape) {
	start := t.pos
	r.payload = nil
	for range r.size {
		if t.fault == nil && t.pos == len(t.all) {
			t.fault = &fault{rule.CMP006, start}
		}
		if t.fault != nil {
			return
		}
		r.payload = append(r.payload, t.take(start))
	}
	r.end = t.pos
}

// plainRow reads the uncompressed row of v4 or v6 that starts at pos, whatever
// stands behind it. ok is false when the body does not hold it.
func plainRow(body []byte, pos int, v6 bool) (r row, ok bool) {
	t := &tape{all: body, pos: pos}
	eventSize := t.fixed(4)
	r = row{start: pos, numbered: true}
	metadata := t.fixed(4)
	r.metadata, r.sorted = uint32(metadata%(1<<31)), metadata < 1<<31
	if r.sorted {
		r.flags = 64
	}
	r.sequence = uint32(t.fixed(4))
	r.thread, r.captureThread = t.fixed(8), t.fixed(8)
	r.processor, r.stack = uint32(t.fixed(4)), uint32(t.fixed(4))
	r.time = t.fixed(8)
	if v6 {
		r.labels = uint32(t.fixed(4))
	} else {
		r.activity, r.related = t.guid(), t.guid()
	}
	r.size = uint32(t.fixed(4))
	r.takePayload(t)
	r.end = pos + 4 + int(eventSize)
	return r, t.fault == nil && t.pos <= r.end && r.end <= len(body)
}

// netperfRow reads the row of v3 that starts at pos.
func netperfRow(body []byte, pos, pointer int) (r row, stack []uint64, ok bool) {
	t := &tape{all: body, pos: pos}
	eventSize := t.fixed(4)
	r = row{start: pos, metadata: uint32(t.fixed(4)), thread: t.fixed(4), time: t.fixed(8), processor: wire.UnknownProcessor}
	r.captureThread = r.thread
	r.activity, r.related = t.guid(), t.guid()
	r.size = uint32(t.fixed(4))
	r.takePayload(t)
	for left := int(t.fixed(4)); left >= pointer && t.fault == nil; left -= pointer {
		stack = append(stack, t.fixed(pointer))
	}
	r.end = pos + 4 + int(eventSize)
	return r, stack, t.fault == nil && t.pos <= r.end && r.end <= len(body)
}

// fixed takes a little-endian number of size bytes; 0 when they are not there.
func (t *tape) fixed(size int) (v uint64) {
	start := t.pos
	for i := range size {
		v += uint64(t.take(start)) << (8 * i)
	}
	if t.fault != nil {
		return 0
	}
	return v
}
