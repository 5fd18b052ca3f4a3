package codec

import (
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// ThreadSequence is a thread and the last sequence number it used, or a lower
// bound of it.
type ThreadSequence struct {
	Thread   uint64 // index (v6) or id of the operating system
	Sequence uint32
}

// readRemoveThreadBlock takes threads out of the table. An entry for a thread
// that is not in it makes the block bad.
//
// Spec: "RemoveThread block".
func readRemoveThreadBlock(r *Reader, b *raw.Block) {
	c := cursor{b: b.Body}
	for !c.done() {
		at := c.pos
		entry := ThreadSequence{c.varUint64(rule.RMT001), c.varUint32(rule.RMT001)}
		if c.bad == rule.None && !r.threads.has(entry.Thread) {
			c.fail(rule.RMT002, at)
		}
		r.roomFor(&c, sequenceSize, at)
		r.freeze(&c, at)
		if r.badRow(b, &c) {
			return
		}
		r.block.Removed = append(r.block.Removed, entry)
		r.gaps.bound(r, entry, Lost{})
		r.gaps.forget(entry.Thread)
		cost := r.threads.get(entry.Thread).cost()
		r.threadsHeld -= cost
		r.outdated += threadSize + cost
		r.threads.remove(entry.Thread)
		r.block.Rows++
	}
}
