package profile

import (
	"sort"

	"github.com/nettrace-go/nettrace/internal/blocking"
)

// markCode sets what the samples outside of managed code do not tell by themselves: whether they are
// in a contention, and for a runtime that calls all samples external whether the thread ran.
func (b *builder) markCode() {
	for _, of := range []Type{Wall, Event} {
		for thread := range b.p.records[of] {
			rows, locks := b.p.records[of].of(thread), b.p.records[Lock].of(thread)
			untold := b.threadsOf(b.p.threads.rows[thread].ProcessID).Version().OneSampleType()
			if untold {
				if b.p.oneCode == nil {
					b.p.oneCode = map[uint64]bool{}
				}
				b.p.oneCode[b.p.threads.rows[thread].ProcessID] = true
			}
			if rows.count == 0 || locks.count == 0 && !untold {
				continue
			}
			for _, r := range rows.all() {
				switch {
				case r.managed() || of == Event && EventType(b.p.details.at(r.at()).of) != Wall:
				case locks.holds(r.ticks):
					r.detail |= lockedBit
				case untold && blocking.Judge(b.p.names.placesIn(b.p.stacks.get(b.p.named(r))), blocking.NotTold).State == blocking.Running:
					r.detail |= ranBit
				}
			}
		}
	}
}

// holds reports whether a time is in one of the records, which are in the order of time.
func (l *records) holds(ticks uint64) bool {
	n := sort.Search(l.count, func(i int) bool { return l.at(i).ticks > ticks })
	const nested = 2 // contentions hardly nest
	for i := n - 1; i >= max(0, n-nested); i-- {
		if ticks <= l.at(i).until {
			return true
		}
	}
	return false
}
