package profile

import (
	"slices"

	"github.com/nettrace-go/nettrace/internal/blocking"
)

// shownKey is a stack with other frames than it was recorded with.
type shownKey struct {
	stack  StackID
	frames string
}

// shownStack is a stack in the form that is returned.
type shownStack struct {
	joined
	selected bool // by Options.Filter
	atPoll   bool // the innermost frame is a GC poll, also if it is folded
}

// shown returns the stack of a sample for the caller: with the meaning of its
// addresses at that time, joined if Options.Async is set, without the runtime's
// helpers and hidden frames, and folded if Options.FoldRecursion is set. ok is
// false if Options.Filter does not select the stack.
func (p *Profile) shown(t Type, thread int, r *record) (of shownStack, ok bool) {
	named := p.named(r)
	if t == Event {
		t = EventType(p.details.at(r.at()).of)
	}
	if p.causality != nil || len(p.chains) > 0 { // the cache is of stacks, not of what caused them
		of = p.show(t, p.logical(thread, r), named)
		return of, of.selected
	}
	if of, ok = p.display[t].get(named); !ok {
		of = p.display[t].set(named, p.show(t, joined{stack: named}, named))
	}
	return of, of.selected
}

// show returns a stack, which may be joined, as it is returned. named is the
// stack before that.
func (p *Profile) show(t Type, of joined, named StackID) shownStack {
	if !p.selects(of.stack) {
		return shownStack{}
	}
	original := p.withoutHelpers(t, of.stack)
	id := p.shorten(original)
	if p.opt.FoldRecursion {
		id = p.foldedStack(id)
	}
	if of.join == Joined {
		original = named // joining changes no state
	}
	if id != original {
		p.filtering.original.set(id, original)
	}
	of.stack = id
	return shownStack{of, true, p.names.leading(p.stacks.get(named), blocking.GCPoll) > 0}
}

// foldedStack returns a stack as Options.FoldRecursion has it.
func (p *Profile) foldedStack(id StackID) StackID {
	folded, ok := p.folded[id]
	if !ok {
		folded = p.another(id, p.fold(p.stacks.get(id)))
		p.folded[id] = folded
	}
	return folded
}

// named returns the stack of a sample with the meaning of its addresses at that
// time.
func (p *Profile) named(r *record) StackID {
	leaf := p.details.at(r.at()).leaf
	id := r.stack
	if len(p.names.lifetimes) > 0 || leaf != 0 {
		frames := p.stacks.get(id)
		changed := p.names.at(frames, r.ticks)
		if leaf != 0 {
			if changed != nil {
				frames = changed
			}
			changed = append([]FrameID{leaf, frameCollector}, frames...)
		}
		if changed != nil {
			p.names.nameByContext(changed)
			id = p.another(id, changed)
		}
	}
	return p.inContext(id)
}

// inContext returns a stack in which unnamed frames are named by their neighbors,
// if that is possible.
func (p *Profile) inContext(id StackID) StackID {
	if named, ok := p.contexts.get(id); ok {
		return named
	}
	named := id
	frames := slices.Clone(p.stacks.get(id))
	if p.names.nameByContext(frames); !slices.Equal(frames, p.stacks.get(id)) {
		named = p.another(id, frames)
	}
	return p.contexts.set(id, named)
}

// another makes a stack of other frames than those of id, once.
func (p *Profile) another(id StackID, frames []FrameID) StackID {
	key := shownKey{id, string(appendFrames(nil, frames))}
	at, ok := p.others[key]
	if !ok {
		at = p.stacks.make(frames, p.stacks.status(id))
		p.others[key] = at
	}
	return at
}

// appendFrames makes bytes of frames, as the key of a map.
func appendFrames(b []byte, frames []FrameID) []byte {
	for _, f := range frames {
		b = append(b, byte(f), byte(f>>8), byte(f>>16), byte(f>>24))
	}
	return b
}

// longestPeriod is the longest run of frames that is folded.
const longestPeriod = 32

// fold shows runs of calls that repeat themselves once: the shortest period
// first, from the root. Frames of one function are the same here.
func (p *Profile) fold(frames []FrameID) []FrameID {
	folded := make([]FrameID, 0, len(frames))
	for i := len(frames) - 1; i >= 0; i-- { // folded is root first
		folded = append(folded, frames[i])
		for period := 1; period <= longestPeriod && 2*period <= len(folded); period++ {
			if p.repeats(folded, period) {
				folded = folded[:len(folded)-period]
				break
			}
		}
	}
	for i, j := 0, len(folded)-1; i < j; i, j = i+1, j-1 {
		folded[i], folded[j] = folded[j], folded[i]
	}
	return folded
}

// repeats reports whether the last frames are the same calls as those before
// them.
func (p *Profile) repeats(frames []FrameID, period int) bool {
	n := len(frames)
	for i := range period {
		if p.names.frames[frames[n-1-i]].Function != p.names.frames[frames[n-1-i-period]].Function {
			return false
		}
	}
	return true
}
