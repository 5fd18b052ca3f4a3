// Package recent has what the condensers of parts know of the threads of a chunk.
package recent

import "github.com/nettrace-go/nettrace/analysis"

// Threads has a State of each thread. Its zero value is empty.
type Threads[State any] struct {
	states map[analysis.Thread]*State
	last   [places]place[State] // by the low bits of the id: samples come for one thread after the other
}

// places is the number of threads that are found without the map.
const places = 64

// place is the last thread that was looked up in a place.
type place[State any] struct {
	thread analysis.Thread
	state  *State
}

// maxKept is the number of threads that Trim keeps.
const maxKept = 1 << 12

// Get returns the state of a thread, a new one if there is none.
func (t *Threads[State]) Get(thread analysis.Thread) *State {
	p := &t.last[thread.ID%places]
	if p.state == nil || p.thread != thread {
		*p = place[State]{thread, t.find(thread)}
	}
	return p.state
}

// find is the slow path of Get.
func (t *Threads[State]) find(thread analysis.Thread) *State {
	state := t.states[thread]
	if state == nil {
		if t.states == nil {
			t.states = map[analysis.Thread]*State{}
		}
		state = new(State)
		t.states[thread] = state
	}
	return state
}

// Trim removes all states if they are too many to be kept for the next chunk.
func (t *Threads[State]) Trim() {
	if len(t.states) > maxKept {
		*t = Threads[State]{}
	}
}
