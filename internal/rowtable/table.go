// Package rowtable finds what belongs to a metadata row: how a program handles the events of the row.
package rowtable

import "github.com/nettrace-go/nettrace/codec"

// Table has a value for each metadata row that was put into it. The zero value is empty. A Table is for one
// goroutine.
type Table[T any] struct {
	dense  []*entry[T] // by the ids below Dense
	sparse map[uint32]*entry[T]
}

// entry is the value of a row. The row with its id in the table of a Reader may be another one later.
type entry[T any] struct {
	row   *codec.Metadata
	value T
}

// Dense is how many ids a Table looks up in a slice. Files can have any ids.
const Dense = 1 << 14

// Find returns the value of a row with an id, nil if there is none, as for the row nil. The value stays where it
// is: a later Put does not move it.
func (t *Table[T]) Find(id uint32, row *codec.Metadata) *T {
	if id < uint32(len(t.dense)) {
		if e := t.dense[id]; e != nil && e.row == row {
			return &e.value
		}
		return nil
	}
	return t.findSparse(id, row)
}

func (t *Table[T]) findSparse(id uint32, row *codec.Metadata) *T {
	if e := t.sparse[id]; e != nil && e.row == row {
		return &e.value
	}
	return nil
}

// Put stores the value of a row, which is not nil, and replaces that of an earlier row with the id.
func (t *Table[T]) Put(id uint32, row *codec.Metadata, value T) *T {
	e := &entry[T]{row, value}
	if id >= Dense {
		if t.sparse == nil {
			t.sparse = map[uint32]*entry[T]{}
		}
		t.sparse[id] = e
		return &e.value
	}
	for uint32(len(t.dense)) <= id {
		t.dense = append(t.dense, nil)
	}
	t.dense[id] = e
	return &e.value
}
