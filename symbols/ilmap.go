package symbols

import (
	"slices"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// ilMap is a map from native offsets to IL offsets, sorted by native offset.
type ilMap struct {
	points []clr.ILPoint
	mapped []uint32 // the IL offsets, sorted, without special ones
	last   int      // index of the last epilogue of the main body; -1 for none
}

func newILMap(points []clr.ILPoint) *ilMap {
	m := &ilMap{points: points, last: -1}
	for _, p := range points {
		if isIL(p.IL) {
			m.mapped = append(m.mapped, p.IL)
		}
	}
	slices.Sort(m.mapped)
	m.mapped = slices.Compact(m.mapped)
	return m
}

func isIL(il uint32) bool { return il < clr.Epilog }

// at returns the IL offset of a native offset, or the reason why there is none.
func (m *ilMap) at(offset uint32) (uint32, Missing) {
	n := sortedBelow(len(m.points), func(i int) bool { return m.points[i].Native <= offset })
	if n == 0 {
		return 0, NoMap
	}
	first := n - 1
	for first > 0 && m.points[first-1].Native == m.points[n-1].Native {
		first--
	}
	highest, prolog, epilog := int64(-1), false, false
	for _, p := range m.points[first:n] {
		switch {
		case isIL(p.IL):
			highest = max(highest, int64(p.IL))
		case p.IL == clr.Prolog:
			prolog = true
		case p.IL == clr.Epilog:
			epilog = true
		}
	}
	switch {
	case highest >= 0:
		return uint32(highest), Found
	case prolog:
		return 0, Found
	case epilog && len(m.mapped) > 0:
		return m.mapped[len(m.mapped)-1], Found
	case epilog:
		return 0, NoMap
	}
	return m.unmapped(n - 1)
}

// unmapped returns the IL offset for code without IL. After the last epilogue
// there are helpers that throw for several statements. Elsewhere it is the code of
// the statement before.
func (m *ilMap) unmapped(at int) (uint32, Missing) {
	epilogBefore := slices.ContainsFunc(m.points[:at], func(p clr.ILPoint) bool { return p.IL == clr.Epilog })
	codeAfter := slices.ContainsFunc(m.points[at:], func(p clr.ILPoint) bool { return isIL(p.IL) || p.IL == clr.Prolog })
	if epilogBefore && !codeAfter {
		return 0, ThrowHelper
	}
	for i := at; i >= 0; i-- {
		switch p := m.points[i]; {
		case isIL(p.IL):
			return p.IL, Found
		case p.IL == clr.Prolog:
			return 0, Found
		}
	}
	return 0, NoMap
}

// around returns the nearest mapped IL offsets below and above one.
func (m *ilMap) around(il uint32) (below int64, above uint32) {
	i, found := slices.BinarySearch(m.mapped, il)
	below, above = -1, clr.Epilog
	if i > 0 {
		below = int64(m.mapped[i-1])
	}
	if found {
		i++
	}
	if i < len(m.mapped) {
		above = m.mapped[i]
	}
	return below, above
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
