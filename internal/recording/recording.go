// Package recording finds when the recording of a trace began and ended.
package recording

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Recording finds when a recording began and ended. The runtime logs its rundown
// after it has stopped the session: where the rundown comes last, the recording
// ended when it began, which can be much later than the last other event and much
// earlier than the last event. A slice has bounds; its rundown is outside of them.
// Where the format has no place for bounds, a slice is known by its rundown, which
// has neither DCEndInit nor DCEndComplete, and by naming events without stacks:
// neither makes the recording longer. A recording without a rundown lasts until
// ProcessInfo, which the runtime logs when it stops a session.
type Recording struct {
	slice codec.TimeRange
	all   extent // of all events
	own   extent // of events in the slice that are not there for their names alone

	rundown    uint64 // first event of the rundown that is not before the end of own
	hasRundown bool
	marked     bool // the rundown is that of the end of the recording

	ended    uint64 // the last ProcessInfo, 0 for none
	rundowns bool   // there are events of a rundown
}

// New returns a Recording of the part of a trace that SliceTime returns.
func New(slice codec.TimeRange) Recording { return Recording{slice: slice} }

// extent is the first and the last of some times.
type extent struct {
	any         bool
	first, last uint64
}

func (e *extent) add(ticks uint64) {
	if !e.any {
		e.any, e.first, e.last = true, ticks, ticks
	}
	e.first, e.last = min(e.first, ticks), max(e.last, ticks)
}

// Class is what a Recording needs of a metadata row.
type Class uint8

const (
	ordinary     Class = iota
	namesOnly          // the event is there for names alone
	endOfSession       // the same, and the runtime logs it when it stops the session
	addedLater         // the program that recorded has added it
	inRundown
	boundsRundown // it is the first or the last event of a rundown
)

// ClassOf returns the Class of the events of a metadata row, with or without a stack.
func ClassOf(m *codec.Metadata, stack bool) Class {
	kind := clr.KindOf(m)
	switch {
	case m == nil:
		return ordinary
	case kind == clr.KindDCEndInit || kind == clr.KindDCEndComplete:
		return boundsRundown
	case m.Provider == clr.RundownProvider:
		return inRundown
	case kind == clr.KindProcessInfo:
		return endOfSession
	case !stack && symbols.IsNaming(m):
		return namesOnly
	case m.Provider == clr.CollectorProvider:
		return addedLater
	}
	return ordinary
}

// Classes are those of the events of a metadata row.
type Classes struct{ bare, stacked Class }

// ClassesOf returns the Classes of a metadata row.
func ClassesOf(m *codec.Metadata) Classes { return Classes{ClassOf(m, false), ClassOf(m, true)} }

// Of returns the Class of an event.
func (c Classes) Of(ev *codec.Event) Class {
	if c.bare != c.stacked && len(ev.Stack()) == 0 {
		return c.bare
	}
	return c.stacked
}

// Add adds an event of a Class.
func (r *Recording) Add(ticks uint64, c Class) {
	r.all.add(ticks)
	switch {
	case c == namesOnly, c == addedLater, !r.slice.Contains(ticks):
	case c == endOfSession:
		r.ended = max(r.ended, ticks)
	case c == ordinary:
		r.addOwn(ticks)
	default:
		r.rundowns = true
		r.marked = r.marked || c == boundsRundown
		r.addRundown(ticks)
	}
}

// addOwn adds an event that is not there for its names alone.
func (r *Recording) addOwn(ticks uint64) {
	r.own.add(ticks)
	r.hasRundown = r.hasRundown && r.rundown >= r.own.last
}

// addRundown adds an event of the rundown.
func (r *Recording) addRundown(ticks uint64) {
	if ticks >= r.own.last && (!r.hasRundown || ticks < r.rundown) {
		r.rundown, r.hasRundown = ticks, true
	}
}

// Bounds returns when the recording began and ended: at the bounds of a slice, if
// the trace has events outside of them, otherwise with its events.
func (r *Recording) Bounds() (start, end uint64) {
	start, end = r.all.first, r.all.last
	if r.own.any {
		end = r.own.last
		if r.slice.HasFrom {
			start = r.own.first
		}
		switch {
		case r.hasRundown && r.marked:
			end = r.rundown
		case !r.rundowns:
			end = max(end, r.ended)
		}
	}
	if r.slice.HasFrom && r.all.first < r.slice.From {
		start = r.slice.From
	}
	if r.slice.HasTo && r.all.last >= r.slice.To {
		end = r.slice.To
	}
	return start, max(start, end)
}
