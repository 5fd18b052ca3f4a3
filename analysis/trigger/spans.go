package trigger

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/payload"
)

// eventKey identifies a type of event.
type eventKey struct {
	provider string
	id       uint32
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
	events    map[eventKey]role
	// key returns what a start and its stop have in common, and whether the
	// event counts.
	key func(e *codec.Event, role role) (uint64, bool)
	// path, if set, returns the path of a request from its stop.
	path func(e *codec.Event) string
}

// pauses are pauses by the garbage collector, as in package analysis/gc.
var pauses = spanKind{
	what:      "a pause by the garbage collector",
	providers: []eventpipe.Provider{{Name: analysis.RuntimeProvider, Keywords: 1, Level: 4}},
	events:    map[eventKey]role{{analysis.RuntimeProvider, 9}: starts, {analysis.RuntimeProvider, 3}: stops},
	key: func(e *codec.Event, role role) (uint64, bool) {
		thread, known := e.ThreadID()
		if role == starts {
			f := payload.New(e.Payload(), 8)
			known = known && gc.IsPause(uint32(f.U16()))
		}
		return thread, known
	},
}

// served are requests that Kestrel served, from its start to its stop.
var served = spanKind{
	what:      "a request",
	providers: []eventpipe.Provider{{Name: requests.Kestrel, Keywords: 1<<64 - 1, Level: 4}},
	events:    map[eventKey]role{{requests.Kestrel, 3}: starts, {requests.Kestrel, 4}: stops},
	key: func(e *codec.Event, _ role) (uint64, bool) {
		f := payload.New(e.Payload(), 8)
		f.UTF16() // the connection
		id := f.UTF16()
		return maphash.Bytes(seed, id), !f.Short()
	},
	path: func(e *codec.Event) string {
		f := payload.New(e.Payload(), 8)
		for range 3 {
			f.UTF16()
		}
		path := wire.AppendUTF16(nil, f.UTF16())
		return string(append(append(wire.AppendUTF16(nil, f.UTF16()), ' '), path...))
	},
}

// sent are requests that HttpClient sent.
var sent = spanKind{
	what: "a request of HttpClient",
	providers: []eventpipe.Provider{
		{Name: requests.HTTP, Keywords: 1<<64 - 1, Level: 4}, {Name: requests.Tasks, Keywords: 0x80, Level: 4},
	},
	events: map[eventKey]role{{requests.HTTP, 1}: starts, {requests.HTTP, 2}: stops},
	key: func(e *codec.Event, _ role) (uint64, bool) {
		id := e.Activity()
		return binary.LittleEndian.Uint64(id[:8]) ^ maphash.Bytes(seed, id[8:]), id != wire.GUID{}
	},
}

var seed = maphash.MakeSeed()
