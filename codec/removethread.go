package codec

import (
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// ThreadSequence is a capture thread and the last sequence number that it used,
// or a lower bound of it.
type ThreadSequence struct {
	Thread uint64 // index (v6) or the operating system's thread id
	// Sequence is that number.
	Sequence uint32
}

// readRemoveThreadBlock removes threads from the table. An entry for a thread
// that is not in it makes the block bad.
//
// Spec: "RemoveThread block".
func readRemoveThreadBlock(r *stream, b *raw.Block) {
	c := cursor{b: b.Body}
	for !c.done() {
		at := c.pos
		entry := ThreadSequence{c.varUint64(rule.RMT001), c.varUint32(rule.RMT001)}
		if c.bad == rule.None && !r.threads.has(entry.Thread) {
			id := rule.RMT002
			if _, twice := r.removed[entry.Thread]; twice {
				id = rule.RMT003
			}
			c.fail(id, at)
		}
		r.mayHoldAt(&c, sequenceSize+sparseSize, at)
		r.beforeReplace(&c, at)
		if r.badRow(b, &c) {
			return
		}
		r.block.Removed = append(r.block.Removed, entry)
		r.gaps.bound(r, entry, Lost{})
		if !r.beforeChunk() {
			r.gaps.forget(entry.Thread)
		}
		cost := r.threads.get(entry.Thread).cost()
		r.threadsHeld -= cost
		r.outdated += threadSize + cost
		r.threads.remove(entry.Thread)
		r.noteRemoved(entry.Thread)
		r.block.Rows++
	}
}

// maxRemoved bounds the indexes of removed threads that are kept.
const maxRemoved = 1 << 16

// noteRemoved keeps the index of a thread that was removed, so that its second
// removal breaks RMT-003, and the removal of an unknown thread RMT-002.
func (r *stream) noteRemoved(index uint64) {
	if r.removed == nil {
		r.removed = map[uint64]struct{}{}
	}
	if len(r.removed) < maxRemoved {
		r.removed[index] = struct{}{}
	}
}

// forgetRemoved forgets the indexes for a new stream. A small map is kept, so that a
// stream like the one before allocates nothing.
func (r *stream) forgetRemoved() {
	const small = 4096
	if len(r.removed) > small {
		r.removed = nil
	}
	clear(r.removed)
}
