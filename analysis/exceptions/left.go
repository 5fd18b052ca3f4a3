package exceptions

import "slices"

// open counts an exception that is open at the end of the recording.
func (p *process) open(c *counts, e *exception) {
	e.left = e.left || p.isLeft(e)
	c.open(e)
}

// isLeft reports whether the exception that was thrown while another one was handled was caught outside of the
// handler: in the stack of its throw all frames of the method that took it are callers of those of the method with
// the handler.
func (p *process) isLeft(e *exception) bool {
	handler, ok := symbolOf(p.texts.list[e.group.catcher])
	catcher, found := symbolOf(p.texts.list[e.over.catcher])
	if !ok || !found {
		return false
	}
	frames := p.trace.Frames(e.over.stack, e.over.ticks)
	slices.Reverse(frames)
	last, first := -1, len(frames) // from the root on: the last one that takes, the first one with the handler
	for i, f := range frames {
		if f.Symbol == nil {
			continue
		}
		if f.Symbol.Namespace == catcher.Namespace && f.Symbol.Method == catcher.Method {
			last = i
		}
		if f.Symbol.Namespace == handler.Namespace && f.Symbol.Method == handler.Method {
			first = min(first, i)
		}
	}
	return last >= 0 && first < len(frames) && last < first
}
