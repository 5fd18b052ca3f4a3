package trigger

// maxPairs bounds the keys of the open intervals of a kind.
const maxPairs = 1 << 16

// maxOpen bounds the open intervals of a key. A map allocates each value of more
// than 128 bytes.
const maxOpen = 3

// pairs finds the starts and stops that belong together. They come in the order
// of the stream: a stop comes before its start if another thread logged it.
type pairs struct {
	open      map[uint64]unpaired
	forgotten int64 // keys whose open intervals were removed because of maxPairs
}

// unpaired are the starts and the stops of a key without a partner.
type unpaired struct{ starts, stops ends }

// ends are the ends of intervals of a key, in the order of the stream.
type ends struct {
	list [maxOpen]end
	n    int
}

// end is a start or a stop.
type end struct {
	at        int64 // ns
	ambiguous bool  // several intervals were open at once: it is unknown which one stopped
}

// event adds a start or a stop. It returns the length of an interval whose two
// ends are known.
func (p *pairs) event(key uint64, role role, at int64) (nanos int64, ok bool) {
	one := p.open[key]
	if role == starts {
		nanos, ok = one.start(at)
	} else {
		nanos, ok = one.stop(at)
	}
	if one.starts.n+one.stops.n == 0 {
		delete(p.open, key)
		return nanos, ok
	}
	if p.open == nil {
		p.open = map[uint64]unpaired{}
	}
	if len(p.open) >= maxPairs {
		p.forgotten += int64(len(p.open))
		clear(p.open)
	}
	p.open[key] = one
	return nanos, ok
}

// start adds a start, or removes the stop that came before it.
func (u *unpaired) start(at int64) (nanos int64, ok bool) {
	for i := range u.stops.n {
		if stop := u.stops.list[i]; stop.at >= at {
			u.stops.remove(i)
			return stop.at - at, true
		}
	}
	u.stops = ends{} // those of intervals that began before the recording
	u.starts.add(end{at: at})
	return 0, false
}

// stop removes the start of an interval. If several are open at that time, they
// are ambiguous.
func (u *unpaired) stop(at int64) (nanos int64, ok bool) {
	found, count := -1, 0
	for i := range u.starts.n {
		if u.starts.list[i].at > at {
			continue
		}
		if count++; found < 0 {
			found = i
		}
	}
	if count == 0 {
		u.stops.add(end{at: at})
		return 0, false
	}
	start := u.starts.list[found]
	u.starts.remove(found)
	if count > 1 {
		for i := range u.starts.n {
			if u.starts.list[i].at <= at {
				u.starts.list[i].ambiguous = true
			}
		}
		return 0, false
	}
	return at - start.at, !start.ambiguous
}

// add appends an end. If there is no room, the oldest one is forgotten.
func (e *ends) add(one end) {
	if e.n == maxOpen {
		e.remove(0)
	}
	e.list[e.n] = one
	e.n++
}

func (e *ends) remove(i int) {
	copy(e.list[i:e.n], e.list[i+1:e.n])
	e.n--
}
