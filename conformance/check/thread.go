package check

import (
	"maps"
	"slices"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	mostLive    = 100_000 // threads, when none is ever removed
	mostThreads = 1 << 18 // that are remembered
)

// threadState is the state of the rows of the thread table (v6).
type threadState struct {
	live           map[uint64]*liveThread
	identities     map[[2]uint64]uint64 // live index by process and thread (lint)
	removed        memory               // indexes removed and not defined again
	flushedThreads memory               // indexes that a sequence point flushed
	everRemoved    bool                 // a thread was removed or flushed
	processRow     bool                 // a row has its process
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

// threadRow is the current row.
type threadRow struct {
	open    bool // the row has begun and is not complete
	index   uint64
	process [2]uint64 // number of times it occurs, and the last value
	thread  [2]uint64
	names   int
	keys    map[string]bool
	twice   bool // the key was there before

	indexAt, threadAt int

	kind   wire.ThreadInfo // of the current information
	kindAt int             // where a second one is found: at the kind, or at the key
}

// checkThreads checks a block of threads.
//
// Spec: "ThreadBlock".
func (c *checker) checkThreads(bad bool) {
	c.table.thread = threadRow{}
	fault := c.walkTable()
	if fault.Rule == rule.None || fault.Row > c.table.rows {
		c.endThread()
	}
	if fault.Rule != rule.None {
		c.layoutFault(fault)
		c.spoiled.threads = true
	}
	c.limited(bad, fault.Rule)
	if len(c.live) > mostLive && !c.everRemoved {
		if f := c.found(rule.THR014, 0, c.here()); f != nil {
			f.Actual = counted(int64(len(c.live)), "thread")
		}
	}
}

// threadField checks a field of a block of threads.
func (c *checker) threadField(f *layout.Field) {
	t := &c.table.thread
	switch f.Name {
	case "RowSize":
		c.endThread()
		c.table.thread, c.table.start = threadRow{open: true}, f.Pos
	case "Index":
		t.index, t.indexAt = f.Value, f.Pos
	case "Kind":
		t.kind, t.kindAt = wire.ThreadInfo(f.Value), f.Pos
	case "Name":
		c.threadText(c.text(f), f.Pos, c.table.rows)
		t.names++
		c.threadTwice(t.names > 1)
	case "Id":
		if t.kind == wire.ThreadOSProcessID {
			t.process = [2]uint64{t.process[0] + 1, f.Value}
			c.threadTwice(t.process[0] > 1)
		} else {
			t.threadAt = f.Pos
			t.thread = [2]uint64{t.thread[0] + 1, f.Value}
			c.threadTwice(t.thread[0] > 1)
		}
	case "Key":
		c.threadText(c.text(f), f.Pos, c.table.rows)
		t.kindAt = f.Pos
		if t.keys == nil {
			t.keys = map[string]bool{}
		}
		key := string(c.text(f))
		t.twice = t.keys[key]
		t.keys[key] = true
	case "Value":
		c.threadText(c.text(f), f.Pos, c.table.rows)
		c.threadTwice(t.twice)
	}
}

// threadTwice checks for duplicates of what a row may have once.
func (c *checker) threadTwice(twice bool) {
	if !twice {
		return
	}
	t := &c.table.thread
	if f := c.found(rule.THR005, 0, c.in(t.kindAt, c.table.rows)); f != nil {
		f.id("thread", t.index)
	}
}

// endThread checks the complete row.
func (c *checker) endThread() {
	if t := &c.table.thread; t.open {
		t.open = false
		c.defineThread(t, c.in(c.table.start, c.table.rows))
		c.table.rows++
	}
}

func (c *checker) threadText(text []byte, at, row int) {
	if look(text)&notUTF8 != 0 {
		c.found(rule.THR008, 0, c.in(at, row))
	}
}

// defineThread stores a complete row under its index.
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

// dropThread removes a thread from the table.
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

// removedField checks a field of a RemoveThread block.
//
// Spec: "RemoveThreadBlock".
func (c *checker) removedField(f *layout.Field) {
	t := &c.table
	if f.Name == "Index" {
		t.start, t.number = f.Pos, f.Value
		return
	}
	index := t.number
	l := c.live[index]
	switch {
	case l == nil && c.removed.has(index):
		c.fail(rule.RMT003, t.start)
		return
	case l == nil:
		c.fail(rule.RMT002, t.start)
		return
	}
	c.finalNumber(index, uint32(f.Value), c.in(f.Pos, t.rows))
	c.dropThread(index, l)
	c.removed.add(index)
	c.everRemoved = true
	c.forget(index)
	t.rows++
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

// flushThreads removes all threads, for flag 1 of a sequence point.
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

// unusedThreads reports the threads that no event refers to.
func (c *checker) unusedThreads() {
	for _, index := range c.liveIndexes() {
		l := c.live[index]
		if l.used {
			continue
		}
		if f := c.found(rule.THR013, 0, l.spot); f != nil {
			f.id("thread", index)
		}
	}
}

// endThreads reports the findings about all threads.
func (c *checker) endThreads() {
	if !c.format.HasThreadTable() {
		return
	}
	if c.lint && !c.cut {
		c.unusedThreads()
	}
	if !c.processKey && !c.processRow && c.threadRows > 0 {
		c.found(rule.TRC015, 0, spot{Place{Ordinal: 0, Kind: wire.KindTrace, Offset: c.src.header}, c.src.header, -1})
	}
}
