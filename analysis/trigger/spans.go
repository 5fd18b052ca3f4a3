package trigger

import (
	"hash/maphash"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/model"
)

// opened has the intervals of a kind that have begun.
type opened struct {
	pairs
	suspending model.Suspending[uint64, int64] // by thread, with the time of the begin in ns
}

// span returns the length in nanoseconds of an interval that an event ends, or that it begins if its stop came before.
func (o *opened) span(kind *spanKind, role role, e *codec.Event) (nanos int64, ok bool) {
	at := e.Time().UnixNano()
	if kind.key != nil {
		key, ok := kind.key(e)
		if !ok {
			return 0, false
		}
		return o.event(key, role, at)
	}
	thread, ok := e.ThreadID()
	switch {
	case !ok:
		return 0, false
	case role == starts:
		o.suspending.Begin(thread, model.SuspensionOf(e)).Of = at
		return 0, false
	}
	one, ok := o.suspending.End(thread, e.Timestamp)
	return max(at-one.Of, 0), ok && one.IsPause()
}

// role is what an event is in an interval.
type role uint8

const (
	starts role = iota + 1
	stops
)

// spanKind is a kind of interval between a start and a stop.
type spanKind struct {
	what      string // is slow: "a pause of the garbage collector"
	providers []eventpipe.Provider
	events    map[clr.Kind]role
	// key returns what a start and its stop have in common, and whether the event counts. nil:
	// they are suspensions.
	key func(e *codec.Event) (uint64, bool)
	// path, if set, returns the path of a request from its stop.
	path func(e *codec.Event) string
}

// pauses are pauses by the garbage collector, which model pairs.
var pauses = spanKind{
	what:      "a pause by the garbage collector",
	providers: []eventpipe.Provider{{Name: clr.RuntimeProvider, Keywords: 1, Level: 4}},
	events:    map[clr.Kind]role{clr.KindGCSuspendEEBegin: starts, clr.KindGCRestartEEEnd: stops},
}

// served are requests that Kestrel served, from its start to its stop.
var served = spanKind{
	what:      "a request",
	providers: []eventpipe.Provider{{Name: clr.KestrelProvider, Keywords: 1<<64 - 1, Level: 4}},
	events:    map[clr.Kind]role{clr.KindKestrelRequestStart: starts, clr.KindKestrelRequestStop: stops},
	key: func(e *codec.Event) (uint64, bool) {
		r := clr.KestrelRequestStop(e) // a start has the same fields
		return maphash.Bytes(seed, r.RequestID()), len(r.RequestID()) > 0
	},
	path: func(e *codec.Event) string {
		r := clr.KestrelRequestStop(e)
		return string(wire.AppendUTF16(append(wire.AppendUTF16(nil, r.Method()), ' '), r.Path()))
	},
}

// sent are requests that HttpClient sent.
var sent = spanKind{
	what: "a request of HttpClient",
	providers: []eventpipe.Provider{
		{Name: clr.HTTPProvider, Keywords: 1<<64 - 1, Level: 4}, {Name: clr.TasksProvider, Keywords: 0x80, Level: 4},
	},
	events: map[clr.Kind]role{clr.KindHTTPRequestStart: starts, clr.KindHTTPRequestStop: stops},
	key: func(e *codec.Event) (uint64, bool) {
		id := e.Activity()
		return maphash.Bytes(seed, id[:]), id != wire.GUID{}
	},
}

var seed = maphash.MakeSeed()
