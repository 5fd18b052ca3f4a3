package check

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// sequenceState follows the sequence numbers of each capture thread.
type sequenceState struct {
	logs     map[uint64]*captureThread
	current  *captureThread
	captures int    // capture threads met
	region   uint32 // number of the region, from 1

	// Properties of all numbers together. Those out of step do not follow the
	// last one.
	outs            int64
	least, greatest uint32             // of those out of step
	backs           int64              // numbers that repeat or go back
	explicit        [2]int64           // rows that write a number: those that follow by 1, and others
	repeats, skips  int64              // of rows that write a number: by 0, by 2
	restarts        int64              // numbers 1 that do not follow (v4, v5)
	selves          map[uint64]*uint32 // last number by the thread that the event is about
	selfBroken      bool               // they do not count that way
	selfUsed        int64              // events about another thread that count that way
}

// captureThread is a thread that logs.
type captureThread struct {
	id       uint64
	time     uint64
	sequence uint32  // last number, by events and sequence points
	event    uint32  // last number of an event
	listed   uint32  // last number in a sequence point
	region   uint32  // the last one with an event of it
	point    uint32  // the last sequence point that listed it, by region
	spot     spot    // of its first event in the region
	self     *uint32 // last number of an event about it, once there was one
}

const mostSelves = 1 << 16

// log finds the capture thread of an event.
func (c *checker) log(id uint64) *captureThread {
	t := c.logs[id]
	if t == nil {
		t = &captureThread{id: id}
		if c.logs == nil {
			c.logs = map[uint64]*captureThread{}
		}
		c.logs[id] = t
		c.captures++
	}
	return t
}

// forget drops a thread.
func (c *checker) forget(id uint64) {
	delete(c.logs, id)
	c.current = nil
}

// backOnThread reports whether an event is earlier than the one before it on its
// capture thread.
func (c *checker) backOnThread(e *codec.Event) bool {
	t := c.logs[e.CaptureThreadIndex]
	return t != nil && t.region > 0 && e.Timestamp < t.time
}

// sequence holds an event against the one before it on its capture thread.
//
// Spec: "Event Sequence Numbers", "Event TimeStamp sorting".
func (c *checker) sequence(e *codec.Event) {
	t := c.current
	if t == nil || t.id != e.CaptureThreadIndex {
		if c.rows > 1 && !e.Sorted() {
			if f := c.found(rule.ORD004, 0, c.at(e.Offset(), c.rows-1)); f != nil {
				f.id("captureThread", e.CaptureThreadIndex)
			}
		}
		t = c.log(e.CaptureThreadIndex)
		c.current = t
	}
	if t.region != c.region {
		c.arrive(t, e)
	} else if e.Timestamp < t.time && !c.baseless {
		c.timeBack(t, e)
	}
	t.time = e.Timestamp
	if e.Sequence != t.sequence+1 {
		c.outOfStep(t, e)
	}
	if c.format.HasThreadTable() {
		c.pattern(t, e)
	}
	if !c.selfBroken {
		c.bySelf(t, e)
	}
	t.sequence, t.event = e.Sequence, e.Sequence
}

// arrive is for the first event of a thread in a region.
func (c *checker) arrive(t *captureThread, e *codec.Event) {
	if t.region > 0 && e.Timestamp < t.time && !c.baseless {
		c.timeBack(t, e)
	}
	t.region, t.spot = c.region, c.at(e.Offset(), c.rows-1)
}

func (c *checker) timeBack(t *captureThread, e *codec.Event) {
	if f := c.foundIn(e, rule.ORD001, t.id, fieldTime); f != nil {
		f.id("captureThread", t.id).want(t.time, e.Timestamp)
	}
}

// step compares a number with the last one of its thread: it counts the lost ones
// between them, or reports that it repeats or goes back.
func step(last, next uint32) (lost uint64, back bool) {
	switch d := next - last; {
	case d == 0:
		return 0, true
	case next > last, last >= 1<<31 && d < 1<<31:
		return uint64(d) - 1, false
	}
	return 0, true
}

// outOfStep is for a number that does not follow the last one.
func (c *checker) outOfStep(t *captureThread, e *codec.Event) {
	lost, back := step(t.sequence, e.Sequence)
	if c.outs++; c.outs == 1 {
		c.least, c.greatest = e.Sequence, e.Sequence
	}
	c.least, c.greatest = min(c.least, e.Sequence), max(c.greatest, e.Sequence)
	switch {
	case e.Sequence == 1 && !c.format.HasThreadTable():
		c.restarts++
		c.foundIn(e, rule.SEQ003, t.id, fieldSequence)
	case !back:
		id := rule.SEQ001
		if t.sequence == 0 {
			id = rule.SEQ005
		}
		c.lost[id] += lost
		if f := c.foundIn(e, id, t.id, fieldSequence); f != nil {
			f.id("captureThread", t.id).want(uint64(t.sequence)+1, e.Sequence)
		}
	default:
		c.backs++
		id := rule.SEQ004
		if c.format.HasThreadTable() {
			id = rule.SEQ002
			if e.Sequence == 1 && t.sequence != 1 {
				id = rule.SEQ010
			}
		}
		if f := c.foundIn(e, id, t.id, fieldSequence); f != nil {
			f.id("captureThread", t.id).want(uint64(t.sequence)+1, e.Sequence)
		}
	}
}

// pattern collects the evidence for a habit of the writer: how rows with a
// written number follow.
func (c *checker) pattern(t *captureThread, e *codec.Event) {
	if !c.b.Compressed() || e.RowFlags()&wire.RowSequence == 0 || t.sequence == 0 {
		return
	}
	s := &c.sequenceState
	switch e.Sequence - t.sequence {
	case 0:
		s.repeats++
	case 1:
		s.explicit[0]++
	case 2:
		s.skips++
	default:
		s.explicit[1]++
	}
}

// bySelf counts by the thread that an event is about, until that does not fit.
func (c *checker) bySelf(t *captureThread, e *codec.Event) {
	s, last := &c.sequenceState, t.self
	if e.ThreadIndex != t.id || last == nil {
		if last = s.selves[e.ThreadIndex]; last == nil {
			if s.selves == nil {
				s.selves = map[uint64]*uint32{}
			}
			last = new(uint32)
			s.selves[e.ThreadIndex] = last
		}
		if e.ThreadIndex == t.id {
			t.self = last
		} else {
			s.selfUsed++
		}
	}
	if e.Sequence != *last+1 || len(s.selves) > mostSelves {
		s.selfBroken, s.selves = true, nil
	}
	*last = e.Sequence
}

// endSequence finds the habit that explains numbers that repeat or go back.
func (c *checker) endSequence() {
	s := &c.sequenceState
	back := []rule.ID{rule.SEQ010, rule.SEQ002, rule.SEQ004, rule.SEQ003}
	habit := rule.None
	switch {
	case s.backs+s.restarts == 0 && s.skips < 8:
	case s.least == s.greatest && s.outs >= c.report.Events-int64(c.captures) && (s.outs == c.report.Events || s.least == 1):
		habit = rule.SEQ006
	case !s.selfBroken && s.selfUsed > 0 && s.backs > 0:
		habit = rule.SEQ007
	case s.explicit == [2]int64{} && (s.repeats > 0 && s.repeats == s.backs && s.skips == 0 || s.backs == 0 && s.skips >= 8):
		habit = rule.SEQ008
	}
	if habit != rule.None {
		c.drop(back...)
		c.drop(rule.SEQ001, rule.SEQ005)
		c.foundAs(habit, s.gradeOf(habit), 0, c.firstEvent)
	}
	for id, lost := range c.lost {
		if lost > 0 {
			c.tellLost(rule.ID(id), lost)
		}
	}
}

// gradeOf returns the severity of a habit. Numbers that are all 1 are a warning
// before version 6, where each of them may belong to a new thread.
func (s *sequenceState) gradeOf(habit rule.ID) rule.Severity {
	if habit == rule.SEQ006 && s.restarts > 0 && s.backs == 0 {
		return rule.Warning
	}
	return habit.Rule().Severity
}

// tellLost adds the number of lost events to the findings of a rule.
func (c *checker) tellLost(id rule.ID, lost uint64) {
	for key, f := range c.collector.found {
		if key.rule == id {
			f.Actual += "; by this rule " + counted(int64(lost), "event") + " lost in all"
		}
	}
}
