package edit

import (
	"iter"
	"slices"
)

// numbering gives the rows of a table new numbers, from 1, at their first use.
type numbering[T any] struct {
	what    string
	changes *changes
	rows    map[uint64]*numbered[T] // by the number they came with
	last    uint64                  // the newest number
	fresh   []*numbered[T]          // referred to, without a number yet
}

// numbered is a row of a table.
type numbered[T any] struct {
	row     T
	defined bool   // the stream has it
	waits   bool   // it is in fresh
	number  uint64 // 0: none yet
	weight  int
}

func (n *numbering[T]) init(what string, c *changes) {
	n.what, n.changes, n.rows = what, c, map[uint64]*numbered[T]{}
}

// define stores a row. It replaces the row that had its number before.
func (n *numbering[T]) define(id uint64, row T) {
	n.forget(id)
	n.rows[id] = &numbered[T]{row: row, defined: true}
}

func (n *numbering[T]) known(id uint64) bool { return n.rows[id] != nil }

func (n *numbering[T]) written(id uint64) bool { return n.rows[id] != nil && n.rows[id].number != 0 }

// refer returns the row of an id, which will have a number. One that the stream
// does not define stays undefined under a number of its own.
func (n *numbering[T]) refer(id uint64) *numbered[T] {
	row := n.rows[id]
	if row == nil {
		row = &numbered[T]{}
		n.rows[id] = row
	}
	if row.number == 0 && !row.waits {
		row.waits = true
		n.fresh = append(n.fresh, row)
	}
	return row
}

// forget drops a row, and counts one that nothing referred to.
func (n *numbering[T]) forget(id uint64) {
	if row := n.rows[id]; row != nil {
		n.drop(row)
		delete(n.rows, id)
	}
}

func (n *numbering[T]) drop(row *numbered[T]) {
	if row.number == 0 && !row.waits {
		n.changes.add("unused rows left out, "+n.what, 1)
	}
}

// clear drops all rows and starts at 1 again.
func (n *numbering[T]) clear() {
	for _, row := range n.rows {
		n.drop(row)
	}
	clear(n.rows)
	n.last = 0
}

// assign gives the new rows their numbers and yields the defined ones: those with
// the greatest weight first, those of one weight in their order. Undefined ones
// come last, so that the yielded numbers have no gap.
func (n *numbering[T]) assign() iter.Seq2[uint64, T] {
	slices.SortStableFunc(n.fresh, func(a, b *numbered[T]) int {
		switch {
		case a.defined != b.defined && a.defined:
			return -1
		case a.defined != b.defined:
			return 1
		}
		return b.weight - a.weight
	})
	for _, row := range n.fresh {
		n.last++
		row.number = n.last
	}
	fresh := n.fresh
	n.fresh = n.fresh[:0]
	return func(yield func(uint64, T) bool) {
		for _, row := range fresh {
			if row.defined && !yield(row.number, row.row) {
				return
			}
		}
	}
}

// countReference counts a reference, unless the one before is the same.
func countReference[T any](row, prev *numbered[T]) {
	if row != nil && row != prev {
		row.weight++
	}
}
