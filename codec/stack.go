package codec

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// stackTable has the stacks since the last sequence point: addresses in chunks,
// which never move, and their positions by stack id. Addresses in a file are not
// aligned, so they are copied once; events return parts of the chunks.
//
// Invariants: chunks[0] is none; chunk is chunks[filling], filled up to its
// length; chunks after it are empty; no stack with addresses begins at or after
// chunkSize.
type stackTable struct {
	spans    idTable[stackSpan]
	chunks   [][]uint64
	chunk    []uint64 // the chunk for the next stack, if it fits
	filling  int      // its number, 0 without one
	count    int64    // of addresses since the last sequence point
	capacity int64    // capacity of all chunks in addresses
}

// The minimum capacity of the first chunk in addresses, and the maximum one of
// the others, except those for a longer stack.
const (
	firstChunk = 1 << 8
	chunkSize  = 1 << chunkBits
	chunkBits  = 16
	maxChunks  = 1 << (32 - chunkBits)
)

// stackSpan is one stack, or one label list: number of its chunk and place in the
// chunk, or place in the arena, plus one, so that the zero span is none.
type stackSpan struct{ start, count uint32 }

// get returns the addresses of a stack, leaf first, nil when the id is unknown.
func (t *stackTable) get(id uint32) []uint64 {
	span := t.spans.get(uint64(id))
	if span.count == 0 {
		return nil
	}
	chunk := t.chunks[span.start>>chunkBits]
	end := span.start%chunkSize + span.count
	return chunk[end-span.count : end : end]
}

// clear forgets all stacks. Slices handed out stay intact only until the chunks
// are filled anew.
func (t *stackTable) clear() {
	t.spans.clear()
	t.chunk, t.filling, t.count = nil, 0, 0
}

// trim lets go of the chunks that are empty.
func (t *stackTable) trim() {
	used := min(t.filling+1, len(t.chunks))
	for _, chunk := range t.chunks[used:] {
		t.capacity -= int64(cap(chunk))
	}
	clear(t.chunks[used:])
	t.chunks = t.chunks[:used]
	t.spans.trim()
}

func (t *stackTable) held() int64 { return t.capacity*addressSize + t.spans.held() }

// nextChunk makes the next chunk, with space for n addresses at least, the
// current one, if the limits allow it.
func (r *stream) nextChunk(n int, c *cursor, at int) bool {
	t := &r.stacks
	if t.chunks == nil {
		t.chunks = make([][]uint64, 1)
	}
	if t.filling++; t.filling == len(t.chunks) {
		t.chunks = append(t.chunks, nil)
	}
	if spare := cap(t.chunks[t.filling]); spare < max(n, 1) {
		size := max(n, min(chunkSize, firstChunk<<min(t.filling-1, chunkBits)))
		if !r.mayHoldAt(c, int64(size)*addressSize, at) {
			t.filling--
			return false
		}
		t.chunks[t.filling] = make([]uint64, 0, size)
		t.capacity += int64(size - spare)
	}
	chunk := t.chunks[t.filling]
	t.chunk = chunk[:0:min(cap(chunk), max(n, chunkSize))]
	return true
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

// sameAddresses reports whether b has the addresses of stack, as appendAddresses
// reads them.
func sameAddresses(stack []uint64, b []byte, size int) bool {
	if len(b)/size != len(stack) {
		return false
	}
	for i, address := range stack {
		at := b[i*size:]
		if size == 4 && address != uint64(binary.LittleEndian.Uint32(at)) || size == 8 && address != binary.LittleEndian.Uint64(at) {
			return false
		}
	}
	return true
}

// readStackBlock reads the stacks of a block.
//
// Spec: "Stack block", "StackBlock Object".
func readStackBlock(r *stream, b *raw.Block) {
	c := cursor{b: b.Body}
	first := c.uint32(rule.STK001)
	count := c.uint32(rule.STK001)
	r.block.FirstID = first
	if c.bad == rule.None && count > 0 && uint64(first)+uint64(count)-1 > 1<<32-1 {
		c.fail(rule.STK006, 0)
	}
	r.mayHoldAt(&c, r.stacks.spans.more(min(int64(count), int64(len(c.b)/4))), 4)
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
	c.slack(rule.STK001)
	r.badRow(b, &c)
}

// defineStack adds the stack whose bytes end at the cursor. The same stack under
// the same id again is no defect.
func (r *stream) defineStack(c *cursor, b *raw.Block, id uint32, start int) {
	t := &r.stacks
	at := start - 4
	if r.opt.NoStacks {
		t.spans.set(uint64(id), stackSpan{start: 1})
		return
	}
	count := (c.pos - start) >> (2 + r.trace.PointerSize>>3) // 4 or 8 bytes each
	size := (t.count + int64(count)) * addressSize
	if size > r.limits.Stacks || t.filling == maxChunks-1 {
		c.limit = &LimitError{Name: "Stacks", Size: size, Limit: r.limits.Stacks}
		c.fail(rule.LIM006, at)
		return
	}
	known := t.spans.get(uint64(id)) != stackSpan{}
	if known && sameAddresses(t.get(id), c.b[start:c.pos], r.trace.PointerSize) {
		return
	}
	if known || id == 0 { // waiting events may have 0, which is no stack until it is defined
		if !r.beforeReplace(c, at) {
			return
		}
	}
	if count > cap(t.chunk)-len(t.chunk) && !r.nextChunk(count, c, at) {
		return
	}
	if known {
		r.defect(rule.STK005, b.BodyOffset+int64(at))
	}
	from := len(t.chunk)
	t.chunk = appendAddresses(t.chunk, c.b[start:c.pos], r.trace.PointerSize)
	t.count += int64(count)
	t.spans.set(uint64(id), stackSpan{uint32(max(1, t.filling<<chunkBits+from)), uint32(count)})
}
