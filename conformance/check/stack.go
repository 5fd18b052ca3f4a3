package check

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
)

const (
	runtimeFrames = 100 // the .NET runtime truncates stacks there
	cutShare      = 100 // one of so many is reported
	leafSample    = 200 // stacks before an inverted order is reported
	mostUsed      = 1 << 20
)

// stackState is the state of the stacks.
type stackState struct {
	stacks struct {
		missing waiting // missing ids of events in this region
		ids     spans   // of this region
		before  spans   // of the regions before it
	}
	stackCount, cutStacks int64
	firstCut              spot
	ends                  [2]majority // of the first and of the last frames
	seed                  maphash.Seed
	written               map[uint64]struct{} // hashes of the stacks of the region (lint)
	used                  map[uint32]struct{} // ids that events of the region use (lint)
	unusedSpots           []stackBlock        // blocks of the region (lint)
	topStack              uint64              // one more than the highest id of the region before
}

// stackBlock is where ids were defined.
type stackBlock struct {
	first, count uint32
	at           spot
}

// spans is a set of ids as ranges in ascending order.
type spans []span

type span struct{ from, to uint64 } // to is one more than the last

// add puts ids into the set and reports whether some were in it before.
func (s *spans) add(from, to uint64) (overlaps bool) {
	if n := len(*s); n > 0 && (*s)[n-1].to == from {
		(*s)[n-1].to = to
		return false
	}
	if len(*s) >= mostPending {
		return false
	}
	i, _ := slices.BinarySearchFunc(*s, from, func(a span, v uint64) int {
		if a.to < v {
			return -1
		}
		return 1
	})
	for j := i; j < len(*s) && (*s)[j].from <= to; {
		overlaps = overlaps || (*s)[j].from < to && from < (*s)[j].to
		from, to = min(from, (*s)[j].from), max(to, (*s)[j].to)
		*s = slices.Delete(*s, j, j+1)
	}
	*s = slices.Insert(*s, i, span{from, to})
	return overlaps
}

func (s spans) has(id uint64) bool {
	i, found := slices.BinarySearchFunc(s, id, func(a span, v uint64) int { return cmp.Compare(a.from, v) })
	return found || i > 0 && id < s[i-1].to
}

// majority finds the value that more than half of all have, if there is one.
type majority struct {
	value     uint64
	balance   int64
	same, all int64 // since value was chosen
}

func (m *majority) add(v uint64) {
	m.all++
	switch {
	case v == m.value:
		m.balance++
		m.same++
	case m.balance == 0:
		m.value, m.balance, m.same, m.all = v, 1, 1, 1
	default:
		m.balance--
	}
}

func (c *checker) beginStacks() { c.seed = maphash.MakeSeed() }

// checkStacks checks a block of stacks.
//
// Spec: "StackBlock Object".
func (c *checker) checkStacks(bad bool) {
	if c.b.Size == 0 {
		return
	}
	fault := c.walkTable()
	if fault.Rule != rule.None {
		if fault.Rule == rule.STK002 && c.table.number > math.MaxInt32 {
			fault.Ended = false // no stack is as large
		}
		c.layoutFault(fault)
		c.spoiled.stacks = true
	}
	if first, n := c.table.first, c.table.rows; n > 0 {
		if c.stacks.ids.add(uint64(first), uint64(first)+uint64(n)) && len(c.again) == 0 {
			if f := c.found(rule.STK005, 0, c.in(0, -1)); f != nil {
				f.id("stack", uint64(first))
			}
		}
		if c.lint && len(c.unusedSpots) < mostPending {
			c.unusedSpots = append(c.unusedSpots, stackBlock{first, uint32(n), c.here()})
		}
	}
	c.limited(bad, fault.Rule)
}

// stackField checks a field of a block of stacks.
func (c *checker) stackField(f *layout.Field) {
	t := &c.table
	switch f.Name {
	case "FirstId":
		t.first = uint32(f.Value)
		if len(c.stacks.ids) == 0 && c.topStack > 1 && f.Value == c.topStack {
			c.found(rule.STK016, 0, c.in(f.Pos, -1))
		}
	case "Count":
		switch {
		case uint64(t.first)+f.Value > 1<<32:
			c.fail(rule.STK006, 0)
		case f.Value == 0:
			c.noStacks(f.Pos)
		case t.first == 0:
			c.found(rule.STK004, 0, c.in(0, 0))
		}
	case "StackSize":
		if t.number = f.Value; f.To > len(c.b.Body) {
			return
		}
		c.walker.Skip()
		c.checkStack(c.text(f), f.Pos, t.rows)
		t.rows++
	}
}

// noStacks reports a block without stacks. Only the v4/v5 text forbids it.
func (c *checker) noStacks(at int) {
	severity := rule.Warning
	if rule.STK011.Rule().BasisIn(c.version) == rule.Fact {
		severity = rule.Information
	}
	c.foundAs(rule.STK011, severity, 0, c.in(at, -1))
}

// limited reports a block with a valid layout that the Reader gave up: it exceeds
// a limit.
func (c *checker) limited(bad bool, fault rule.ID) {
	if !bad || fault != rule.None {
		return
	}
	e := c.firstBad()
	if e.BlockOffset != c.b.Offset {
		return // not the first one: which limit is not known any more
	}
	id := c.rule(e.Rule)
	if f := c.found(id, 0, c.at(e.Offset, e.Row)); f != nil {
		f.Actual = e.Err.Error()
	}
}

// checkStack checks one stack.
func (c *checker) checkStack(frames []byte, at, row int) {
	if size := len(frames); size%c.trace.PointerSize != 0 {
		if f := c.found(rule.STK003, 0, c.in(at, row)); f != nil {
			f.want("a multiple of "+counted(int64(c.trace.PointerSize), "byte"), size)
		}
		return
	}
	c.checkFrames(frames, at+4, row)
	if c.lint {
		h := maphash.Bytes(c.seed, frames)
		if _, twice := c.written[h]; twice {
			c.found(rule.STK010, 0, c.in(at, row))
		} else if len(c.written) < mostUsed {
			if c.written == nil {
				c.written = map[uint64]struct{}{}
			}
			c.written[h] = struct{}{}
		}
	}
}

// checkFrames checks the addresses of a stack.
func (c *checker) checkFrames(frames []byte, at, row int) {
	size := c.trace.PointerSize
	c.stackCount++
	depth := len(frames) / size
	if depth == runtimeFrames {
		if c.cutStacks++; c.cutStacks == 1 {
			c.firstCut = c.in(at-4, row)
		}
	}
	if i := impossibleFrame(frames, size); i >= 0 {
		if f := c.found(rule.STK013, 0, c.in(at+i, row)); f != nil {
			f.want("an address", fmt.Sprintf("%#x as frame %d of %d", frame(frames[i:], size), i/size, len(frames)/size))
		}
	}
	if depth > 1 {
		c.ends[0].add(frame(frames, size))
		c.ends[1].add(frame(frames[len(frames)-size:], size))
	}
}

func frame(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// impossibleFrame is the position of an address that is 0 or all ones, or -1.
func impossibleFrame(frames []byte, size int) int {
	if size == 8 {
		for i := 0; i+8 <= len(frames); i += 8 {
			if binary.LittleEndian.Uint64(frames[i:])+1 <= 1 {
				return i
			}
		}
		return -1
	}
	for i := 0; i+4 <= len(frames); i += 4 {
		if binary.LittleEndian.Uint32(frames[i:])+1 <= 1 {
			return i
		}
	}
	return -1
}

// endStackRegion reports the references of a region, and removes its stacks.
func (c *checker) endStackRegion() {
	s := &c.stacks
	for _, id := range s.missing.ids() {
		which := rule.STK007
		switch {
		case s.ids.has(id):
			which = rule.STK008
		case s.before.has(id):
			which = rule.STK009
		}
		c.foundPending(which, "stack", id, s.missing[id])
	}
	s.missing, c.spoiled.stacks = nil, false
	if c.lint {
		c.unusedStacks()
	}
	c.topStack = 0
	for _, r := range s.ids {
		c.topStack = r.to
		s.before.add(r.from, r.to)
	}
	s.ids = s.ids[:0]
}

// unusedStacks counts the stacks of a region that no event refers to.
func (c *checker) unusedStacks() {
	for _, b := range c.unusedSpots {
		for i := range b.count {
			if _, ok := c.used[b.first+i]; !ok && !c.cut && len(c.used) < mostUsed {
				c.found(rule.STK017, 0, b.at)
			}
		}
	}
	c.unusedSpots = c.unusedSpots[:0]
	clear(c.used)
	clear(c.written)
}

// endStacks reports the findings about all stacks.
func (c *checker) endStacks() {
	if n := c.cutStacks; n > 0 && n*cutShare >= c.stackCount && c.format.HasObjects() && c.format.HasStackBlocks() {
		if f := c.found(rule.STK015, 0, c.firstCut); f != nil {
			f.Count = n
			f.Actual = counted(n, "stack") + " of " + counted(c.stackCount, "stack")
		}
	}
	leaf, root := c.ends[0], c.ends[1]
	if leaf.all > leafSample && leaf.same*10 >= leaf.all*9 && root.same*2 <= root.all {
		c.found(rule.STK012, 0, c.firstEvent)
	}
}
