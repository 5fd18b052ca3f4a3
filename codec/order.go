package codec

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Order is the order in which a Reader delivers events. The zero value is
// FileOrder.
type Order uint8

// The orders of events.
const (
	// FileOrder is the order of the rows in the stream.
	FileOrder Order = iota
	// ByTime is the order of timestamps, as unsigned numbers; events with equal
	// ones are in the order of their capture threads (id of the operating
	// system in v4 and v5, index in v6), then in file order. Events are not
	// moved across a sequence point, which separates older from newer events.
	// v3 has no sequence points and is in file order.
	ByTime
)

// refillByTime makes next < ready with events in order of time.
func (r *Reader) refillByTime() bool {
	g := &r.region
	for {
		switch {
		case r.next < r.ready:
			return true
		case r.err != nil:
			return false
		case len(g.regionNotice) > g.kept && len(g.out) > 0:
			r.reportRegion()
		case g.taken < len(g.out):
			r.handOut()
		case g.ends != nil:
			err := r.countLast(*g.ends)
			r.dropWaiting()
			return r.stop(err)
		case g.bytes > r.limits.Reorder && len(g.pending) > 0:
			r.releaseHalf()
		case r.inRows && r.fatal == nil:
			r.collect()
		default:
			r.advanceRegion()
		}
	}
}

// advanceRegion reads the next block. A block that ends the region waits until
// the region is delivered; so does an error.
func (r *Reader) advanceRegion() {
	g := &r.region
	if r.fatal != nil {
		g.stashed = nil
		if !r.release(0, true) {
			r.reportRegion()
			r.stop(r.fatal)
		}
		return
	}
	if r.takeStashed() {
		return
	}
	r.leaveWaiting()
	b, err := r.raw.Next()
	switch {
	case err != nil:
		r.fatal = r.framingError(err)
	case b.Kind == wire.KindSequencePoint || b.Kind == wire.KindEndOfStream:
		g.stashed = b
		if !r.release(0, true) {
			r.reportRegion()
		}
	default:
		r.takeBlock(b)
	}
}

// takeStashed handles the block that ended a region, after the region was
// delivered.
func (r *Reader) takeStashed() bool {
	g := &r.region
	b := g.stashed
	if b == nil {
		return false
	}
	g.stashed = nil
	r.leaveWaiting()
	g.sorted, g.released = 0, 0
	r.takeBlock(b)
	return true
}

// dropWaiting drops the events that wait, because a strict reading ends.
func (r *Reader) dropWaiting() {
	g := &r.region
	g.drop()
	clear(g.regionNotice)
	g.regionNotice, g.kept, g.ends, g.stashed = g.regionNotice[:0], 0, nil, nil
	if r.loop != noLoop {
		r.loop = 0
	}
}

// collect decodes a batch of the current block into the region.
func (r *Reader) collect() {
	g := &r.region
	r.recycle()
	if g.open == nil {
		// Twice the size, because bodies that went out may not be collected yet.
		if size := sourceSize + int64(len(r.body.Body)); !r.mayWait(2*size, size) {
			return
		}
		g.open = g.newSource(&r.stream)
		g.sources = append(g.sources, g.open)
		g.bytes += g.open.waiting()
	}
	if g.rows == nil {
		g.rows = r.newBatch()
	}
	if more := g.growth(min(len(g.rows), len(r.body.Body)-r.rows.pos)); more > 0 && !r.mayWait(more, more) {
		return
	}
	r.decodeBatch(g.rows)
	r.keep(g.open, g.rows[:r.decoded])
	r.next, r.ready, r.decoded = 0, 0, 0
	if r.inRows {
		return
	}
	g.closeSource()
	if g.sorted > g.released {
		r.release(g.sorted, false)
	}
}

// leaveWaiting is leaveBlock for a block whose events wait.
func (r *Reader) leaveWaiting() {
	r.region.closeSource()
	r.recycle()
	r.leaveBlock()
}

// recycle reuses the rows of the Reader's batch, after the batch was delivered.
func (r *Reader) recycle() {
	g := &r.region
	for i := range r.batch[:g.shown] {
		r.batch[i].src = &r.source
	}
	g.shown = 0
	r.forgetView()
	for _, h := range g.loose {
		*h = held{}
	}
	g.holds = append(g.holds, g.loose...)
	clear(g.loose)
	g.loose = g.loose[:0]
	for _, src := range g.going {
		src.metadata = idTable[*Metadata]{}
	}
	g.spent = append(g.spent, g.going...)
	clear(g.going)
	g.going = g.going[:0]
}

// mayWait reports whether there is the wanted memory for waiting events. If not,
// waiting events are delivered, the older half first; when none is left, the
// reading ends if not even the needed memory is free.
func (r *Reader) mayWait(wanted, needed int64) bool {
	if r.over(wanted) == nil {
		return true
	}
	if len(r.region.pending) > 0 {
		r.releaseHalf()
		return false
	}
	return r.withinTotal(needed)
}

// keep puts the events of a batch into the region.
func (r *Reader) keep(src *source, batch []Event) {
	g := &r.region
	pairs := uint32(len(src.activities))
	g.bodies -= src.size()
	src.activities = append(src.activities, r.source.activities...)
	g.bodies += src.size()
	from := len(g.pending)
	g.pending = append(g.pending, batch...)
	for i := range g.pending[from:] {
		e := &g.pending[from+i]
		e.src = src
		if e.labels > 0 && !r.dialect.indexed {
			e.labels += pairs
		}
		if e.Sorted() && e.Timestamp > g.sorted {
			g.sorted = e.Timestamp
		}
	}
	src.events += len(batch)
	g.bytes += int64(len(batch)) * eventCost
	missing := false
	for _, n := range r.notices {
		e := &batch[n.row]
		note := regionNotice{rule: n.rule, at: src.offset + int64(e.row()), row: r.first + n.row, block: src.block}
		if n.edge {
			edge := r.edgeOf(e, note.defect())
			note.edge = &edge
		}
		if n.lost > 0 {
			thread := r.threads.get(e.CaptureThreadIndex)
			note.lost = Lost{CaptureThread: e.CaptureThreadIndex, Thread: thread, Count: n.lost, Before: e.Timestamp, HasBefore: true}
		}
		missing = missing || n.lost == 0 && !n.edge && n.rule != rule.EVB008
		g.regionNotice = append(g.regionNotice, note)
	}
	r.notices = r.notices[:0]
	if missing && r.withinTotal(g.freezing()) { // a row that an event refers to may be defined later, too late for it
		g.freeze()
	}
}

// waiting is the memory of the waiting events, and the memory for more of them.
func (r *Reader) waiting() int64 { return r.region.held() }

// holds reports whether waiting events hold their table rows.
func (r *Reader) holds() bool { return r.region.frozen > 0 }

// trimWaiting releases memory without waiting events.
func (r *Reader) trimWaiting() { r.region.trim() }

// freezing reports whether events wait that do not hold their table rows.
func (r *Reader) freezing() (bytes int64, wait bool) {
	g := &r.region
	return g.freezing(), g.frozen < len(g.pending)
}

// freeze makes the waiting events hold their table rows.
func (r *Reader) freeze() { r.region.freeze() }

// reportRegion reports the notices of the region. In strict mode a defect waits
// until its event is next.
func (r *Reader) reportRegion() {
	g := &r.region
	kept := 0
	for _, n := range g.regionNotice {
		switch {
		case n.edge != nil:
			r.reportEdge(*n.edge)
		case n.lost.Count > 0:
			r.countLost(n.lost)
		case r.opt.Strict:
			g.regionNotice[kept] = n
			kept++
		default:
			r.count(n.defect())
		}
	}
	clear(g.regionNotice[kept:])
	g.regionNotice, g.kept = g.regionNotice[:kept], kept
}

// endBeforeDefect sets out, in strict mode, to end before its first event with a
// defect. reports is in the order of the file.
func (r *Reader) endBeforeDefect() {
	g := &r.region
	if !r.opt.Strict || len(g.regionNotice) == 0 {
		return
	}
	for i, key := range g.out {
		at := g.pending[key.index].Offset()
		first, _ := slices.BinarySearchFunc(g.regionNotice, at, func(n regionNotice, at int64) int { return cmp.Compare(n.at, at) })
		for _, n := range g.regionNotice[first:] {
			if n.at != at {
				break
			}
			if n.lost.Count == 0 && n.edge == nil {
				e := n.defect()
				g.out, g.ends = g.out[:i], &e
				return
			}
		}
	}
}

// release sorts the waiting events that are older than before, or all of them,
// for delivery, and reports whether there are any.
func (r *Reader) release(before uint64, all bool) bool {
	g := &r.region
	g.out, g.taken = g.out[:0], 0
	if len(g.pending) == 0 {
		return false
	}
	g.keys = keysOf(g.keys, g.pending)
	if !all {
		g.keys = slices.DeleteFunc(g.keys, func(k orderKey) bool { return k.timestamp >= before })
	}
	if len(g.spare) < len(g.keys) {
		g.spare = make([]orderKey, cap(g.keys))
	}
	g.out = append(g.out, sortByTime(g.keys, g.spare[:len(g.keys)], g.pending)...)
	if !all {
		g.released = before
	}
	r.endBeforeDefect()
	return len(g.out) > 0 || g.ends != nil
}

// releaseHalf delivers the older half of too many waiting events, although older
// ones may follow.
func (r *Reader) releaseHalf() {
	g := &r.region
	r.release(0, true)
	if half := (len(g.pending) + 1) / 2; half < len(g.out) {
		g.out, g.ends = g.out[:half], nil
	}
	if !g.full {
		g.full = true
		r.defectAt(rule.LIM010, r.block.Offset, NoRow)
	}
}

// handOut fills the batch with the next events. When the last of a release is
// taken, the remaining ones are moved together.
func (r *Reader) handOut() {
	g := &r.region
	n := min(len(r.batch), len(g.out)-g.taken)
	for i, key := range g.out[g.taken : g.taken+n] {
		e := &g.pending[key.index]
		if e.Timestamp < g.newest {
			g.late++
		}
		g.newest = max(g.newest, e.Timestamp)
		r.batch[i] = *e
	}
	g.taken += n
	g.shown = max(g.shown, n)
	r.next, r.ready, r.decoded = 0, n, n
	if g.taken == len(g.out) {
		g.spend()
	}
}
