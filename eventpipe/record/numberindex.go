package record

import (
	"cmp"
	"slices"
)

// numberIndex finds the row of a number, such as an address, and the row of the nearest
// number below. It takes 16 bytes for each one.
type numberIndex struct {
	sorted []numbered
	recent map[uint64]int // rows of numbers that are not in sorted
}

// numbered is a row with its number.
type numbered struct {
	number uint64
	row    int
}

// find returns the row of a number.
func (x *numberIndex) find(number uint64) (row int, ok bool) {
	if row, ok := x.recent[number]; ok {
		return row, true
	}
	if at, ok := x.search(number); ok {
		return x.sorted[at].row, true
	}
	return 0, false
}

func (x *numberIndex) search(number uint64) (at int, found bool) {
	return slices.BinarySearchFunc(x.sorted, number, func(n numbered, number uint64) int { return cmp.Compare(n.number, number) })
}

// set sets the row of a number.
func (x *numberIndex) set(number uint64, row int) {
	if at, ok := x.search(number); ok {
		x.sorted[at].row = row
		return
	}
	if x.recent == nil {
		x.recent = map[uint64]int{}
	}
	x.recent[number] = row
	const some = 1 << 10
	if len(x.recent) >= max(some, len(x.sorted)/4) {
		x.sort()
	}
}

// sort moves the recent numbers to the sorted ones.
func (x *numberIndex) sort() {
	if len(x.recent) == 0 {
		return
	}
	all := make([]numbered, len(x.sorted), len(x.sorted)+len(x.recent))
	copy(all, x.sorted)
	for number, row := range x.recent {
		all = append(all, numbered{number, row})
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	x.sorted, x.recent = all, nil
}

// below returns the row of the largest number that is not above another one.
func (x *numberIndex) below(number uint64) (row int, ok bool) {
	x.sort()
	at, found := x.search(number)
	if !found {
		at--
	}
	if at < 0 {
		return 0, false
	}
	return x.sorted[at].row, true
}

// move replaces the rows by those in a list.
func (x *numberIndex) move(moved []int) {
	for i := range x.sorted {
		x.sorted[i].row = moved[x.sorted[i].row]
	}
	for number, row := range x.recent {
		x.recent[number] = moved[row]
	}
}
