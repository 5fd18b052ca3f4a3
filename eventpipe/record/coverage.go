package record

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// coverage counts the frames of stacks that are in a method of the trace. It does
// not consider when code was replaced.
type coverage struct {
	methods map[uint32]bool  // types of events that describe a method
	frames  map[uint64]int64 // by address
	seen    map[uint32]bool  // stacks of the region
	code    []span
	entries map[uint32]bool // types of events that describe an entry point
	starts  []uint64        // entry points of code that was compiled ahead of time
}

// span is where a method lies: from <= address < to.
type span struct{ from, to uint64 }

func newCoverage() *coverage {
	return &coverage{methods: map[uint32]bool{}, frames: map[uint64]int64{}, seen: map[uint32]bool{}, entries: map[uint32]bool{}}
}

// define registers a type of event. MethodLoad, MethodUnload, MethodDCStart and
// MethodDCEnd, with and without names, describe a method.
func (c *coverage) define(m *codec.Metadata) {
	switch clr.KindOf(m) {
	case clr.KindR2RGetEntryPoint:
		c.entries[m.ID] = true
	case clr.KindMethodLoad, clr.KindMethodLoadVerbose, clr.KindMethodUnload, clr.KindMethodUnloadVerbose,
		clr.KindMethodDCStart, clr.KindMethodDCStartVerbose, clr.KindMethodDCEnd, clr.KindMethodDCEndVerbose:
		c.methods[m.ID] = true
	default:
		delete(c.methods, m.ID)
		delete(c.entries, m.ID)
	}
}

// region begins the stacks anew.
func (c *coverage) region() { clear(c.seen) }

// event adds the method that an event describes. In all versions its payload
// begins with MethodID, ModuleID, MethodStartAddress (8 bytes each) and
// MethodSize (4). The end of R2RGetEntryPoint is the address and ClrInstanceID.
func (c *coverage) event(row *codec.EventRow) {
	if p := row.Payload; c.entries[row.MetadataID] && len(p) >= 10 {
		c.starts = append(c.starts, binary.LittleEndian.Uint64(p[len(p)-10:]))
	}
	if p := row.Payload; c.methods[row.MetadataID] && len(p) >= 28 {
		from := binary.LittleEndian.Uint64(p[16:])
		c.code = append(c.code, span{from, from + uint64(binary.LittleEndian.Uint32(p[24:]))})
	}
}

// stack adds the stack of an event, once in a region.
func (c *coverage) stack(id uint32, addresses []uint64) {
	if c.seen[id] {
		return
	}
	c.seen[id] = true
	for _, a := range addresses {
		c.frames[a]++
	}
}

// nameless counts the frames that lie in no method, and all.
func (c *coverage) nameless() (nameless, all int64) {
	slices.SortFunc(c.code, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	slices.Sort(c.starts)
	reach := make([]uint64, len(c.code)) // how far the methods up to here go
	for i, s := range c.code {
		reach[i] = s.to
		if i > 0 {
			reach[i] = max(s.to, reach[i-1])
		}
	}
	for a, n := range c.frames {
		all += n
		i, found := slices.BinarySearchFunc(c.code, a, func(s span, a uint64) int { return cmp.Compare(s.from, a) })
		if !found && (i == 0 || reach[i-1] <= a) && !c.afterEntry(a) {
			nameless += n
		}
	}
	return nameless, all
}

// afterEntry reports whether an entry point is so near below an address that it
// names it.
func (c *coverage) afterEntry(address uint64) bool {
	const maxDistance = 64 << 10 // as package symbols has it
	i, found := slices.BinarySearch(c.starts, address)
	return found || i > 0 && address-c.starts[i-1] <= maxDistance
}
