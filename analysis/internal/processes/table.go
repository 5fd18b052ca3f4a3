// Package processes keeps what a part of a report knows of each process.
package processes

import (
	"iter"
	"maps"
	"slices"
)

// Table has a State for each process. Its zero value is empty.
type Table[State any] struct {
	states map[uint64]*State
	id     uint64 // of last
	last   *State // the one that Get returned: the next event is most often of the same process
}

// Get returns the state of a process, nil if there is none.
func (t *Table[State]) Get(id uint64) *State {
	if t.last == nil || t.id != id {
		t.id, t.last = id, t.states[id]
	}
	return t.last
}

// Put sets the state of a process and returns it.
func (t *Table[State]) Put(id uint64, state *State) *State {
	if t.states == nil {
		t.states = map[uint64]*State{}
	}
	t.states[id] = state
	t.id, t.last = id, state
	return state
}

// All returns the states in ascending order of the ids of their processes.
func (t *Table[State]) All() iter.Seq[*State] {
	return func(yield func(*State) bool) {
		for _, id := range slices.Sorted(maps.Keys(t.states)) {
			if !yield(t.states[id]) {
				return
			}
		}
	}
}
