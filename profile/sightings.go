package profile

// sighting is a position of the context of a truncated stack in another stack,
// with a known continuation.
type sighting struct {
	stack StackID
	at    uint32 // position of the frame at the root end of the context
	match uint32 // number of equal frames, at most longestContext
}

// sightings finds the positions of frames in the stacks that teach.
//
// Invariant: positions of frame f are list[starts[f]:starts[f+1]], by stack and
// position.
type sightings struct {
	t      *stackTable
	starts []uint32
	list   []position
}

type position struct {
	stack StackID
	at    uint32
}

// build indexes the stacks of the sample profiler.
func (x *sightings) build(p *Profile) {
	t := &p.stacks
	x.t = t
	completeStacks := p.completeStacks()
	x.starts = make([]uint32, len(t.addresses)+2)
	for _, id := range completeStacks {
		for _, f := range t.get(id) {
			x.starts[f+2]++
		}
	}
	for f := range t.addresses {
		x.starts[f+2] += x.starts[f+1]
	}
	x.list = make([]position, x.starts[len(t.addresses)+1])
	for _, id := range completeStacks {
		for at, f := range t.get(id) {
			x.list[x.starts[f+1]] = position{id, uint32(at)}
			x.starts[f+1]++
		}
	}
}

// completeStacks are the distinct stacks of the sample profiler.
func (p *Profile) completeStacks() []StackID {
	met := make([]bool, len(p.stacks.stacks))
	var ids []StackID
	for _, list := range p.records[Wall].codes(p.workers, len(met)) {
		for _, code := range list {
			if id := StackID(code / len(codeKinds)); !met[id] {
				met[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// count is the number of positions of a frame.
func (x *sightings) count(f FrameID) int { return int(x.starts[f+1] - x.starts[f]) }

// find appends the positions of a context if more than behind of its last frames
// agree. It searches for the rarest of its last frames, whose distance from the
// end is behind.
func (x *sightings) find(found []sighting, context []FrameID, behind int, work *int64) []sighting {
	anchor := context[len(context)-1-behind]
	list := x.list[x.starts[anchor]:x.starts[anchor+1]]
	for _, p := range list {
		at := p.at + uint32(behind)
		if int(at) >= len(x.t.stacks[p.stack]) || !x.t.isEvidence(p.stack, at) {
			continue
		}
		match := commonTail(context, x.t.get(p.stack)[:at+1])
		*work -= int64(match)
		if match > behind {
			found = append(found, sighting{p.stack, at, uint32(match)})
		}
	}
	*work -= int64(len(list))
	return found
}

// rarest is the distance from the end of the rarest of the last n frames.
func (x *sightings) rarest(context []FrameID, n int) int {
	best := 0
	for behind := range min(n, len(context)) {
		if x.count(context[len(context)-1-behind]) < x.count(context[len(context)-1-best]) {
			best = behind
		}
	}
	return best
}

// commonTail is the number of equal frames at the ends of two lists, at most
// longestContext.
func commonTail(a, b []FrameID) int {
	most := min(len(a), len(b), longestContext)
	a, b = a[len(a)-most:], b[len(b)-most:]
	n := 0
	for n < most && a[most-1-n] == b[most-1-n] {
		n++
	}
	return n
}

// follows returns the frame rootward of a sighting.
func (x *sightings) follows(s *sighting) FrameID {
	stack := x.t.stacks[s.stack]
	if int(s.at)+1 == len(stack) {
		return root
	}
	return stack[s.at+1]
}
