package profile

import "github.com/nettrace-go/nettrace/internal/blocking"

// Helper is a method of the runtime that is folded into its caller: a sample
// whose innermost frames are helpers belongs to the frame below them.
type Helper struct {
	Types   []Type   // of the samples in which it is folded
	Methods []string // as in Function.RawName, without module and signature; * matches any characters
	Reason  string   // one sentence
}

// helpers lists the frames to fold. No other frame of a sampler profile is
// folded: copies, casts, hash codes, Monitor.Enter_Slowpath and the dispatch of
// exceptions do work.
var helpers = []struct {
	types  []Type
	of     blocking.Places
	reason string
}{
	{[]Type{Wall, CPUApprox}, blocking.GCPoll, "the runtime stops threads there; the method does no work"},
	{[]Type{Exception}, blocking.Throwing, "the runtime dispatches the exception there; its caller threw it"},
	{[]Type{Exception}, blocking.Unwinding, "the runtime walks the stack there; its caller threw the exception"},
	{[]Type{Lock}, blocking.LockLeaf, "the thread waits for the lock there; its caller asked for the lock"},
	{[]Type{Lock, Wait, Event}, blocking.EventWriting, "the event is written there; its caller is where something happens"},
}

// RuntimeHelpers returns the methods that are folded into their callers unless
// Options.RuntimeHelpers is set.
func RuntimeHelpers() []Helper {
	var list []Helper
	for _, h := range helpers {
		list = append(list, Helper{Types: h.types, Methods: blocking.MethodsIn(h.of), Reason: h.reason})
	}
	return list
}

// helperPlaces returns the places of the helpers that are folded in the samples
// of a type.
func helperPlaces(t Type) blocking.Places {
	found := blocking.Places(0)
	for _, h := range helpers {
		for _, of := range h.types {
			if of == t {
				found |= h.of
			}
		}
	}
	return found
}

// IsHelper reports whether a function is one of RuntimeHelpers for samples of a
// type.
func (p *Profile) IsHelper(t Type, f FunctionID) bool {
	return p.names.placesOf(f)&helperPlaces(t) != 0
}

// withoutHelpers returns a stack without its innermost frames that are helpers
// for a type. A stack of helpers only is returned unchanged.
func (p *Profile) withoutHelpers(t Type, id StackID) StackID {
	fold := p.helpers[t]
	if fold == 0 || p.opt.RuntimeHelpers {
		return id
	}
	if short, ok := p.helped[t].get(id); ok {
		return short
	}
	short := id
	frames := p.stacks.get(id)
	if n := p.names.leading(frames, fold); n > 0 && n < len(frames) {
		short = p.another(id, frames[n:])
	}
	return p.helped[t].set(id, short)
}

// leading returns the number of innermost frames that are in a place.
func (n *naming) leading(frames []FrameID, of blocking.Places) int {
	for i, f := range frames {
		if n.placesOf(n.frames[f].Function)&of == 0 {
			return i
		}
	}
	return len(frames)
}

// Polls counts samples of the sample profiler in managed code. A GC poll is a
// method in which the runtime can stop a thread for the garbage collector.
type Polls struct {
	Managed int64 // samples in managed code
	AtPolls int64 // of them, those whose innermost frame is a GC poll
}

// GCPolls counts the samples at GC polls, with and without
// Options.RuntimeHelpers. The caller of a GC poll is where the thread could be
// stopped, which does not prove that the time was spent there.
func (p *Profile) GCPolls() Polls { return p.wallSums().polls }
