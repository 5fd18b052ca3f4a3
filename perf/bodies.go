package perf

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Body is the machine code of a managed method.
type Body struct {
	Start uint64 // address of the first instruction
	End   uint64 // the first address after it
	// OSR reports that it was compiled while the method was in a loop: it runs in the frame of the
	// body before.
	OSR  bool
	from uint64 // when it was compiled; 0: before the recording
}

// Bodies are the bodies of the managed methods of a process.
type Bodies struct {
	list  []Body
	reach []uint64 // the largest end up to there; nil: not sorted
}

// Add adds the body that an event of the runtime is about; it ignores other events.
func (b *Bodies) Add(ev *codec.Event) {
	from := uint64(0)
	switch clr.KindOf(ev.Metadata()) {
	case clr.KindMethodLoad, clr.KindMethodLoadVerbose:
		from = ev.Timestamp
	case clr.KindMethodDCStart, clr.KindMethodDCStartVerbose, clr.KindMethodDCEnd, clr.KindMethodDCEndVerbose:
	default:
		return
	}
	e := clr.MethodLoad(ev)
	if e.Short() || e.MethodSize() == 0 {
		return
	}
	const tierShift, tiers, osr = 7, 7, 5 // bits 7 to 9 of the flags
	start := e.MethodStartAddress()
	b.list = append(b.list, Body{start, start + uint64(e.MethodSize()), e.MethodFlags()>>tierShift&tiers == osr, from})
	b.reach = nil
}

// Find returns the body that contains an address at a time: of several the last one that was
// compiled before.
func (b *Bodies) Find(address, time uint64) (Body, bool) {
	if b.reach == nil {
		slices.SortStableFunc(b.list, func(x, y Body) int { return compare(x.Start, y.Start) })
		largest := uint64(0)
		b.reach = make([]uint64, 0, len(b.list))
		for i := range b.list {
			largest = max(largest, b.list[i].End)
			b.reach = append(b.reach, largest)
		}
	}
	at, _ := slices.BinarySearchFunc(b.list, address+1, func(x Body, a uint64) int { return compare(x.Start, a) })
	var best *Body
	for at--; at >= 0 && b.reach[at] > address; at-- {
		one := &b.list[at]
		if address >= one.End {
			continue
		}
		switch {
		case best == nil, one.from <= time && (best.from > time || one.from > best.from), one.from > time && best.from > time && one.from < best.from:
			best = one
		}
	}
	if best == nil {
		return Body{}, false
	}
	return *best, true
}

// Contains reports whether an address is in a body at a time.
func (b *Bodies) Contains(address, time uint64) bool {
	_, ok := b.Find(address, time)
	return ok
}
