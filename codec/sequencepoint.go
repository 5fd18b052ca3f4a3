package codec

import (
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// SequencePoint separates two regions: rows after it do not refer to stacks and
// labels before it, and all events before it are older than those after it.
//
// Spec: "SequencePoint block".
type SequencePoint struct {
	Timestamp uint64           // ticks
	Flags     uint32           // v6: wire.SequenceThreads, wire.SequenceMetadata
	Threads   []ThreadSequence // last sequence numbers of the capture threads, as lower bounds
}

// readSequencePointObject reads a sequence point of v4 or v5. It lists every
// running thread.
//
// Spec: "SequencePointBlock Object" of the v4/v5 text.
func readSequencePointObject(r *stream, b *raw.Block) {
	if b.WrongSize { // the content can begin elsewhere: its numbers tell no losses
		r.block.SequencePoint, r.block.Rows = SequencePoint{Threads: r.block.SequencePoint.Threads[:0]}, 0
		r.gaps.point++
		r.clearStacksAndLabels()
		return
	}
	c := cursor{b: b.Body}
	p := SequencePoint{Timestamp: c.uint64(rule.SQP001), Threads: r.block.SequencePoint.Threads[:0]}
	count := c.uint32(rule.SQP001)
	for i := uint32(0); i < count && r.mayList(&c, &p); i++ {
		entry := ThreadSequence{c.uint64(rule.SQP001), c.uint32(rule.SQP001)}
		if c.bad == rule.None {
			p.Threads = append(p.Threads, entry)
		}
	}
	if r.sequencePoint(b, &c, p) && !r.beforeChunk() {
		r.gaps.keepListed()
	}
}

// readSequencePointBlock reads a sequence point of v6.
//
// Spec: "SequencePoint block".
func readSequencePointBlock(r *stream, b *raw.Block) {
	c := cursor{b: b.Body}
	p := SequencePoint{Timestamp: c.uint64(rule.SQP001), Flags: c.uint32(rule.SQP001), Threads: r.block.SequencePoint.Threads[:0]}
	count := c.uint32(rule.SQP001)
	for i := uint32(0); i < count && r.mayList(&c, &p); i++ {
		at := c.pos
		entry := ThreadSequence{c.varUint64(rule.SQP001), c.varUint32(rule.SQP001)}
		if c.bad != rule.None {
			break
		}
		p.Threads = append(p.Threads, entry)
		if !r.threads.has(entry.Thread) {
			r.defectAt(rule.SQP007, b.BodyOffset+int64(at), len(p.Threads)-1)
		}
	}
	r.sequencePoint(b, &c, p)
	if p.Flags&wire.SequenceThreads != 0 {
		r.threads.clear()
		r.removed = nil
		r.threadsHeld = 0
		if !r.beforeChunk() {
			r.gaps.dropAll()
		}
	}
	if p.Flags&wire.SequenceMetadata != 0 {
		r.clearMetadata()
	}
}

// clearMetadata forgets all metadata. No event is shown or waits.
func (r *stream) clearMetadata() {
	r.metadata.clear()
	r.plans.spend()
	r.metadataHeld = 0
}

// clearStacksAndLabels forgets all stacks and labels. No event is shown or
// waits.
func (r *stream) clearStacksAndLabels() {
	r.stacks.clear()
	r.labels.clear()
	r.names.spent = 0
}

// mayList reports whether the point may list one more thread.
func (r *stream) mayList(c *cursor, p *SequencePoint) bool {
	if n := int64(len(p.Threads)); n >= r.limits.Threads && c.bad == rule.None {
		c.limit = &LimitError{Name: "Threads", Size: n + 1, Limit: r.limits.Threads}
		c.fail(rule.LIM007, c.pos)
	}
	return r.mayHoldAt(c, sequenceSize+stateSize, c.pos)
}

// sequencePoint does what the points of all versions do: it counts losses and
// clears the tables. A malformed point is a barrier nevertheless.
func (r *stream) sequencePoint(b *raw.Block, c *cursor, p SequencePoint) bool {
	c.slack(rule.SQP001)
	r.block.SequencePoint, r.block.Rows = p, len(p.Threads)
	r.gaps.point++
	for _, entry := range p.Threads {
		r.gaps.bound(r, entry, Lost{Before: p.Timestamp, HasBefore: true})
	}
	if r.onPoint != nil && !r.beforeChunk() {
		r.onPoint(&r.block.SequencePoint)
	}
	r.clearStacksAndLabels()
	return !r.badRow(b, c)
}
