package exceptions

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/logical"
)

// asyncThrows is what the async profiler recorded of the throws of a group.
type asyncThrows struct {
	first asyncStack
	left  asyncLeft
}

// asyncStack is the stack of a throw with the methods that awaited it.
type asyncStack struct {
	stack []string // names, leaf first; nil if it is the physical one
	how   string   // see Row.Async
}

// asyncLeft counts the async frames that exceptions left.
type asyncLeft struct {
	frames int64
	throws int64 // with records about that
}

func (l *asyncLeft) add(o asyncLeft) { l.frames, l.throws = l.frames+o.frames, l.throws+o.throws }

// asyncThrows finds what the async profiler recorded of the throws of each group.
func (p *process) asyncThrows() map[group]asyncThrows {
	tracker := p.chains.Tracker(p.id)
	if tracker == nil {
		return nil
	}
	next := make([]uint64, len(p.throws)) // time of the next throw of the thread, 0 for none
	last := map[analysis.Thread]uint64{}
	for i := len(p.throws) - 1; i >= 0; i-- {
		of := &p.throws[i].of
		next[i] = last[of.Thread]
		last[of.Thread] = of.Ticks
	}
	groups := map[group]asyncThrows{}
	for i := range p.throws {
		t := &p.throws[i]
		sum, known := groups[t.group]
		if !known && !p.physical {
			sum.first = p.asyncStack(&t.of)
		}
		if frames, ok := tracker.Unwound(t.of.Thread.ID, t.of.Ticks, next[i]); ok {
			sum.left.add(asyncLeft{frames: frames, throws: 1})
		}
		groups[t.group] = sum
	}
	return groups
}

// asyncStack returns the stack of a throw.
func (p *process) asyncStack(of *model.Owned) asyncStack {
	l := p.chains.Logical(of.Thread, of.Stack, of.Ticks)
	switch l.Result {
	case logical.Found, logical.Cut:
		return asyncStack{stack: analysis.Names(l.Frames), how: logical.ProfilerSource}
	case logical.Physical:
		return asyncStack{how: "physical"}
	}
	return asyncStack{how: "unknown"}
}
