package check

import (
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	largeTrace  = 10_000    // events
	longRegion  = 1_000_000 // events
	largeRegion = 256 << 20 // bytes
	longAfter   = 24 * 3600 // seconds after the last event
	pointFlags  = wire.SequenceThreads | wire.SequenceMetadata
)

// pointState is the state of sequence points.
type pointState struct {
	points      int64
	pointWrong  bool  // its time is invalid
	regionStart int64 // offset in the stream
	lastPoint   uint64
	longest     int64
	longSpot    spot
	pointSpot   spot
}

// pointEntry is a thread in the list of a point.
type pointEntry struct {
	thread   uint64
	sequence uint32
	at       spot // of the thread; the position of the number is number
	number   spot
}

// pointHeader is the current sequence point.
type pointHeader struct {
	ticks   uint64
	flags   uint32
	flagsAt int
	listed  map[uint64]struct{} // threads so far
}

// checkPoint checks a sequence point, and the region before it.
//
// Spec: "SequencePointBlock"; "SequencePointBlock Object" of the v4/v5 text.
func (c *checker) checkPoint(bool) {
	p := &c.table.point
	listed := p.listed
	if clear(listed); listed == nil {
		listed = map[uint64]struct{}{}
	}
	*p = pointHeader{listed: listed}
	fault := c.walkTable()
	if fault.Rule != rule.None {
		p.listed = nil // not all of it is known
		if c.b.Size > 0 {
			c.layoutFault(fault)
		}
	}
	c.endRegion()
	c.beginRegion(p.flags, p.listed)
}

// pointField checks a field of a sequence point.
func (c *checker) pointField(f *layout.Field) {
	t := &c.table
	switch f.Name {
	case "TimeStamp":
		t.point.ticks = f.Value
	case "Flags":
		t.point.flags, t.point.flagsAt = uint32(f.Value), f.Pos
	case "ThreadCount":
		c.checkPointHeader()
	case "SequenceNumber":
		t.entry.sequence, t.entry.number = uint32(f.Value), c.in(f.Pos, t.rows)
		c.checkEntry(&t.entry, t.point.listed)
		t.rows++
	default: // an index or id of a thread
		t.entry.thread, t.entry.at = f.Value, c.in(f.Pos, t.rows)
	}
}

// checkPointHeader checks a complete header.
func (c *checker) checkPointHeader() {
	p := &c.table.point
	c.checkPointTime(p.ticks)
	if p.flags&^pointFlags != 0 {
		if f := c.found(rule.SQP006, 0, c.in(p.flagsAt, -1)); f != nil {
			f.want("1, 2 or both", p.flags)
		}
	}
}

// checkEntry compares a thread in a point with its events.
func (c *checker) checkEntry(e *pointEntry, listed map[uint64]struct{}) {
	if _, twice := listed[e.thread]; twice {
		if f := c.found(rule.SQP008, e.thread, e.at); f != nil {
			f.id("thread", e.thread)
		}
		return
	}
	listed[e.thread] = struct{}{}
	if c.format.HasThreadTable() && c.live[e.thread] == nil {
		if c.spoiled.threads || c.flushedThreads.has(e.thread) && c.has(rule.THR011) {
			return
		}
		if f := c.found(rule.SQP007, e.thread, e.at); f != nil {
			f.id("thread", e.thread)
		}
		return
	}
	t := c.log(e.thread)
	lost, back := step(t.sequence, e.sequence)
	_, below := step(t.event, e.sequence)
	_, fell := step(t.listed, e.sequence)
	switch {
	case fell && e.sequence != t.listed && t.point > 0:
		if f := c.found(rule.SQP016, e.thread, e.number); f != nil {
			f.id("thread", e.thread).want(t.listed, e.sequence)
		}
	case below && e.sequence != t.event:
		if f := c.found(rule.SQP009, e.thread, e.number); f != nil {
			f.id("thread", e.thread).want(t.event, e.sequence)
		}
	case !back:
		c.lost[rule.SQP010] += lost + 1
		if f := c.found(rule.SQP010, e.thread, e.number); f != nil {
			f.id("thread", e.thread).want(t.sequence, e.sequence)
		}
	}
	if !back {
		t.sequence = e.sequence
	}
	t.listed, t.point = e.sequence, c.region
}

// checkPointTime holds the time of a point against the events before it.
func (c *checker) checkPointTime(ts uint64) {
	at := c.in(0, -1)
	day := uint64(math.MaxUint64)
	if f := c.trace.TickFrequency; f > 0 && f < math.MaxInt64/longAfter {
		day = f * longAfter
	}
	c.pointWrong = ts == 0 && c.timed && c.latest > 0 || int64(ts) < 0 || c.timed && ts > c.latest && ts-c.latest > day
	switch {
	case c.pointWrong:
		if f := c.found(rule.SQP005, 0, at); f != nil {
			f.Actual = counted(int64(ts), "tick")
		}
	case c.points > 0 && ts < c.lastPoint:
		if f := c.found(rule.SQP002, 0, at); f != nil {
			f.want(c.lastPoint, ts)
		}
	case c.points > 0 && ts == c.lastPoint:
		if f := c.foundAs(rule.SQP002, rule.Warning, 0, at); f != nil {
			f.want(c.lastPoint, ts)
		}
	}
	if c.sinceCount > 0 && c.sinceMax > ts && !c.pointWrong {
		if f := c.found(rule.SQP003, 0, at); f != nil {
			f.want(c.sinceMax, ts)
		}
	}
	if c.points > 0 && c.prevKind == wire.KindSequencePoint {
		c.found(rule.SQP015, 0, c.here())
	}
	if !c.pointWrong {
		c.point, c.lastPoint = ts, ts
		c.floor = max(c.start, c.point, c.promise, c.polarity.usual.time, c.polarity.inverse.time)
	}
	c.points++
	c.pointSpot = c.here()
}

// endRegion ends the region before a sequence point, or before the end.
func (c *checker) endRegion() {
	size := c.src.real(c.r.Offset()) - c.regionStart
	if c.sinceCount > longRegion || size > largeRegion {
		if c.longest == 0 {
			c.longSpot = c.sinceFirst
		}
		c.longest = max(c.longest, c.sinceCount)
	}
	c.endStackRegion()
	c.endLabelRegion()
	c.endOrderRegion()
}

// beginRegion begins the region after a sequence point.
func (c *checker) beginRegion(flags uint32, listed map[uint64]struct{}) {
	c.regionStart = c.src.real(c.r.Offset())
	if !c.format.HasRemovedThreads() && listed != nil {
		c.keepListed(listed)
	}
	if flags&wire.SequenceThreads != 0 {
		c.flushThreads()
	}
	if flags&wire.SequenceMetadata != 0 {
		c.flushMetadata()
	}
	c.region++
}

// keepListed forgets the threads that a point of v4 or v5 leaves out: they have
// ended.
func (c *checker) keepListed(listed map[uint64]struct{}) {
	var missing []uint64
	for id, t := range c.logs {
		if _, ok := listed[id]; ok {
			continue
		}
		if t.region == c.region {
			missing = append(missing, id)
		}
		delete(c.logs, id)
	}
	slices.Sort(missing)
	for _, id := range missing {
		if f := c.found(rule.SQP011, id, c.in(8, -1)); f != nil {
			f.id("thread", id)
		}
	}
	c.current = nil
}

// endPoints reports the findings about all sequence points of a complete stream;
// behind is the number of events after the last one.
func (c *checker) endPoints(behind int64) {
	if c.cut || !c.report.Complete || !c.format.HasSequencePoints() || c.report.Events <= largeTrace {
		return
	}
	switch {
	case c.points == 0:
		c.found(rule.SQP013, 0, c.firstEvent)
	case c.longest > 0:
		if f := c.found(rule.SQP013, 0, c.longSpot); f != nil {
			f.Actual = counted(c.longest, "event")
		}
	}
	if c.points > 0 && behind > 0 {
		c.found(rule.SQP014, 0, c.sinceFirst)
	}
}
