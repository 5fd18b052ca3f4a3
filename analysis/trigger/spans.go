package trigger

import (
	"hash/maphash"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/model"
)

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
	// key returns what a start and its stop have in common, and whether the
	// event counts.
	key func(e *codec.Event, role role) (uint64, bool)
	// path, if set, returns the path of a request from its stop.
	path func(e *codec.Event) string
}

// pauses are pauses by the garbage collector, as in package analysis/gc.
var pauses = spanKind{
	what:      "a pause by the garbage collector",
	providers: []eventpipe.Provider{{Name: clr.RuntimeProvider, Keywords: 1, Level: 4}},
	events:    map[clr.Kind]role{clr.KindGCSuspendEEBegin: starts, clr.KindGCRestartEEEnd: stops},
	key: func(e *codec.Event, role role) (uint64, bool) {
		thread, known := e.ThreadID()
		if role == starts {
			known = known && model.IsPause(clr.GCSuspendEEBegin(e).Reason())
		}
		return thread, known
	},
}

// served are requests that Kestrel served, from its start to its stop.
var served = spanKind{
	what:      "a request",
	providers: []eventpipe.Provider{{Name: clr.KestrelProvider, Keywords: 1<<64 - 1, Level: 4}},
	events:    map[clr.Kind]role{clr.KindKestrelRequestStart: starts, clr.KindKestrelRequestStop: stops},
	key: func(e *codec.Event, _ role) (uint64, bool) {
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
	key: func(e *codec.Event, _ role) (uint64, bool) {
		id := e.Activity()
		return maphash.Bytes(seed, id[:]), id != wire.GUID{}
	},
}

var seed = maphash.MakeSeed()
