package check

import (
	"fmt"
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
)

const (
	longestSpan   = 30 * 24 * 3600 // seconds
	unsortedBatch = 10_000         // events of a region without a sorted row
)

// orderState is the state of the events' times.
type orderState struct {
	time     uint64 // of the last event
	earliest uint64 // of all blocks so far
	latest   uint64
	timed    bool   // there was an event
	floor    uint64 // no event may be earlier: the greatest of start, point and the promises
	start    uint64 // SyncTimeTicks
	point    uint64 // time of the last sequence point
	promise  uint64 // time of the latest sorted row that is compressed
	promised spot

	sinceMax    uint64 // time of the latest event since the last sequence point
	sinceCount  int64  // events since then
	sinceSorted int64  // sorted ones
	sinceFirst  spot   // their first block
	sorted      int64  // sorted events of the complete trace
	span        uint64 // ticks of the longest span
	firstSpot   spot   // the first event

	late      int64 // lint: events after the last that was not late
	lateMost  int64
	lateTicks uint64
	lateSpot  spot
}

// setClock stores the clock of the trace.
func (c *checker) setClock() {
	t := c.trace
	if int64(t.SyncTicks) > 0 {
		c.start = t.SyncTicks
		c.floor = c.start
	}
	if f := t.TickFrequency; f > 0 && f < math.MaxInt64/longestSpan {
		c.span = f * longestSpan
	}
}

// usual reports whether the time of an event that is not marked as sorted needs
// no check: the fast path of order.
func (s *orderState) usual(ts uint64) bool {
	pause := ts - s.time
	return ts >= s.floor && int64(ts) >= 0 && (pause <= s.span || -pause <= s.span)
}

// order holds the time of an event against those before it.
//
// Spec: "Event TimeStamp sorting".
func (c *checker) order(e *codec.Event) {
	s, ts := &c.orderState, e.Timestamp
	if ts < s.floor || int64(ts) < 0 {
		c.outOfOrder(e)
	}
	if pause := ts - s.time; pause > s.span && -pause > s.span {
		c.paused(e)
	}
	s.time = ts
	if e.Sorted() {
		c.sortedRow(e)
	}
	if c.lint {
		c.lateness(e)
	}
}

// sortedRow stores the time of a sorted row. The specification does not say which value
// of the bit of an uncompressed row means sorted: polarity holds their times.
func (c *checker) sortedRow(e *codec.Event) {
	s, ts := &c.orderState, e.Timestamp
	s.sorted++
	s.sinceSorted++
	if ts >= s.promise && c.b.Compressed() {
		s.promise, s.floor = ts, max(s.floor, ts)
		s.promised.place, s.promised.offset, s.promised.row = c.place, e.Offset(), c.rows-1
	}
}

// firstTime is for the first event of a trace, and for the first of a region.
func (c *checker) firstTime(e *codec.Event) {
	s := &c.orderState
	if !s.timed {
		s.timed, s.time, s.earliest, s.latest = true, e.Timestamp, e.Timestamp, e.Timestamp
		s.firstSpot = c.at(e.Offset(), 0)
	}
	if s.sinceCount == 0 {
		s.sinceFirst = c.here()
	}
}

// blockTimes stores the times of a block.
func (c *checker) blockTimes() {
	s := &c.orderState
	s.sinceCount += int64(c.rows)
	if c.rows > 0 {
		s.earliest, s.latest = min(s.earliest, c.bounds.min), max(s.latest, c.bounds.max)
		s.sinceMax = max(s.sinceMax, c.bounds.max)
	}
}

// outOfOrder describes a time that is too early or too great.
func (c *checker) outOfOrder(e *codec.Event) {
	ts := e.Timestamp
	switch {
	case c.baseless:
	case int64(ts) < 0:
		if f := c.foundIn(e, rule.CMP011, 0, fieldTime); f != nil {
			f.want("below 2^63", ts)
		}
	case ts < c.start:
		if f := c.foundIn(e, rule.ORD005, 0, fieldTime); f != nil {
			f.want(c.start, ts)
		}
	}
	if c.baseless || c.backOnThread(e) {
		return
	}
	switch {
	case ts < c.point && !c.pointWrong:
		if f := c.foundIn(e, rule.SQP004, c.point, fieldTime); f != nil {
			f.want(c.point, ts)
		}
	case ts < c.promise:
		c.brokenPromise(e)
	}
	c.polarity.later(e)
}

// brokenPromise reports a sorted row with an older one after it, at its flag.
func (c *checker) brokenPromise(late *codec.Event) {
	if f := c.found(rule.ORD002, 0, c.promised); f != nil {
		f.want(fmt.Sprintf("nothing older than %d after it", c.promise),
			fmt.Sprintf("%d at offset %d", late.Timestamp, c.src.real(c.field(late, fieldTime).offset)))
	}
}

func (c *checker) paused(e *codec.Event) {
	if int64(e.Timestamp) < 0 || int64(c.time) < 0 || c.baseless {
		return
	}
	if f := c.foundIn(e, rule.ORD006, 0, fieldTime); f != nil {
		f.want("at most 30 days after the event before", c.trace.Since(e.Timestamp)-c.trace.Since(c.time))
	}
}

// lateness measures the distance of an event from the latest of its region.
func (c *checker) lateness(e *codec.Event) {
	s := &c.orderState
	latest := max(s.sinceMax, c.bounds.max)
	if e.Timestamp >= latest {
		s.late = 0
		return
	}
	s.late++
	if ticks := latest - e.Timestamp; ticks > s.lateTicks {
		s.lateTicks, s.lateSpot = ticks, c.at(e.Offset(), c.rows-1)
	}
	s.lateMost = max(s.lateMost, s.late)
}

// endOrderRegion ends a region between sequence points.
func (c *checker) endOrderRegion() {
	s := &c.orderState
	if s.sinceCount > unsortedBatch && s.sinceSorted == 0 {
		if f := c.found(rule.ORD003, 0, s.sinceFirst); f != nil {
			f.Actual = counted(s.sinceCount, "event")
		}
	}
	s.sinceCount, s.sinceSorted, s.sinceMax, s.late = 0, 0, 0, 0
}

// endOrder reports the findings about all times together.
func (c *checker) endOrder() {
	s := &c.orderState
	n := c.report.Events
	if !s.timed || !c.format.HasSequencePoints() {
		return
	}
	if s.latest-s.earliest > s.span && int64(s.latest) >= 0 && !c.has(rule.ORD006) {
		if f := c.found(rule.ORD006, 0, s.firstSpot); f != nil {
			f.want("at most 30 days", c.trace.Since(s.latest)-c.trace.Since(s.earliest))
		}
	}
	if n > 1 && s.earliest == s.latest {
		if f := c.found(rule.ORD007, 0, c.firstEvent); f != nil {
			f.Actual = "all times are " + counted(int64(s.latest), "tick")
		}
	}
	if n > 1 && s.sorted == n && c.captures > 1 {
		c.found(rule.ORD008, 0, c.firstEvent)
	}
	if s.lateTicks > 0 {
		if f := c.found(rule.ORD009, 0, s.lateSpot); f != nil {
			f.Actual = counted(s.lateMost, "event") + ", " + counted(int64(s.lateTicks), "tick")
		}
	}
	c.endPolarity()
}

// endPolarity reports an older row after an uncompressed one that is sorted: if the
// order is broken with both meanings of its high bit, or only with the usual one.
func (c *checker) endPolarity() {
	p := &c.polarity
	id := rule.UNC005
	if p.inverse.broken {
		id = rule.ORD002
	}
	if !p.usual.broken {
		return
	}
	if f := c.found(id, 0, p.usual.at); f != nil {
		f.want(fmt.Sprintf("nothing older than %d after it", p.usual.time), "an older row")
	}
}
