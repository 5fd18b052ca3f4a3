package symbols

import "slices"

// unloads has the last time at which memory was released. It is filled in time
// order.
//
// The ends of all ranges of later queries divide the addresses into parts; a part
// has the last unload that touched it. The parts are the leaves of a tree, where
// leaf i is node len(bounds)+i and node n the parent of 2n and 2n+1.
type unloads struct {
	bounds []uint64
	// Of a node: all[n] is the last unload of its complete range, any[n] the last
	// that began in it.
	all, any []uint64
}

// init prepares for the questions about rows.
func (u *unloads) init(rows []row) {
	ended := false
	for i := range rows {
		r := &rows[i]
		ended = ended || r.kind == unloaded
		if r.kind != loaded && r.function != 0 {
			u.bounds = append(u.bounds, r.start, r.end())
		}
	}
	if !ended {
		u.bounds = nil
	}
	slices.Sort(u.bounds)
	u.bounds = slices.Compact(u.bounds)
	u.all, u.any = make([]uint64, 2*len(u.bounds)), make([]uint64, 2*len(u.bounds))
}

// parts are those that a range touches: from <= part < to.
func (u *unloads) parts(r *row) (from, to int) {
	from = sortedBelow(len(u.bounds), func(i int) bool { return u.bounds[i] <= r.start })
	to = sortedBelow(len(u.bounds), func(i int) bool { return u.bounds[i] < r.end() })
	return max(from-1, 0), to
}

// add adds an unload.
func (u *unloads) add(r *row) {
	n := len(u.bounds)
	from, to := u.parts(r)
	if from >= to {
		return
	}
	for l, h := from+n, to+n; l < h; l, h = l/2, h/2 {
		if l%2 == 1 {
			u.all[l], u.any[l] = r.ticks, r.ticks
			l++
		}
		if h%2 == 1 {
			h--
			u.all[h], u.any[h] = r.ticks, r.ticks
		}
	}
	for p := (from + n) / 2; p > 0; p /= 2 {
		u.any[p] = max(u.all[p], u.any[2*p], u.any[2*p+1])
	}
}

// last is the time of the last unload that touched a row's range, 0 for none. One
// that began in the range is known to a node within it, or to one above an end of
// it; one that began before the range has touched its first part.
func (u *unloads) last(r *row) uint64 {
	n, when := len(u.bounds), uint64(0)
	from, to := u.parts(r)
	if from >= to {
		return 0
	}
	for l, h := from+n, to+n; l < h; l, h = l/2, h/2 {
		if l%2 == 1 {
			when = max(when, u.any[l])
			l++
		}
		if h%2 == 1 {
			h--
			when = max(when, u.any[h])
		}
	}
	return max(when, u.above(from+n), u.above(to-1+n))
}

// above is the last unload of all that a leaf is part of.
func (u *unloads) above(leaf int) uint64 {
	when := uint64(0)
	for ; leaf > 0; leaf /= 2 {
		when = max(when, u.all[leaf])
	}
	return when
}
