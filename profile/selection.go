package profile

import "slices"

// IDRange is a range of ids of the operating system.
type IDRange struct {
	First, Last uint64 // both inclusive
}

// Contains reports whether id is in the range.
func (r IDRange) Contains(id uint64) bool { return r.First <= id && id <= r.Last }

// Selected reports whether Options.Threads and Options.Processes select a thread,
// by its index in Threads.
func (p *Profile) Selected(thread int) bool { return p.wanted(thread) }

// wanted reports whether the samples of a thread are returned.
func (p *Profile) wanted(thread int) bool {
	if thread < 0 || thread >= len(p.threads.rows) {
		return false
	}
	row := &p.threads.rows[thread]
	if len(p.opt.Threads) > 0 && !slices.ContainsFunc(p.opt.Threads, func(r IDRange) bool { return r.Contains(row.ID) }) {
		return false
	}
	return len(p.opt.Processes) == 0 || row.ProcessID != 0 &&
		slices.ContainsFunc(p.opt.Processes, func(r IDRange) bool { return r.Contains(row.ProcessID) })
}
