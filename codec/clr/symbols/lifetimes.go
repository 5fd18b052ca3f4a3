package symbols

import (
	"cmp"
	"math"
	"slices"
)

// lifetime is a range and its meaning from one time to another.
type lifetime struct {
	start, end uint64 // addresses: start <= a < end
	from, to   uint64 // ticks: from <= t < to; to is forever at the trace's end
	value      uint32 // number plus one of a function or a module; 0 for nothing known
	evidence   Evidence
	order      uint32 // position before sorting
	code       uint32 // number plus one of a body, 0 for none
}

const forever = math.MaxUint64

// lifetimes are found by address. They are sorted by start; reach[i] is the highest
// end of those up to i.
type lifetimes struct {
	list  []lifetime
	reach []uint64
}

// maxLifetimes is the number of lifetimes that are examined for one address;
// there are rarely more than two. Of more, those that begin nearest below it
// count.
const maxLifetimes = 1 << 12

func (l *lifetimes) init(list []lifetime) {
	for i := range list {
		list[i].order = uint32(i)
	}
	slices.SortFunc(list, func(a, b lifetime) int { // SortStableFunc takes longer
		if a.start != b.start {
			return cmp.Compare(a.start, b.start)
		}
		return cmp.Compare(a.order, b.order)
	})
	l.list = list
	l.reach = make([]uint64, len(list))
	highest := uint64(0)
	for i := range list {
		highest = max(highest, list[i].end)
		l.reach[i] = highest
	}
}

// below is the number of lifetimes that start at an address or below.
func (l *lifetimes) below(address uint64) int {
	return sortedBelow(len(l.list), func(i int) bool { return l.list[i].start <= address })
}

// sortedBelow is the number of elements, of n, that are low; those come first.
func sortedBelow(n int, low func(int) bool) int {
	from, to := 0, n
	for from < to {
		middle := int(uint(from+to) / 2)
		if low(middle) {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// at appends the lifetimes that contain the address at some time, sorted by their
// start times.
func (l *lifetimes) at(dst []lifetime, address uint64) []lifetime {
	looked := 0
	for i := l.below(address) - 1; i >= 0 && l.reach[i] > address && looked < maxLifetimes; i-- {
		if l.list[i].end > address && l.list[i].value != 0 {
			dst = append(dst, l.list[i])
		}
		looked++
	}
	slices.Reverse(dst)
	slices.SortStableFunc(dst, func(a, b lifetime) int { return cmp.Compare(a.from, b.from) })
	return dst
}

// timeline divides time into spans, each with its effective lifetime: the valid
// one, or else the nearest. If several are valid, the one that began last has
// replaced the others.
func timeline(sorted []lifetime) []timespan {
	var spans []timespan
	for i := range sorted {
		one := &sorted[i]
		to := one.to
		if i+1 < len(sorted) {
			to = min(to, sorted[i+1].from)
		}
		if to <= one.from && i+1 < len(sorted) && sorted[i+1].from == one.from {
			continue // nothing is left of it
		}
		from := uint64(0)
		if n := len(spans); n > 0 {
			last := &spans[n-1]
			from = last.to + (one.from-last.to)/2 // the middle of a gap
			last.to = from
		}
		spans = append(spans, timespan{from, max(to, from), one})
	}
	if n := len(spans); n > 0 {
		spans[n-1].to = forever
	}
	return spans
}

// timespan is a part of time, from <= t < to, but to the end of time.
type timespan struct {
	from, to uint64
	lifetime *lifetime
}

// build makes lifetimes of the rows, if there are new ones.
func (t *Table) build(s *space) {
	if s.built {
		return
	}
	s.built, s.methods = true, nil
	s.sort()
	s.nameByMethod()
	t.nameAssemblies(s)
	b := lifetimeBuilder{space: s, open: map[uint64]int{}}
	b.run()
	s.code.init(slices.Concat(t.storedLifetimes(s), b.list, t.symbolLifetimes(s)))
	s.mappings.init(t.mappingLifetimes(s))
	t.buildEntries(s)
}

// nameByMethod finds functions by the ids of methods, for rows without names.
func (s *space) nameByMethod() {
	unnamed := map[uint64]uint32{}
	for i := range s.rows {
		if r := &s.rows[i]; r.function == 0 && s.wanted.any(r.start, r.end()) {
			unnamed[r.method] = 0
		}
	}
	if len(unnamed) == 0 {
		return
	}
	for i := range s.rows {
		r := &s.rows[i]
		if _, asked := unnamed[r.method]; asked && r.function != 0 {
			unnamed[r.method] = r.function
		}
	}
	for i := range s.rows {
		if r := &s.rows[i]; r.function == 0 {
			r.function = unnamed[r.method]
		}
	}
}

// lifetimeBuilder visits the rows of a space in time order.
type lifetimeBuilder struct {
	space *space
	ends  unloads
	open  map[uint64]int // lifetimes that have not ended, by start
	list  []lifetime
}

func (b *lifetimeBuilder) run() {
	rows := b.space.rows
	b.ends.init(rows)
	for i := range rows {
		r := &rows[i]
		one := lifetime{start: r.start, end: r.end(), to: forever, value: r.function, code: r.code}
		switch r.kind {
		case loaded:
			one.from, one.evidence = r.ticks, Load
			b.begin(one)
		case present:
			one.from, one.evidence = b.ends.last(r), Rundown
			b.begin(one)
		case unloaded:
			b.unload(one, r)
		case stillLoaded:
			one.from, one.evidence = b.ends.last(r), Rundown
			b.list = append(b.list, one)
		case inImage:
			one.evidence = Image
			b.list = append(b.list, one)
		}
	}
}

func (b *lifetimeBuilder) begin(one lifetime) {
	b.open[one.start] = len(b.list)
	b.list = append(b.list, one)
}

// unload ends the lifetime that a load began, or adds one whose load is missing.
// One without a name only bounds the range of entry points.
func (b *lifetimeBuilder) unload(one lifetime, r *row) {
	if i, open := b.open[r.start]; open {
		have := &b.list[i]
		have.to = r.ticks
		if have.value == 0 {
			have.value = r.function
		}
		delete(b.open, r.start)
	} else if r.function != 0 || len(b.space.entries) > 0 {
		one.from, one.to, one.evidence = b.ends.last(r), r.ticks, Unload
		b.list = append(b.list, one)
	}
	b.ends.add(r)
}
