package codec

// idTable maps the ids of a table to its rows. Writers number rows from a
// small first id upwards, so a slice serves; ids outside its reach go to a map.
// The zero value of T stands for "no such row".
//
// Invariants: dense[i] is the row of id base+i; the first known entries of
// dense are all present; no key of sparse is in the reach of dense.
type idTable[T comparable] struct {
	base   uint64
	dense  []T
	known  uint64
	sparse map[uint64]T
	count  int
}

// denseReach is how far beyond its end the dense part grows for a new id.
const denseReach = 1024

// get returns the row of id, or the zero value.
func (t *idTable[T]) get(id uint64) T {
	if i := id - t.base; i < uint64(len(t.dense)) {
		return t.dense[i]
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
	case i <= uint64(len(t.dense))+denseReach && t.clearOfSparse(id):
		for uint64(len(t.dense)) < i {
			t.dense = append(t.dense, none)
		}
		t.dense = append(t.dense, v)
	default:
		if t.sparse == nil {
			t.sparse = make(map[uint64]T)
		}
		t.sparse[id] = v
		return
	}
	for t.known < uint64(len(t.dense)) && t.dense[t.known] != none {
		t.known++
	}
}

// clearOfSparse says whether the dense part can grow to id: no key of sparse
// may come into its reach.
func (t *idTable[T]) clearOfSparse(id uint64) bool {
	if len(t.sparse) == 0 {
		return true
	}
	for next := t.base + uint64(len(t.dense)); next <= id; next++ {
		if _, ok := t.sparse[next]; ok {
			return false
		}
	}
	return true
}

// remove forgets the row of id.
func (t *idTable[T]) remove(id uint64) {
	var none T
	if t.get(id) == none {
		return
	}
	t.count--
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
	clear(t.sparse)
	t.dense, t.base, t.known, t.count = t.dense[:0], 0, 0, 0
}

// has says whether id has a row, by the promise of known first.
func (t *idTable[T]) has(id uint64) bool {
	var none T
	return id-t.base < t.known || t.get(id) != none
}
