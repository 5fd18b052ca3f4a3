package codec

import (
	"encoding/binary"
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// stackTable holds the stacks since the last sequence point: addresses in one
// arena, spans by stack id. Addresses in a file are not aligned, so they are
// copied once; events hand out parts of the arena.
type stackTable struct {
	spans idTable[stackSpan]
	arena []uint64
}

// stackSpan is one stack in the arena, its position plus one, so that the zero
// span is no stack.
type stackSpan struct{ start, count uint32 }

// get returns the addresses of a stack, leaf first, nil when the id is unknown.
func (t *stackTable) get(id uint32) []uint64 {
	span := t.spans.get(uint64(id))
	if span.count == 0 {
		return nil
	}
	start := span.start - 1
	return t.arena[start : start+span.count : start+span.count]
}

// clear forgets all stacks. Slices handed out stay intact only until the arena
// is filled anew.
func (t *stackTable) clear() {
	t.spans.clear()
	t.arena = t.arena[:0]
}

// appendAddresses appends the addresses in b, little-endian and of size bytes
// each, to the arena. A rest shorter than an address is dropped.
func appendAddresses(arena []uint64, b []byte, size int) []uint64 {
	if size == 4 {
		for ; len(b) >= 4; b = b[4:] {
			arena = append(arena, uint64(binary.LittleEndian.Uint32(b)))
		}
		return arena
	}
	for ; len(b) >= 8; b = b[8:] {
		arena = append(arena, binary.LittleEndian.Uint64(b))
	}
	return arena
}

// readStackBlock reads the stacks of a block.
//
// Spec: "Stack block", "StackBlock Object".
func readStackBlock(r *Reader, b *raw.Block) {
	c := cursor{b: b.Body}
	first := c.uint32(rule.STK001)
	count := c.uint32(rule.STK001)
	r.block.FirstID = first
	if c.bad == rule.None && count > 0 && uint64(first)+uint64(count)-1 > 1<<32-1 {
		c.fail(rule.STK006, 0)
	}
	for uint32(r.block.Rows) < count && c.bad == rule.None {
		at := c.pos
		size := c.uint32(rule.STK001)
		start := c.pos
		if !c.step(wire.Skip(c.b, c.pos, int(int32(size))), rule.STK002) {
			break
		}
		if int(size)%r.trace.PointerSize != 0 {
			r.defect(rule.STK003, b.BodyOffset+int64(at))
		}
		r.defineStack(&c, b, first+uint32(r.block.Rows), start)
		if c.bad == rule.None {
			r.block.Rows++
		}
	}
	if c.bad == rule.None && c.pos < len(c.b) {
		c.fail(rule.STK001, c.pos)
	}
	r.badRow(b, &c)
}

// defineStack adds the stack whose bytes end at the cursor. The same stack
// under the same id again is silent.
func (r *Reader) defineStack(c *cursor, b *raw.Block, id uint32, start int) {
	t := &r.stacks
	if r.opt.NoStacks {
		t.spans.set(uint64(id), stackSpan{start: 1})
		return
	}
	from := len(t.arena)
	t.arena = appendAddresses(t.arena, c.b[start:c.pos], r.trace.PointerSize)
	if size := int64(len(t.arena)) * 8; size > r.limits.Stacks {
		t.arena = t.arena[:from]
		c.limit = &LimitError{What: "Stacks", Size: size, Limit: r.limits.Stacks}
		c.fail(rule.LIM006, start-4)
		return
	}
	known := t.spans.get(uint64(id)) != stackSpan{}
	switch {
	case known && slices.Equal(t.get(id), t.arena[from:]):
		t.arena = t.arena[:from]
		return
	case known, id == 0: // events that wait may say 0, which is no stack until it is defined
		r.region.freeze()
	}
	if known {
		r.defect(rule.STK005, b.BodyOffset+int64(start)-4)
	}
	t.spans.set(uint64(id), stackSpan{uint32(from) + 1, uint32(len(t.arena) - from)})
}
