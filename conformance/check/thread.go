package check

import (
	"maps"
	"slices"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	mostLive    = 100_000 // threads, when none is ever removed
	mostThreads = 1 << 18 // that are remembered
)

// threadState is what is known of the rows of the thread table (v6).
type threadState struct {
	live           map[uint64]*liveThread
	identities     map[[2]uint64]uint64 // live index by process and thread (lint)
	removed        memory               // indexes removed and not defined again
	flushedThreads memory               // indexes that a sequence point flushed
	everRemoved    bool                 // a thread was removed or flushed
	processRow     bool                 // a row tells its process
	processKey     bool                 // the Trace block does
	threadRows     int64
}

// liveThread is a row of the thread table.
type liveThread struct {
	spot     spot
	used     bool
	identity [2]uint64
}

func (c *checker) beginThreads() {
	c.live, c.region = map[uint64]*liveThread{}, 1
	if c.lint {
		c.identities = map[[2]uint64]uint64{}
	}
}

// threadRow is what a row says.
type threadRow struct {
	index   uint64
	process [2]uint64 // number of times it is told, and the last
	thread  [2]uint64
	names   int

	indexAt, threadAt int
}

// checkThreads looks at a block of threads.
//
// Spec: "ThreadBlock".
func (c *checker) checkThreads(bad bool) {
	cur := cursor{b: c.b.Body}
	row := 0
	for ; !cur.done(); row++ {
		start := cur.pos
		size := cur.uint16(rule.THR001)
		sub := cur.sub(int(size), rule.THR001)
		if cur.bad != rule.None {
			break
		}
		t := c.checkThread(&sub, row)
		if sub.bad != rule.None {
			cur.fail(sub.bad, sub.at)
			cur.end = false
			break
		}
		c.defineThread(&t, c.in(start, row))
	}
	if cur.bad != rule.None {
		c.layoutFault(&cur, row)
		c.spoiled.threads = true
	}
	c.limited(bad, cur.bad)
	if len(c.live) > mostLive && !c.everRemoved {
		if f := c.found(rule.THR014, 0, c.here()); f != nil {
			f.Actual = counted(int64(len(c.live)), "thread")
		}
	}
}

// checkThread looks at one row.
func (c *checker) checkThread(cur *cursor, row int) (t threadRow) {
	t.indexAt = cur.pos
	t.index = cur.varUint64(rule.THR001)
	keys := map[string]bool(nil)
	for !cur.done() {
		at, twice := cur.pos, false
		switch kind := wire.ThreadInfo(cur.byte(rule.THR003)); kind {
		case wire.ThreadName:
			t.names++
			twice = t.names > 1
			c.threadText(cur.text(rule.THR003), cur.was, row)
		case wire.ThreadOSProcessID:
			t.process = [2]uint64{t.process[0] + 1, cur.varUint64(rule.THR003)}
			twice = t.process[0] > 1
		case wire.ThreadOSThreadID:
			t.threadAt = cur.pos
			t.thread = [2]uint64{t.thread[0] + 1, cur.varUint64(rule.THR003)}
			twice = t.thread[0] > 1
		case wire.ThreadKeyValue:
			key := cur.text(rule.THR003)
			at = cur.was
			c.threadText(key, cur.was, row)
			c.threadText(cur.text(rule.THR003), cur.was, row)
			if keys == nil {
				keys = map[string]bool{}
			}
			twice = keys[string(key)]
			keys[string(key)] = true
		default:
			cur.fail(rule.THR002, at)
		}
		if twice && cur.bad == rule.None {
			if f := c.found(rule.THR005, 0, c.in(at, row)); f != nil {
				f.id("thread", t.index)
			}
		}
	}
	return t
}

func (c *checker) threadText(text []byte, at, row int) {
	if look(text)&notUTF8 != 0 {
		c.found(rule.THR008, 0, c.in(at, row))
	}
}

// defineThread makes a row that is whole the one of its index.
func (c *checker) defineThread(t *threadRow, at spot) {
	c.threadRows++
	named := func(id rule.ID, pos int) {
		if f := c.found(id, 0, c.in(pos, at.row)); f != nil {
			f.id("thread", t.index)
		}
	}
	if t.process[0] > 0 {
		c.processRow = true
	}
	switch {
	case t.names == 0 && t.process[0] == 0 && t.thread[0] == 0:
		named(rule.THR006, t.indexAt)
	case t.index == 0 && t.names == 0 && t.process[1] == 0 && t.thread[1] == 0:
		named(rule.THR012, t.indexAt)
	}
	if c.removed.has(t.index) {
		named(rule.RMT007, t.indexAt)
		delete(c.removed, t.index)
	}
	delete(c.flushedThreads, t.index)
	l := &liveThread{spot: at, identity: [2]uint64{t.process[1], t.thread[1]}}
	if c.lint && t.thread[0] > 0 {
		if other, ok := c.identities[l.identity]; ok && other != t.index {
			named(rule.THR007, t.threadAt)
		}
		c.identities[l.identity] = t.index
	}
	if len(c.live) >= mostThreads {
		c.spoiled.threads = true
		return
	}
	c.live[t.index] = l
}

// dropThread takes a thread out of the table.
func (c *checker) dropThread(index uint64, l *liveThread) {
	delete(c.live, index)
	if c.identities[l.identity] == index {
		delete(c.identities, l.identity)
	}
	if l.used || !c.lint {
		return
	}
	if f := c.found(rule.THR013, 0, l.spot); f != nil {
		f.id("thread", index)
	}
}

// checkRemoved looks at a RemoveThread block.
//
// Spec: "RemoveThreadBlock".
func (c *checker) checkRemoved(bool) {
	cur := cursor{b: c.b.Body}
	for row := 0; !cur.done(); row++ {
		at := cur.pos
		index := cur.varUint64(rule.RMT001)
		sequenceAt := cur.pos
		sequence := cur.varUint32(rule.RMT001)
		if cur.bad == rule.None && c.live[index] == nil {
			id := rule.RMT002
			if c.removed.has(index) {
				id = rule.RMT003
			}
			cur.fail(id, at)
		}
		if cur.bad != rule.None {
			c.layoutFault(&cur, row)
			return
		}
		c.finalNumber(index, sequence, c.in(sequenceAt, row))
		c.dropThread(index, c.live[index])
		c.removed.add(index)
		c.everRemoved = true
		c.forget(index)
	}
}

// finalNumber holds the last number of a thread against those of its events.
func (c *checker) finalNumber(index uint64, sequence uint32, at spot) {
	var last uint32
	if t := c.logs[index]; t != nil {
		last = t.sequence
	}
	lost, back := step(last, sequence)
	switch {
	case sequence == last:
	case back:
		if f := c.found(rule.RMT004, index, at); f != nil {
			f.id("thread", index).want(last, sequence)
		}
	default:
		c.lost[rule.RMT005] += lost + 1
		if f := c.found(rule.RMT005, index, at); f != nil {
			f.id("thread", index).want(last, sequence)
		}
	}
}

// liveIndexes returns the indexes of the thread table in ascending order, so that
// a finding is always at the same thread.
func (c *checker) liveIndexes() []uint64 { return slices.Sorted(maps.Keys(c.live)) }

// flushThreads forgets all threads, as flag 1 of a sequence point asks.
func (c *checker) flushThreads() {
	for _, index := range c.liveIndexes() {
		c.dropThread(index, c.live[index])
		c.flushedThreads.add(index)
	}
	clear(c.identities)
	clear(c.removed)
	clear(c.logs)
	c.current, c.everRemoved, c.spoiled.threads = nil, true, false
}

// endThreads says what concerns all threads.
func (c *checker) endThreads() {
	if !c.format.HasThreadTable() {
		return
	}
	for _, index := range c.liveIndexes() {
		l := c.live[index]
		if !l.used && c.lint && !c.cut {
			if f := c.found(rule.THR013, 0, l.spot); f != nil {
				f.id("thread", index)
			}
		}
	}
	if !c.processKey && !c.processRow && c.threadRows > 0 {
		c.found(rule.TRC015, 0, spot{Place{Ordinal: 0, Kind: wire.KindTrace, Offset: c.src.header}, c.src.header, -1})
	}
}
