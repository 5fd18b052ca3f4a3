package codec

import "github.com/nettrace-go/nettrace/codec/rule"

// What one of each holds, for Limits.Total, its share of tables and of what
// slices leave behind as they grow included.
const (
	metadataSize = 512 // a row of metadata beside its cost
	threadSize   = 160 // a thread beside its cost
	labelSize    = 80
	addressSize  = 8
	spanSize     = 8  // a stack or a label list in the dense part of its table
	sparseSize   = 64 // in the sparse part
	stateSize    = 64 // what is known of a capture thread's sequence numbers
	sequenceSize = 16 // an entry of a sequence point or a RemoveThread block
	blockRowSize = 192
	propertySize = 96

	sourceSize   = 256 // a block whose events wait, beside its bytes
	pendingSize  = 128 // an event that waits, and its keys while they are sorted
	heldSize     = 256 // beside that, one that holds what it refers to
	toldSize     = 112
	activitySize = 32
)

// unaskedMost is how much may be taken in small pieces before the limit is
// looked at again.
const unaskedMost = 64 << 10

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

// mayHold says whether more bytes may be held, which are not yet counted. Small
// pieces may together exceed the limit by unaskedMost. If they may not, the
// iteration ends with what is decoded.
func (r *stream) mayHold(more int64) bool {
	r.unasked += more
	return r.unasked < unaskedMost || r.ask(more)
}

func (r *stream) ask(more int64) bool {
	r.unasked = 0
	return r.hasRoom(more)
}

// roomFor is mayHold for what the cursor reads. Without room it fails at pos.
func (r *stream) roomFor(c *cursor, more int64, pos int) bool {
	if c.bad == rule.None && !r.mayHold(more) {
		c.fail(rule.LIM009, pos)
	}
	return c.bad == rule.None
}

// beforeReplace lets the owner keep what its events refer to, because a row of a
// table is about to be replaced or removed. Without room for that the cursor fails
// at pos, and the table stays as it is.
func (r *stream) beforeReplace(c *cursor, pos int) bool {
	if bytes, wait := r.owner.freezing(); wait && r.roomFor(c, bytes, pos) {
		r.owner.freeze()
	}
	return c.bad == rule.None
}

// hasRoom is mayHold for what is not small.
func (r *stream) hasRoom(more int64) bool {
	limit := r.over(more)
	if limit != nil && r.fatal == nil {
		r.fatal = r.blockError(rule.LIM009, limit)
	}
	return limit == nil
}

// room is the stream as the framing asks it for room.
type room stream

// Over says why the buffer may not take more bytes, nil when it may.
func (r *room) Over(more int64) error {
	if limit := (*stream)(r).over(more); limit != nil {
		return limit
	}
	return nil
}

// over says why more bytes may not be held, nil when they may. A quarter of what is
// held counts on top, for what was held and the collector has not found yet.
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

// trim lets go of memory that is kept for later use only.
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

// leaveBlock is for when nothing of the block before is shown any more: it forgets
// what its events and its rows refer to, and, when no event waits that holds what it
// refers to, the rows that have left the tables. Whatever is not forgotten here keeps
// the memory it points into, such as a buffer that is replaced.
func (r *stream) leaveBlock() {
	r.forgetView()
	r.source.body, r.source.metadata = nil, idTable[*Metadata]{}
	if !r.block.truncated { // behind which nothing is read
		r.block.forget()
	}
	if !r.owner.holds() {
		r.outdated = 0
	}
}

// forgetView forgets the event whose fields were asked for last.
func (r *stream) forgetView() { r.view, r.viewed = fieldsView{room: r}, -1 }
