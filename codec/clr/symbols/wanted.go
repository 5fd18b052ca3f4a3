package symbols

import "slices"

// wanted is a growing set of addresses that is queried by ranges. The runs are
// sorted, each at least twice as long as the next; usually, when all queries come
// after all addresses, there is one.
type wanted struct {
	added []uint64
	runs  [][]uint64
}

// maxAdded is how many addresses may wait: they are sorted before they are
// more, so that doubles do not pile up.
const maxAdded = 1 << 14

func (w *wanted) add(address uint64) {
	if w.added = append(w.added, address); len(w.added) >= maxAdded {
		w.settle()
	}
}

// any reports whether an address is in [start, end).
func (w *wanted) any(start, end uint64) bool {
	if len(w.added) > 0 {
		w.settle()
	}
	for _, run := range w.runs {
		if i, _ := slices.BinarySearch(run, start); i < len(run) && run[i] < end {
			return true
		}
	}
	return false
}

// size is the number of addresses. Those that were added several times since the
// last run was made count several times.
func (w *wanted) size() int {
	n := len(w.added)
	for _, run := range w.runs {
		n += len(run)
	}
	return n
}

// settle makes a run of the added addresses.
func (w *wanted) settle() {
	slices.Sort(w.added)
	w.runs = append(w.runs, slices.Clone(slices.Compact(w.added)))
	w.added = w.added[:0]
	for n := len(w.runs); n > 1 && len(w.runs[n-2]) < 2*len(w.runs[n-1]); n-- {
		w.runs[n-2] = merge(w.runs[n-2], w.runs[n-1])
		w.runs = w.runs[:n-1]
	}
}

// merge returns the union of two sorted sets.
func merge(a, b []uint64) []uint64 {
	out := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case b[0] < a[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}
