package model

import (
	"context"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/recording"
	"github.com/nettrace-go/nettrace/internal/rowtable"
	sources "github.com/nettrace-go/nettrace/symbols"
)

// Options configure Read.
type Options struct {
	// Consumers get the events.
	Consumers []Consumer
	// Limits bounds the memory.
	Limits Limits
	// Lines, if set, finds the source lines of frames: see Trace.PlaceOf. It must not be used by
	// others until the Trace is no longer used.
	Lines *sources.Resolver
}

// Limits bounds the memory that a trace can require. In each field 0 means the
// default and -1 means no limit.
type Limits struct {
	Rows    int64 // facts of each kind, and rows of each report. Default 100,000
	Stacks  int64 // distinct stacks that facts refer to. Default 100,000
	Frames  int64 // frames of the distinct stacks, 8 bytes each. Default 4,000,000
	Symbols int64 // bytes of methods and modules. Default 32 MiB
	Threads int64 // threads whose losses are known. Default 262,144
}

// LargeLimits returns limits for a program in which a user waits for the result: about
// 10 times the defaults.
func LargeLimits() Limits {
	return Limits{Rows: 1e6, Stacks: 1e6, Frames: 50e6, Symbols: 256 << 20, Threads: 1 << 20}
}

// withDefaults replaces 0 by the default and -1 by the highest number.
func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		limit *int64
		usual int64
	}{{&l.Rows, 100e3}, {&l.Stacks, 100e3}, {&l.Frames, 4e6}, {&l.Symbols, 32 << 20}, {&l.Threads, 1 << 18}} {
		switch {
		case *f.limit == 0:
			*f.limit = f.usual
		case *f.limit < 0:
			*f.limit = 1<<63 - 1
		}
	}
	return l
}

// Read reads a trace to its end and passes its events to trackers and consumers.
// r may have read at most the Trace block, otherwise the error is
// codec.ErrStarted; with Options.NoStacks it is codec.ErrNoStacks. r should have
// Order ByTime: trackers take the order of the events for the order of time. On
// an error they have the events before that place: it is the Reader's *codec.Error for a
// truncated or malformed stream, or the context's cause. The Trace is nil only
// if the stream has no header or the Reader cannot be used. Read uses the
// Reader's OnSequencePoint.
func Read(ctx context.Context, r *codec.Reader, opt Options) (*Trace, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	header, err := r.Trace()
	if err != nil {
		return nil, err
	}
	d := newDispatcher(header, &opt)
	r.OnSequencePoint(d.losses.sequencePoint)
	defer r.OnSequencePoint(nil)
	for n := 0; ; n++ {
		if n%eventsBetweenLooks == 0 && ctx.Err() != nil {
			err = context.Cause(ctx)
			break
		}
		ev, ok := r.Next()
		if !ok {
			err = r.Err()
			break
		}
		d.event(ev)
	}
	d.end(r.Lost(), r.Err())
	return d.trace, err
}

// eventsBetweenLooks is the number of events between two checks of the context.
const eventsBetweenLooks = 1024

// dispatcher passes events to the trackers and consumers that need them.
type dispatcher struct {
	trace   *Trace
	parts   []Consumer // the trackers, then the consumers
	losses  losses
	routes  rowtable.Table[route]
	unnamed route // of events without metadata
}

// newDispatcher returns a dispatcher whose consumers have begun. A tracker that
// they ask for gets each event before them.
func newDispatcher(header *codec.Trace, opt *Options) *dispatcher {
	d := &dispatcher{
		trace: newTrace(header, opt.Limits.withDefaults(), opt.Lines), unnamed: route{recorded: recording.ClassesOf(nil)},
	}
	d.losses.init(d.trace)
	for _, p := range opt.Consumers {
		p.Begin(d.trace)
	}
	d.parts = slices.Concat(d.trace.trackers, opt.Consumers)
	return d
}

// route lists the handlers of the events of one metadata row.
type route struct {
	recorded recording.Classes
	handlers []Handler
}

// event handles one event.
func (d *dispatcher) event(ev *codec.Event) {
	if d.losses.event(ev) {
		d.lost(d.trace.CaptureThread(ev), ev.Timestamp)
	}
	r := d.route(ev.MetadataID, ev.Metadata())
	d.trace.event(ev, r.recorded.Of(ev))
	for _, do := range r.handlers {
		do(ev)
	}
}

// route returns the route of a metadata row, which can be nil.
func (d *dispatcher) route(id uint32, m *codec.Metadata) *route {
	if r := d.routes.Find(id, m); r != nil {
		return r
	}
	return d.newRoute(id, m)
}

// newRoute is the slow path of route: it asks for the handlers of a
// metadata row and stores them.
func (d *dispatcher) newRoute(id uint32, m *codec.Metadata) *route {
	if m == nil {
		return &d.unnamed
	}
	found := route{recorded: recording.ClassesOf(m)}
	if d.trace.isNaming(m) {
		found.handlers = append(found.handlers, d.trace.naming)
	}
	for _, p := range d.parts {
		if do := p.Handler(m); do != nil {
			found.handlers = append(found.handlers, do)
		}
	}
	return d.routes.Put(id, m, found)
}

// end ends the trackers after the last event.
func (d *dispatcher) end(lost uint64, err error) {
	d.losses.trailing(d.trailing)
	d.trace.end(lost, err)
	for _, end := range d.trace.ends {
		end()
	}
}

// lost reports to the trackers and consumers that events of a thread before ticks are lost.
func (d *dispatcher) lost(thread Thread, ticks uint64) {
	d.trace.addLoss(Loss{Thread: thread, From: d.losses.gap.from, To: ticks, Count: uint64(d.losses.gap.count)})
	for _, p := range d.parts {
		p.Lost(thread)
	}
}

// trailing records the loss of the last events of a thread: what is open on it can have ended.
func (d *dispatcher) trailing(index uint64, last lastEvent, count uint32) {
	thread := d.trace.threadOf(last.row, index)
	d.trace.addLoss(Loss{Thread: thread, From: last.ticks, To: d.losses.point, Count: uint64(count)})
	for _, p := range d.parts {
		p.Lost(thread)
	}
}
