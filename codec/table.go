package codec

// idTable maps the ids of a table to its rows. Writers number rows from a small
// first id upwards, so a slice is used; ids outside of it are in a map. The zero
// value of T means "no such row".
//
// Invariants: dense[i] is the row of id base+i; the first known entries of dense
// are all present; no key of sparse is in the range of dense: each is at least
// base+lowest, and len(dense) <= lowest. The size of dense is in proportion to
// the number of rows, whatever their ids.
type idTable[T comparable] struct {
	base   uint64
	dense  []T
	known  uint64
	sparse map[uint64]T
	lowest uint64 // relative to base; of no meaning while sparse is empty
	count  int
}

const (
	// denseReach is how far beyond its end the dense part grows for a new id.
	denseReach = 1024
	// keptSparse is the size of the largest map that is cleared and kept. The
	// cost of clearing a map is that of the largest size that it ever had.
	keptSparse = 1024
)

// get returns the row of id, or the zero value.
func (t *idTable[T]) get(id uint64) T {
	dense := t.dense
	if i := id - t.base; i < uint64(len(dense)) {
		return dense[i]
	}
	return t.sparse[id]
}

// set makes v, which is not the zero value, the row of id.
func (t *idTable[T]) set(id uint64, v T) {
	var none T
	if t.get(id) == none {
		t.count++
	}
	if len(t.dense) == 0 {
		t.base = id
	}
	i := id - t.base
	switch {
	case i < uint64(len(t.dense)):
		t.dense[i] = v
	case t.reaches(i):
		for uint64(len(t.dense)) < i {
			t.dense = append(t.dense, none)
		}
		t.dense = append(t.dense, v)
	default:
		t.setSparse(i, v)
		return
	}
	for t.known < uint64(len(t.dense)) && t.dense[t.known] != none {
		t.known++
	}
}

// reaches reports whether the dense part may grow to position i: not far after
// its end, nor after the number of rows, nor to a key of sparse.
func (t *idTable[T]) reaches(i uint64) bool {
	return i <= uint64(len(t.dense))+denseReach && i <= 2*uint64(t.count)+denseReach &&
		(len(t.sparse) == 0 || i < t.lowest)
}

func (t *idTable[T]) setSparse(i uint64, v T) {
	if t.sparse == nil {
		t.sparse = make(map[uint64]T)
	}
	if len(t.sparse) == 0 || i < t.lowest {
		t.lowest = i
	}
	t.sparse[t.base+i] = v
}

// held estimates the bytes of a table of small values.
func (t *idTable[T]) held() int64 {
	return int64(cap(t.dense))*spanSize + int64(len(t.sparse))*sparseSize
}

// more estimates the bytes that n more small values take. A dense part that grows
// is there twice for a while.
func (t *idTable[T]) more(n int64) int64 {
	if all := int64(len(t.dense)) + n; all > int64(cap(t.dense)) {
		return n*sparseSize + max(all, int64(cap(t.dense))*5/4)*spanSize
	}
	return n * sparseSize
}

// trim lets go of the memory of an empty table.
func (t *idTable[T]) trim() {
	if len(t.dense) == 0 && len(t.sparse) == 0 {
		*t = idTable[T]{}
	}
}

// remove removes the row of id. A table that becomes empty releases its memory.
func (t *idTable[T]) remove(id uint64) {
	var none T
	if t.get(id) == none {
		return
	}
	if t.count--; t.count == 0 {
		*t = idTable[T]{}
		return
	}
	if i := id - t.base; i < uint64(len(t.dense)) {
		t.dense[i] = none
		t.known = min(t.known, i)
		return
	}
	delete(t.sparse, id)
}

// clear forgets all rows and keeps the memory.
func (t *idTable[T]) clear() {
	clear(t.dense)
	if len(t.sparse) > keptSparse {
		t.sparse = nil
	}
	clear(t.sparse)
	t.dense, t.base, t.known, t.count = t.dense[:0], 0, 0, 0
}

// has reports whether id has a row. It checks known first.
func (t *idTable[T]) has(id uint64) bool {
	var none T
	return id-t.base < t.known || t.get(id) != none
}
