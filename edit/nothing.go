package edit

import (
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
)

// ErrNothing means that the options of Slice or Split select no event. The
// error that they return is a *[NothingError].
var ErrNothing = errors.New("edit: no event is selected")

// NothingError is the error of Slice and Split when they select no event of the
// source.
type NothingError struct {
	Events      int64           // number of events in the source
	Time        codec.TimeRange // the time range of the options
	Outside     int64           // number of events outside of Time
	First, Last uint64          // oldest and newest timestamp of Outside, in ticks
}

// Error names the options that exclude the events.
func (e *NothingError) Error() string {
	switch {
	case e.Events == 0:
		return fmt.Sprintf("%v: the source has no events", ErrNothing)
	case e.Outside == e.Events:
		return fmt.Sprintf("%v: the events are at ticks %d to %d, all outside of the time range", ErrNothing, e.First, e.Last)
	}
	text := fmt.Sprintf("%v: the options exclude all %d events", ErrNothing, e.Events-e.Outside)
	if e.Time.Bounded() {
		text += " in the time range"
	}
	return text
}

// Unwrap returns ErrNothing.
func (e *NothingError) Unwrap() error { return ErrNothing }
