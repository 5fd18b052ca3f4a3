package model

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model/incoming"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// Served is the tracker of the requests that ASP.NET Core served. Trace.Served returns it. What
// it knows is known after the last event.
type Served struct {
	trace     *Trace
	chains    *Chains
	processes map[uint64]*servedProcess
	losses    map[Thread]int
	stacks    map[StackID]incoming.Stack
}

// servedProcess has what one process recorded of requests.
type servedProcess struct {
	log     incoming.Log
	version runtimes.Version
	found   *incoming.Requests // nil for none
	first   uint64             // ticks of the first event of a request, if found
}

// Served returns the tracker of requests, for a Consumer that begins.
func (t *Trace) Served() *Served {
	if t.served == nil {
		t.served = &Served{trace: t, chains: t.Chains(), processes: map[uint64]*servedProcess{}, losses: map[Thread]int{}, stacks: map[StackID]incoming.Stack{}}
		t.track(t.served, t.served.end)
	}
	return t.served
}

// Begin implements Consumer.
func (s *Served) Begin(*Trace) {}

// Handler implements Consumer.
func (s *Served) Handler(m *codec.Metadata) Handler {
	if runtimes.IsInformation(m) {
		return func(ev *codec.Event) { s.of(s.trace.Process(ev)).version = runtimes.ReadVersion(ev) }
	}
	add := incoming.HandlerOf(m)
	if add == nil {
		return nil
	}
	return func(ev *codec.Event) {
		thread := s.trace.Thread(ev)
		of, writer := s.of(thread.Process), incoming.Writer{Thread: thread.ID, Losses: s.losses[thread]}
		if incoming.NeedsStack(m, of.version) {
			writer.Stack = int32(s.trace.Stack(ev))
		}
		add(&of.log, ev, writer)
	}
}

// of returns what is known of a process.
func (s *Served) of(process uint64) *servedProcess {
	one := s.processes[process]
	if one == nil {
		one = &servedProcess{}
		s.processes[process] = one
	}
	return one
}

// Lost implements Consumer.
func (s *Served) Lost(thread Thread) {
	if _, known := s.losses[thread]; known || int64(len(s.losses)) < s.trace.limits.Threads {
		s.losses[thread]++
	}
}

// end makes the requests.
func (s *Served) end() {
	for id, one := range s.processes {
		if !one.log.Recorded() {
			continue
		}
		facts := incoming.Facts{Version: one.version, Lossy: s.trace.Lost > 0, Stacks: func(number int32) incoming.Stack {
			return s.stack(StackID(number), s.trace.End)
		}}
		if log := s.chains.Log(id); log != nil {
			facts.Changes = log.Changes(facts.Lossy)
		}
		one.found, one.first = one.log.Requests(facts), one.log.First()
		one.log = incoming.Log{LeftOut: one.log.LeftOut}
	}
}

// began reports whether a time of a process is not before its first event of a request.
func (s *Served) began(process, ticks uint64) bool {
	one := s.processes[process]
	switch {
	case one == nil:
		return false
	case one.found != nil:
		return ticks >= one.first
	}
	return one.log.Recorded() && ticks >= one.log.First()
}

// Requests returns the requests of a process, nil if the trace has none.
func (s *Served) Requests(process uint64) *incoming.Requests {
	if one := s.processes[process]; one != nil {
		return one.found
	}
	return nil
}

// Processes returns the ids of the processes that served requests, in ascending order. A nil tracker
// has none.
func (s *Served) Processes() []uint64 {
	var ids []uint64
	if s != nil {
		for id, one := range s.processes {
			if one.found != nil {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// LeftOut returns the number of starts of requests of a process above the limit.
func (s *Served) LeftOut(process uint64) int64 {
	if one := s.processes[process]; one != nil {
		return one.log.LeftOut
	}
	return 0
}

// Owned is a moment of a thread that can belong to a request.
type Owned struct {
	Thread   Thread    // that did it
	Ticks    uint64    // when
	Activity wire.GUID // of the event, zero for none
	Stack    StackID   // of the event, 0 for none
}

// Owner returns the request that a moment belongs to.
func (s *Served) Owner(m Owned) incoming.Owner {
	requests := s.Requests(m.Thread.Process)
	if requests == nil {
		return incoming.Owner{Request: -1}
	}
	return requests.Owner(incoming.Moment{
		Thread: m.Thread.ID, Ticks: m.Ticks, Activity: m.Activity, Stack: func() incoming.Stack { return s.stack(m.Stack, m.Ticks) },
	})
}

// stack returns what a stack shows of requests.
func (s *Served) stack(id StackID, ticks uint64) incoming.Stack {
	if id == 0 {
		return incoming.Stack{}
	}
	known, ok := s.stacks[id]
	if !ok {
		frames := s.trace.Frames(id, ticks)
		known = incoming.StackOf(len(frames), func(i int) (class, method string) {
			if of := frames[i].Symbol; of != nil {
				return of.Namespace, of.Method
			}
			return "", ""
		})
		s.stacks[id] = known
	}
	return known
}
