package codec

import "github.com/nettrace-go/nettrace/codec/rule"

// Memory of one of each, for Limits.Total, including its share of tables and of
// the old copies of slices that remain as they grow.
const (
	metadataSize = 512 // a row of metadata without its cost
	threadSize   = 160 // a thread without its cost
	labelSize    = 80
	addressSize  = 8
	spanSize     = 8  // a stack or a label list in the dense part of its table
	sparseSize   = 64 // in the sparse part
	stateSize    = 64 // state of a capture thread's sequence numbers
	sequenceSize = 16 // an entry of a sequence point or a RemoveThread block
	blockRowSize = 192
	propertySize = 96

	sourceSize   = 256 // a block with waiting events, without its bytes
	pendingSize  = 128 // an event that waits, and its keys while they are sorted
	heldSize     = 256 // in addition, an event that holds its table rows
	noticeSize   = 112
	activitySize = 32
)

// maxUnchecked is the number of bytes in small pieces that may be used before the
// limit is checked again.
const maxUnchecked = 64 << 10

// held estimates the bytes that tables and buffers hold.
func (r *stream) held() int64 {
	b := &r.block
	return r.raw.Buffered() +
		int64(r.metadata.count)*metadataSize + int64(cap(r.metadata.dense))*spanSize + r.metadataHeld + r.metadataCache.bytes + r.plans.held() +
		int64(r.threads.count)*threadSize + int64(cap(r.threads.dense))*spanSize + int64(len(r.removed))*sparseSize + r.threadsHeld + r.threadCache.bytes +
		r.stacks.held() + r.labels.held() + r.names.held() + r.owner.waiting() + r.traceHeld + r.outdated +
		int64(cap(r.gaps.last))*stateSize +
		int64(cap(b.Metadata))*blockRowSize +
		int64(cap(b.Threads))*spanSize +
		int64(cap(b.Removed)+cap(b.SequencePoint.Threads))*sequenceSize +
		int64(cap(r.inline))*addressSize + int64(cap(r.encoded))
}

// mayHold reports whether more bytes may be used, which are not yet counted.
// Small pieces of one block may together exceed the limit by maxUnchecked. If they may not, the
// iteration ends after the decoded events.
func (r *stream) mayHold(more int64) bool {
	r.unchecked += more
	return r.unchecked < maxUnchecked || r.ask(more)
}

func (r *stream) ask(more int64) bool {
	r.unchecked = 0
	return r.withinTotal(more)
}

// mayHoldAt is mayHold for memory that the cursor needs. Without memory it fails at
// pos.
func (r *stream) mayHoldAt(c *cursor, more int64, pos int) bool {
	if c.bad == rule.None && !r.mayHold(more) {
		c.fail(rule.LIM009, pos)
	}
	return c.bad == rule.None
}

// beforeReplace lets the owner keep the rows that its events refer to, because a
// row of a table is about to be replaced or removed. Without memory for that the
// cursor fails at pos, and the table stays unchanged.
func (r *stream) beforeReplace(c *cursor, pos int) bool {
	if bytes, wait := r.owner.freezing(); wait && r.mayHoldAt(c, bytes, pos) {
		r.owner.freeze()
	}
	return c.bad == rule.None
}

// withinTotal is mayHold for large pieces.
func (r *stream) withinTotal(more int64) bool {
	limit := r.over(more)
	if limit != nil && r.fatal == nil {
		r.fatal = r.blockError(rule.LIM009, limit)
	}
	return limit == nil
}

// budget is the stream as the memory budget of the framing.
type budget stream

// Over says why the buffer may not take more bytes, nil when it may.
func (r *budget) Over(more int64) error {
	if limit := (*stream)(r).over(more); limit != nil {
		return limit
	}
	return nil
}

// over returns the error when more bytes may not be used, otherwise nil. A
// quarter of the used memory is added, for memory that the collector has not
// freed yet.
func (r *stream) over(more int64) *LimitError {
	total := withGarbage(r.held() + more)
	if total > r.limits.Total {
		r.trim()
		total = withGarbage(r.held() + more)
	}
	if total <= r.limits.Total {
		return nil
	}
	return &LimitError{Name: "Total", Size: total, Limit: r.limits.Total}
}

func withGarbage(held int64) int64 { return held / 4 * 5 }

// trim releases memory that is kept for reuse only.
func (r *stream) trim() {
	r.owner.trimWaiting()
	r.stacks.trim()
	r.labels.trim()
	r.gaps.trim()
	r.block.trim()
	r.names.restart()
	r.names.scratch = nil
	if r.labels.arena == nil {
		r.names.spent = 0
	}
	r.metadataCache, r.threadCache = rowCache[Metadata]{}, rowCache[Thread]{}
	r.encoded, r.inline = nil, nil
}

// leaveBlock is called when the block before is not shown any more: it removes
// the rows of its events and, when no waiting event holds them, the rows that
// were removed from the tables. Anything that it keeps also keeps the memory it
// points into, such as a replaced buffer.
func (r *stream) leaveBlock() {
	r.forgetView()
	r.source.body, r.source.metadata = nil, idTable[*Metadata]{}
	if !r.block.truncated { // after which nothing is read
		r.block.forget()
	}
	if !r.owner.holds() {
		r.outdated = 0
	}
}

// forgetView removes the event whose fields were read last.
func (r *stream) forgetView() { r.view, r.viewed = fieldsView{stream: r}, -1 }
