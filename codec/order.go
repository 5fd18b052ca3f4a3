package codec

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Order says in which order a Reader delivers events.
type Order uint8

const (
	// FileOrder is the order of the rows in the stream.
	FileOrder Order = iota
	// ByTime is the order of timestamps, taken as unsigned; equal ones in the
	// order of their capture threads (id of the operating system in v4 and v5,
	// index in v6), then in file order. Events are never moved across a sequence
	// point, which the format promises to be right. v3 has no promise to go by
	// and comes in file order.
	ByTime
)

// region collects the events between two sequence points and hands them out by
// time. A sorted row promises that no later one is older, so what is strictly
// older than the last sorted row can go out before the region ends.
//
// Invariants: pending are in file order; out[taken:] are positions in pending,
// in the order they go out.
type region struct {
	pending []Event
	keys    []orderKey
	spare   []orderKey
	out     []orderKey
	taken   int

	rows    []Event   // the batch that rows are decoded into
	sources []*source // of pending, and spent ones to use again
	spent   []*source
	going   []*source // likewise, once the Reader's batch does not show them any more
	holds   []*held   // to use again
	loose   []*held   // likewise, once the Reader's batch does not show them any more
	made    int       // all there are, used or not
	open    *source   // of the block whose rows are decoded, nil between blocks
	bytes   int64     // of bodies and events that wait, for Limits.Reorder
	bodies  int64     // that all sources have room for, the spent ones too

	sorted   uint64 // the newest timestamp of a sorted row
	released uint64 // events older than this have gone out
	newest   uint64 // timestamp that has gone out, of all regions
	frozen   int    // pending[:frozen] hold what they refer to
	shown    int    // events of the Reader's batch that may refer to what has gone
	told     []told
	kept     int        // strict: told[:kept] are defects that wait for their events
	stashed  *raw.Block // the sequence point or end mark that ends the region
	late     int64
	full     bool   // Limits.Reorder was exceeded, and told
	ends     *Error // strict: the defect of the event after the last one of out
}

// told is a notice that goes out with its region.
type told struct {
	lost  Lost
	rule  rule.ID
	at    int64
	row   int
	block int64 // where the event's block starts
}

// eventCost is what Limits.Reorder counts for a waiting event beside its bytes.
const eventCost = 240

func (g *region) reset() {
	g.drop()
	clear(g.told)
	g.told, g.kept, g.stashed, g.late, g.full, g.ends = g.told[:0], 0, nil, 0, false, nil
	g.sorted, g.released, g.newest = 0, 0, 0
}

// held estimates the bytes of all that the region has room for.
func (g *region) held() int64 {
	return int64(cap(g.pending))*pendingSize + int64(g.made)*heldSize + int64(cap(g.told))*toldSize + g.bodies
}

// trim lets go of what nothing that waits is in.
func (g *region) trim() {
	for _, src := range g.spent {
		g.bodies -= src.size()
	}
	g.spent = nil
	if len(g.pending) == 0 {
		g.pending, g.keys, g.spare, g.out = nil, nil, nil, nil
	}
	if len(g.told) == 0 {
		g.told = nil
	}
	if len(g.holds) == g.made {
		g.holds, g.made = nil, 0
	}
}

// size is the memory of the source and what is its own.
func (s *source) size() int64 {
	return sourceSize + int64(cap(s.body)) + int64(cap(s.activities))*activitySize
}

// drop forgets all waiting events and keeps the memory, but not what they refer
// to.
func (g *region) drop() {
	g.going = append(g.going, g.sources...)
	for i := range g.pending[:g.frozen] {
		g.loose = append(g.loose, g.pending[i].src.held)
	}
	clear(g.pending)
	clear(g.sources)
	g.sources, g.pending, g.out, g.taken = g.sources[:0], g.pending[:0], g.out[:0], 0
	g.bytes, g.frozen, g.open = 0, 0, nil
}

// refillByTime makes next < ready with events in order of time.
func (r *Reader) refillByTime() bool {
	g := &r.region
	for {
		switch {
		case r.next < r.ready:
			return true
		case r.err != nil: // NextInBlock may come to it while events wait
			return false
		case len(g.told) > g.kept && len(g.out) > 0:
			r.tellRegion()
		case g.taken < len(g.out):
			r.handOut()
		case g.ends != nil:
			err := r.countLast(*g.ends)
			r.dropAll()
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
// the region has gone out; so does an error.
func (r *Reader) advanceRegion() {
	g := &r.region
	if r.fatal != nil {
		g.stashed = nil
		if !r.release(0, true) {
			r.tellRegion()
			r.stop(r.fatal)
		}
		return
	}
	if r.takeStashed() {
		return
	}
	r.leaveBlock()
	b, err := r.raw.Next()
	switch {
	case err != nil:
		r.fatal = r.framingError(err)
	case b.Kind == wire.KindSequencePoint || b.Kind == wire.KindEndOfStream:
		g.stashed = b
		if !r.release(0, true) {
			r.tellRegion()
		}
	default:
		r.takeBlock(b)
	}
}

// takeStashed takes in the block that ended a region, which has gone out.
func (r *Reader) takeStashed() bool {
	g := &r.region
	b := g.stashed
	if b == nil {
		return false
	}
	g.stashed = nil
	r.leaveBlock()
	g.sorted, g.released = 0, 0
	r.takeBlock(b)
	return true
}

// passWaiting drops the events that wait to be ordered. Their losses and defects
// are counted all the same.
func (r *Reader) passWaiting() {
	g := &r.region
	if r.opt.Order != ByTime || r.err != nil {
		return
	}
	r.tellRegion()
	if g.kept > 0 {
		r.countLast(g.told[0].defect())
	}
	g.drop()
	g.told, g.kept, g.ends = g.told[:0], 0, nil
}

// dropAll drops all that was decoded and not delivered, because a strict reading
// ends.
func (r *Reader) dropAll() {
	g := &r.region
	g.drop()
	clear(g.told)
	g.told, g.kept, g.ends, g.stashed = g.told[:0], 0, nil, nil
	r.next, r.ready, r.decoded, r.inRows = 0, 0, 0, false
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
		g.open = g.newSource(r)
		g.sources = append(g.sources, g.open)
		g.bytes += int64(len(g.open.body))
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

// closeSource is for when the rows of the block of the open source are decoded.
func (g *region) closeSource() {
	if g.open == nil {
		return
	}
	if last := len(g.sources) - 1; g.open.events == 0 {
		g.sources[last], g.sources = nil, g.sources[:last]
		g.going = append(g.going, g.open)
		g.bytes -= int64(len(g.open.body))
	}
	g.open = nil
}

// recycle is for when the Reader's batch has gone out: what its events refer to can
// be used again.
func (r *Reader) recycle() {
	g := &r.region
	for i := range r.batch[:g.shown] {
		r.batch[i].src = &r.source
	}
	g.shown = 0
	r.view, r.viewed = fieldsView{room: r}, -1
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

// mayWait says whether there is the room that is wanted for events that are to wait.
// If not, those that wait go out, the older half first; when none is left, the
// reading ends where there is not even the room that is needed.
func (r *Reader) mayWait(wanted, needed int64) bool {
	if r.over(wanted) == nil {
		return true
	}
	if len(r.region.pending) > 0 {
		r.releaseHalf()
		return false
	}
	return r.hasRoom(needed)
}

// newSource copies the body of the current block.
func (g *region) newSource(r *Reader) *source {
	src := &source{}
	if n := len(g.spent); n > 0 {
		src, g.spent[n-1] = g.spent[n-1], nil
		g.spent = g.spent[:n-1]
		g.bodies -= src.size()
	}
	src.r, src.offset, src.block, src.events, src.of = r, r.body.BodyOffset, r.body.Offset, 0, src
	src.metadata = r.metadata
	src.body = append(src.body[:0], r.body.Body...)
	src.activities = src.activities[:0]
	g.bodies += src.size()
	return src
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
		note := told{rule: n.rule, at: src.offset + int64(e.row()), row: r.first + n.row, block: src.block}
		if n.lost > 0 {
			thread := r.threads.get(e.CaptureThreadIndex)
			note.lost = Lost{CaptureThread: e.CaptureThreadIndex, Thread: thread, Count: n.lost, Before: e.Timestamp, HasBefore: true}
		}
		missing = missing || n.lost == 0 && n.rule != rule.EVB008
		g.told = append(g.told, note)
	}
	r.notices = r.notices[:0]
	if missing && r.hasRoom(g.freezing()) { // what an event refers to may yet be defined, too late for it
		g.freeze()
	}
}

// growth is what the memory of the region may grow by for n more events, each of
// which may have a few notices. What grows is there twice for a while.
func (g *region) growth(n int) int64 {
	const notices = 7
	size := int64(0)
	if n := len(g.pending) + n; n > cap(g.pending) {
		size += int64(max(n, cap(g.pending)*5/4)) * pendingSize
	}
	if len(g.told)+notices*n > cap(g.told) {
		size += int64(cap(g.told)) * 5 / 4 * toldSize
	}
	if list := g.open.activities; cap(list) > 0 && len(list)+n > cap(list) {
		size += int64(max(n, cap(list)*5/4)) * activitySize
	}
	return size
}

// freezing is the memory that freeze takes.
func (g *region) freezing() int64 {
	return int64(max(0, len(g.pending)-g.frozen-len(g.holds))) * heldSize
}

// freeze makes the waiting events hold what they refer to, because a table is
// about to change under them. Without room for that the cursor fails at pos, and
// the table stays as it is.
func (r *Reader) freeze(c *cursor, pos int) bool {
	g := &r.region
	if g.frozen < len(g.pending) && r.roomFor(c, g.freezing(), pos) {
		g.freeze()
	}
	return c.bad == rule.None
}

// freeze gives each event a held, as many as are needed made at once.
func (g *region) freeze() {
	events := g.pending[g.frozen:]
	g.bytes += int64(len(events)) * heldSize
	if missing := len(events) - len(g.holds); missing > 0 {
		made := make([]held, missing)
		for i := range made {
			g.holds = append(g.holds, &made[i])
		}
		g.made += missing
	}
	rest := len(g.holds) - len(events)
	for i, h := range g.holds[rest:] {
		e := &events[i]
		e.hold(h)
		e.src = &h.source
	}
	g.holds, g.frozen = g.holds[:rest], len(g.pending)
}

// tellRegion gives out the notices of the region. In strict mode a defect waits
// until its event comes next.
func (r *Reader) tellRegion() {
	g := &r.region
	kept := 0
	for _, n := range g.told {
		switch {
		case n.lost.Count > 0:
			r.countLost(n.lost)
		case r.opt.Strict:
			g.told[kept] = n
			kept++
		default:
			r.count(n.defect())
		}
	}
	clear(g.told[kept:])
	g.told, g.kept = g.told[:kept], kept
}

// defect is the notice as an error.
func (n *told) defect() Error {
	return Error{Offset: n.at, Block: wire.KindEvent, BlockOffset: n.block, Row: n.row, Rule: n.rule, Err: ErrDefect}
}

// endBeforeDefect makes out end, in strict mode, before the first of its events
// that has a defect. told is in the order of the file.
func (r *Reader) endBeforeDefect() {
	g := &r.region
	if !r.opt.Strict || len(g.told) == 0 {
		return
	}
	for i, key := range g.out {
		at := g.pending[key.index].Offset()
		first, _ := slices.BinarySearchFunc(g.told, at, func(n told, at int64) int { return cmp.Compare(n.at, at) })
		for _, n := range g.told[first:] {
			if n.at != at {
				break
			}
			if n.lost.Count == 0 {
				e := n.defect()
				g.out, g.ends = g.out[:i], &e
				return
			}
		}
	}
}

// release puts the waiting events that are older than before, or all of them,
// in order to go out, and says whether there are any.
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

// releaseHalf hands out the older half of too many waiting events, though
// older ones may yet come.
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

// handOut fills the batch with the events that go out next. When the last of a
// release is taken, those that stay are moved together.
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

// spend takes the events that went out from the waiting ones. Their bodies are
// used again only after the next step, because the batch still shows them.
func (g *region) spend() {
	if len(g.out) == len(g.pending) && g.open == nil {
		g.drop()
		return
	}
	for _, key := range g.out {
		e := &g.pending[key.index]
		if e.src.held != nil {
			g.loose = append(g.loose, e.src.held)
			g.bytes -= heldSize
		}
		e.src.of.events--
		e.src = nil
	}
	g.pending = slices.DeleteFunc(g.pending, func(e Event) bool { return e.src == nil })
	g.bytes -= int64(len(g.out)) * eventCost
	for g.frozen = 0; g.frozen < len(g.pending) && g.pending[g.frozen].src.held != nil; {
		g.frozen++
	}
	g.out, g.taken = g.out[:0], 0
	g.sources = slices.DeleteFunc(g.sources, func(s *source) bool {
		if s.events > 0 || s == g.open {
			return false
		}
		g.going = append(g.going, s)
		g.bytes -= int64(len(s.body))
		return true
	})
}
