package logical

import "github.com/nettrace-go/nettrace/codec/clr/async"

// Result says what Callers found.
type Result uint8

// The results. After each of those from NotCovered on only the physical stack is known.
const (
	Physical   Result = iota // no method was resumed: the physical stack is all there is
	Found                    // the frames that wait
	Cut                      // the same, of a chain whose outer end is missing, as far as the records tell
	NotCovered               // the records do not cover the time, or buffers are lost
	BeganEarly               // the code was suspended before the session began
	Ambiguous                // the records allow several frames, or contradict the stack
)

// IsKnown reports whether the logical stack is known.
func (r Result) IsKnown() bool { return r <= Cut }

// Segment is a part of a logical stack: the frames of a list from a position on, without
// those at address 0.
type Segment struct {
	List ListID     // see Tracker.List
	From int        // position of the first frame; there may be none
	Kind async.Kind // of the methods: only state machines have states
	// CreatedBy reports that the frames created what is before them. Otherwise they
	// wait for it.
	CreatedBy bool
}

// Callers returns the frames that wait for the code of a thread, or have created it, after
// the frames of the physical stack that are before a boundary. same reports whether a
// frame is in the method that the boundary's At is after. outer reports whether two frames
// are in one method.
func (t *Tracker) Callers(segments []Segment, m Moment, b Boundary, same func(async.Frame) bool, equal func(a, b async.Frame) bool) ([]Segment, Result) {
	if b.Kind == async.NoKind {
		if m.top >= 0 {
			return segments, Ambiguous
		}
		return segments, Physical
	}
	if b.Untraced {
		return segments, BeganEarly
	}
	if m.top == unknown {
		return segments, NotCovered
	}
	if m.top == idle || b.At == 0 {
		return segments, Ambiguous
	}
	n := &t.nodes[m.top]
	r := &t.runs[n.run]
	switch {
	case r.kind != b.Kind:
		return segments, Ambiguous
	case r.dispatcher == 0:
		return segments, BeganEarly
	case !r.hasList || !t.ends[r.kind]:
		return segments, NotCovered
	}
	at, ok := t.position(n, r, b, same)
	if !ok {
		return segments, Ambiguous
	}
	segments = append(segments, Segment{List: r.list, From: at + 1, Kind: r.kind})
	if t.mayBeCut(r.list) || !t.isWhole(r, m.begin) {
		return segments, Cut
	}
	return t.above(segments, r.dispatcher, m.begin, equal), Found
}

// isWhole reports whether nothing says that the list of a run of state machines lacks callers. Callers
// begin to wait one after another, while the code that made the first call returns to them. If it had
// not ended what it ran at a time, the outermost method of the list may wait for no one, or its caller
// may not wait yet: in other lists it has one.
func (t *Tracker) isWhole(r *run, ticks uint64) bool {
	frames := t.lists[r.list]
	if r.kind != async.Machine || len(frames) == 0 || !t.awaited[frames[len(frames)-1].Address] {
		return true
	}
	var ended uint64
	switch d := t.dispatchers[r.dispatcher]; {
	case d.created == 0 || d.during == 0:
		return true
	case d.during > 0:
		ended = t.runs[d.during-1].end
	default:
		ended = t.spanEnds[-d.during]
	}
	return ended != 0 && ended <= ticks
}

// position returns the frame of a run that runs.
func (t *Tracker) position(n *node, r *run, b Boundary, same func(async.Frame) bool) (int, bool) {
	frames := t.lists[r.list]
	at, known := int(n.at), t.methods[r.kind]
	if r.kind == async.Runtime {
		of := b.Wrapper + 32*int(n.resets) - int(r.first)
		if known && of != at {
			return 0, false
		}
		at, known = of, true
	}
	if known && at >= 0 && at < len(frames) && same(frames[at]) {
		return at, true
	}
	if r.kind == async.Runtime {
		return 0, false
	}
	only := -1
	for i := range frames {
		if !same(frames[i]) {
			continue
		}
		if only >= 0 {
			return 0, false
		}
		only = i
	}
	return only, only >= 0
}

// mostCreators is the number of dispatchers that are looked up above one.
const mostCreators = 32

// above appends the frames above a dispatcher at a time.
func (t *Tracker) above(segments []Segment, number, ticks uint64, equal func(a, b async.Frame) bool) []Segment {
	for range mostCreators {
		d := t.dispatchers[number]
		if d == nil || d.created == 0 {
			break
		}
		up, same := t.creator(d, number, ticks, equal)
		if up == 0 || up == number {
			break
		}
		if !same {
			s, ok := t.framesAt(up, ticks)
			if !ok {
				break
			}
			list := t.lists[s.List]
			if own, known := t.outermost(number); d.kind != async.Machine || !known || s.From >= len(list) || !equal(own, list[len(list)-1]) {
				segments = append(segments, s)
			}
			if t.mayBeCut(s.List) {
				break
			}
		}
		number = up
	}
	return segments
}

// creator returns the dispatcher above one at a time, 0 if it is not known. same reports that
// it is the same chain, in an earlier dispatcher.
func (t *Tracker) creator(d *dispatcher, number, ticks uint64, equal func(a, b async.Frame) bool) (up uint64, same bool) {
	if d.kind == async.Machine && d.parent != 0 {
		own, known := t.outermost(number)
		if of, ok := t.outermost(d.parent); known && ok && equal(own, of) {
			return d.parent, true
		}
	}
	if up, ok := t.createdBy(d, number, ticks); ok {
		if next := t.next(d); next != 0 && (d.nextKind != d.kind || up == 0) {
			return next, false
		}
		return up, false
	}
	if d.nextKind != d.kind {
		return t.next(d), false
	}
	return 0, false
}

// next returns the dispatcher that went on when one ended, 0 if it is not known.
func (t *Tracker) next(d *dispatcher) uint64 {
	if d.nextKind != async.NoKind {
		if next := t.dispatchers[d.next]; next != nil && next.created != 0 && next.created+1e9 >= d.created {
			return d.next
		}
	}
	return 0
}

// createdBy returns the dispatcher that waits for a dispatcher because it was created by
// the same run after it, or whose run created it; 0 is none. It returns false if the
// records do not say it.
func (t *Tracker) createdBy(d *dispatcher, number, ticks uint64) (uint64, bool) {
	if d.during > 0 {
		r := &t.runs[d.during-1]
		switch {
		case d.aside || r.end == 0: // what the run created later is not known
			return 0, false
		case d.kind == async.Machine && (r.end > ticks || !t.methods[async.Machine]): // not all callers wait yet
			return 0, false
		}
	}
	if d.during == 0 {
		return 0, d.parent == 0
	}
	list := t.children[d.during]
	last := list[len(list)-1]
	if last == number {
		return d.parent, true
	}
	// The last one waits for what was created before it if it went on when one of them ended. Otherwise
	// code may have started tasks one after another.
	if of := t.dispatchers[last]; d.completed != 0 && of.created > d.completed {
		return 0, false
	}
	for _, e := range list {
		of := t.dispatchers[e]
		if of.next == last && of.nextKind != async.NoKind {
			return last, true
		}
	}
	return 0, false
}

// outermost returns the outermost frame of the first chain that a dispatcher was resumed
// with.
func (t *Tracker) outermost(number uint64) (async.Frame, bool) {
	d := t.dispatchers[number]
	if d == nil {
		return async.Frame{}, false
	}
	for _, at := range d.runs {
		if frames := t.lists[t.runs[at].list]; len(frames) > 0 {
			return frames[len(frames)-1], true
		}
	}
	return async.Frame{}, false
}

// mayBeCut reports whether a list of frames may have lost its outer end: the runtime keeps
// 255 frames, and fewer if its buffers are small.
func (t *Tracker) mayBeCut(id ListID) bool {
	n := len(t.lists[id])
	return n >= async.MaxFrames || t.bufferSize > 0 && uint64(n)*leastPerFrame > t.bufferSize
}

// leastPerFrame is the number of bytes of a buffer for each frame from which on stacks are
// not cut. With 1,024 bytes they were cut at 102 and 139 frames.
const leastPerFrame = 16
