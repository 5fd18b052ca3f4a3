package profile

import "slices"

// continuation is the progress of continuing the stacks of some samples.
//
// Invariant: at has every position with the last full frames of context, or more.
type continuation struct {
	context  []FrameID // the last frames of the truncated stacks, and the added frames
	start    int       // context[start:] were added
	at       []sighting
	full     int // 0: at is not to be used
	mark     int // an earlier len(context), see circles
	evidence Evidence
}

func (c *continuation) added() []FrameID { return c.context[c.start:] }

// continueToRoot continues samples of one context up to the root, or as far as they stay
// together; the others go on alone.
func (r *repairer) continueToRoot(samples []truncatedSample, c *continuation) {
	for r.work > 0 && len(c.added()) < maxAdded {
		end := r.known(c)
		if end != nil && end.whole {
			r.join(samples, c, end)
			return
		}
		if end != nil || c.isRepeating() {
			r.remember(c, false)
			r.leave(samples)
			return
		}
		next, k := r.next(c)
		c.evidence.see(k)
		switch next {
		case unknown:
			r.remember(c, false)
			r.leave(samples)
			return
		case conflict:
			r.split(samples, c, k)
			return
		case root:
			r.remember(c, true)
			r.finish(samples, c)
			return
		}
		r.advance(c, next)
	}
	if r.work <= 0 {
		r.p.Repaired.Skipped += int64(len(samples))
	}
	r.leave(samples)
}

// next returns the result of the sightings of the longest context, and its
// length.
func (r *repairer) next(c *continuation) (FrameID, int) {
	k := r.look(c)
	if k == 0 {
		return unknown, 0
	}
	next := unknown
	for i := range c.at {
		if int(c.at[i].match) < k {
			continue
		}
		if f := r.index.follows(&c.at[i]); next == unknown {
			next = f
		} else if next != f {
			return conflict, k
		}
	}
	return next, k
}

// look finds all sightings of the longest context of the ladder that has any,
// and returns its length, 0 for none.
func (r *repairer) look(c *continuation) int {
	k := 0
	if c.full > 0 {
		k = c.longest()
		r.work -= int64(len(c.at))
	}
	for try := contextLength(len(c.context)); c.full == 0 || k < c.full; try = contextLength(c.full - 1) {
		if try == 0 {
			return 0
		}
		behind := r.index.rarest(c.context, max(try/2, contextLengths[len(contextLengths)-1]))
		c.at = r.index.find(c.at[:0], c.context, behind, &r.work)
		c.full = behind + 1
		k = c.longest()
		if c.full <= contextLengths[len(contextLengths)-1] {
			break
		}
	}
	return k
}

// longest is the longest context on the ladder among the sightings.
func (c *continuation) longest() int {
	longest := 0
	for i := range c.at {
		longest = max(longest, int(c.at[i].match))
	}
	return contextLength(longest)
}

// advance adds a frame, and keeps the sightings where it follows.
func (r *repairer) advance(c *continuation, next FrameID) {
	kept := c.at[:0]
	for _, s := range c.at {
		if r.index.follows(&s) != next {
			continue
		}
		s.at, s.match = s.at+1, min(s.match+1, longestContext)
		if r.index.t.isEvidence(s.stack, s.at) {
			kept = append(kept, s)
		}
	}
	r.work -= int64(len(c.at))
	c.context, c.at, c.full = append(c.context, next), kept, c.full+1
}

// window is the part of the stack that the next frame depends on, without time.
func window(frames []FrameID) []FrameID { return frames[max(0, len(frames)-longestContext):] }

// ending is the continuation of a context: frames up to the root, or unknown.
type ending struct {
	whole    bool
	added    []FrameID
	evidence Evidence
}

// known is how another continuation went on from the same context, or nil.
func (r *repairer) known(c *continuation) *ending {
	r.key = appendFrames(r.key[:0], window(c.context))
	return r.solved[string(r.key)]
}

// join copies the rest of another continuation, up to the root.
func (r *repairer) join(samples []truncatedSample, c *continuation, end *ending) {
	if len(c.added())+len(end.added) > maxAdded {
		r.leave(samples)
		return
	}
	c.context = append(c.context, end.added...)
	c.evidence.see(end.evidence.Context)
	r.finish(samples, c)
}

// remember keeps how a continuation ended, if it did not depend on time.
func (r *repairer) remember(c *continuation, whole bool) {
	if c.evidence.ByTime > 0 {
		return
	}
	end := &ending{whole: whole}
	if whole {
		end.added, end.evidence = c.added(), c.evidence
	} else {
		r.solved[string(appendFrames(nil, window(c.context)))] = end
	}
	r.solved[string(appendFrames(nil, window(c.context[:c.start])))] = end
}

// isRepeating reports whether a continuation reached a context a second time: it
// would never end. It compares with the context of an earlier step, which moves
// forward from time to time.
func (c *continuation) isRepeating() bool {
	n := len(c.context)
	if n <= c.mark {
		return false
	}
	if c.mark >= longestContext && slices.Equal(window(c.context), window(c.context[:c.mark])) {
		return true
	}
	if n-c.start >= 2*(c.mark-c.start) {
		c.mark = n
	}
	return false
}

// see notes a context that decided.
func (e *Evidence) see(k int) {
	if k > 0 && (e.Context == 0 || k < e.Context) {
		e.Context = k
	}
}
