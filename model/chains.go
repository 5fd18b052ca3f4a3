package model

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/model/logical"
)

// Chains is the tracker of the records of the async profiler of .NET 11: which suspended
// methods wait for the code that a thread runs. Trace.Chains returns it. What it knows is
// known after the last event.
type Chains struct {
	trace     *Trace
	processes map[uint64]*processChains
	losses    map[Thread]int
}

// processChains has the records of one process.
type processChains struct {
	log     logical.Log
	lists   int                // of log, whose addresses are in stacks
	stacks  map[uint64]StackID // of one frame, by address
	tracker *logical.Tracker   // nil before the first use
}

// Chains returns the tracker of the async profiler's records, for a Consumer that begins.
func (t *Trace) Chains() *Chains {
	if t.chains == nil {
		t.chains = &Chains{trace: t, processes: map[uint64]*processChains{}, losses: map[Thread]int{}}
		t.track(t.chains, func() {})
	}
	return t.chains
}

// Begin implements Consumer.
func (c *Chains) Begin(*Trace) {}

// Handler implements Consumer.
func (c *Chains) Handler(m *codec.Metadata) Handler {
	if m.Provider != async.Provider || m.EventID != async.EventID {
		return nil
	}
	return c.buffer
}

// buffer handles an event of the async profiler.
func (c *Chains) buffer(ev *codec.Event) {
	writer := c.trace.CaptureThread(ev)
	of := c.processes[writer.Process]
	if of == nil {
		of = &processChains{stacks: map[uint64]StackID{}}
		c.processes[writer.Process] = of
	}
	of.log.Add(logical.Buffer{Ticks: ev.Timestamp, Payload: ev.Payload(), Writer: writer.ID, Losses: c.losses[writer]})
	for _, list := range of.log.Lists()[of.lists:] {
		for _, f := range list {
			if _, ok := of.stacks[f.Address]; !ok && f.Address != 0 {
				of.stacks[f.Address] = c.trace.StackOf(writer.Process, []uint64{f.Address})
			}
		}
	}
	of.lists = len(of.log.Lists())
}

// Lost implements Consumer.
func (c *Chains) Lost(thread Thread) {
	if _, known := c.losses[thread]; known || int64(len(c.losses)) < c.trace.limits.Threads {
		c.losses[thread]++
	}
}

// Processes returns the ids of the processes with records, in ascending order. A nil tracker has
// none.
func (c *Chains) Processes() []uint64 {
	if c == nil {
		return nil
	}
	var ids []uint64
	for id := range c.processes {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Log returns the records of a process, nil for none.
func (c *Chains) Log(process uint64) *logical.Log {
	if of := c.processes[process]; of != nil {
		return &of.log
	}
	return nil
}

// Tracker returns what the threads of a process ran, nil if it has no records.
func (c *Chains) Tracker(process uint64) *logical.Tracker {
	of := c.processes[process]
	if of == nil {
		return nil
	}
	if of.tracker == nil {
		of.tracker = of.log.Tracker(c.trace.Lost > 0)
	}
	return of.tracker
}

// Frame returns the frame of an address of the records, without a Symbol if it has no name.
func (c *Chains) Frame(process, address, ticks uint64) symbols.Frame {
	if of := c.processes[process]; of != nil && of.stacks[address] != 0 {
		return c.trace.Frames(of.stacks[address], ticks)[0]
	}
	return symbols.Frame{Address: address}
}

// LogicalStack is a stack with the methods that wait for its innermost ones.
type LogicalStack struct {
	Result  logical.Result  // what is known
	Frames  []symbols.Frame // leaf first; the physical stack if Result is not logical.Found or logical.Cut
	Waiting int             // position of the first frame that is not on the thread; len(Frames) if there is none
	Created int             // position of the first frame that need not wait, but has created what is before it
}

// Logical returns the logical stack of an event.
func (c *Chains) Logical(thread Thread, stack StackID, ticks uint64) LogicalStack {
	frames := c.trace.Frames(stack, ticks)
	l := LogicalStack{Frames: frames, Waiting: len(frames), Created: len(frames)}
	boundary := logical.BoundaryOf(len(frames), func(i int) logical.Role {
		if s := frames[i].Symbol; s != nil {
			return logical.RoleOf(s.Namespace, s.Method)
		}
		return logical.NoRole
	})
	tracker := c.Tracker(thread.Process)
	switch {
	case tracker == nil:
		if boundary.Kind != async.NoKind {
			l.Result = logical.NotCovered
		}
		return l
	case boundary.Kind == async.NoKind && (len(frames) >= MaxFrames || len(frames) > 0 && frames[len(frames)-1].Symbol == nil): // the end may have one
		l.Result = logical.NotCovered
		return l
	}
	now := tracker.At(thread.ID, ticks)
	frame := func(f async.Frame) symbols.Frame { return c.Frame(thread.Process, f.Address, now.Begin()) }
	equal := func(a, b async.Frame) bool {
		return a.Address == b.Address || a.Address != 0 && b.Address != 0 && sameMethod(frame(a), frame(b))
	}
	same := func(f async.Frame) bool {
		return f.Address != 0 && boundary.At > 0 && sameMethod(frame(f), frames[boundary.At-1])
	}
	segments, result := tracker.Callers(nil, now, boundary, same, equal)
	l.Result = result
	if result != logical.Found && result != logical.Cut {
		return l
	}
	l.Frames, l.Waiting, l.Created = slices.Clone(frames[:boundary.At]), boundary.At, -1
	for _, s := range segments {
		if s.CreatedBy && l.Created < 0 {
			l.Created = len(l.Frames)
		}
		list := tracker.List(s.List)
		for _, f := range list[min(s.From, len(list)):] {
			if f.Address != 0 {
				l.Frames = append(l.Frames, frame(f))
			}
		}
	}
	if l.Created < 0 {
		l.Created = len(l.Frames)
	}
	return l
}

// sameMethod reports whether two frames are in one method.
func sameMethod(a, b symbols.Frame) bool {
	s, t := a.Symbol, b.Symbol
	return s != nil && t != nil && s.Namespace == t.Namespace && s.Method == t.Method
}
