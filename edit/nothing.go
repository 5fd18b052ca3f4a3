package edit

import (
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
)

// ErrNothing means that the options of Slice or Split select no event. The error
// is a *NothingError.
var ErrNothing = errors.New("no event is selected")

// NothingError describes the events of a source of which none is selected.
type NothingError struct {
	Events      int64 // of the source
	Time        codec.TimeRange
	Outside     int64  // events of the source that are not in Time
	First, Last uint64 // oldest and newest timestamp of those, in ticks
}

// Error describes what excludes the events.
func (e *NothingError) Error() string {
	switch {
	case e.Events == 0:
		return fmt.Sprintf("edit: %v: the source has no events", ErrNothing)
	case e.Outside == e.Events:
		return fmt.Sprintf("edit: %v: the events are at ticks %d to %d, all outside of the time range", ErrNothing, e.First, e.Last)
	}
	return fmt.Sprintf("edit: %v: the options exclude all %d events in the time range", ErrNothing, e.Events-e.Outside)
}

// Unwrap returns ErrNothing.
func (e *NothingError) Unwrap() error { return ErrNothing }
