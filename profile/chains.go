package profile

import (
	"maps"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/model/logical"
)

// chains are the records of the async profiler about one process.
type chains struct {
	log     logical.Log
	tracker *logical.Tracker
	frames  map[uint64]FrameID // by address
	lists   int                // of the log, whose addresses are in frames
	records int64              // that are counted by builder.hold

	callers []logical.Segment // scratch
}

// chainKey identifies a stack and what its thread ran.
type chainKey struct {
	stack  StackID
	thread int
	at     logical.Moment
}

// waitingFrame is a frame that is not on the stack of the thread.
type waitingFrame struct {
	of       FrameID
	kind     FrameKind
	state    int32
	hasState bool
}

// asyncBuffer keeps the records of an event of the async profiler.
func (b *builder) asyncBuffer(ev *codec.Event) {
	from := originOf(ev)
	writer := &b.p.threads.rows[b.thread(ev)]
	if b.full != "" {
		return
	}
	of := b.p.chains[writer.ProcessID]
	if of == nil {
		of = &chains{frames: map[uint64]FrameID{}}
		b.p.chains[writer.ProcessID] = of
	}
	losses := 0
	if b.captures.counted {
		losses = b.capture(&from, ev.Sequence).gaps
	}
	of.log.Add(logical.Buffer{Ticks: ev.Timestamp, Payload: ev.Payload(), Writer: writer.ID, Losses: losses})
	process := b.processOf(ev)
	for _, list := range of.log.Lists()[of.lists:] {
		for _, f := range list {
			if _, ok := of.frames[f.Address]; !ok && f.Address != 0 {
				of.frames[f.Address] = b.raw.address(process, f.Address)
			}
		}
	}
	of.lists = len(of.log.Lists())
	b.wantNames(process)
	b.hold(of.log.Records - of.records)
	of.records = of.log.Records
}

// finishChains replays the records of the async profiler.
func (b *builder) finishChains() {
	if len(b.p.chains) == 0 {
		return
	}
	for _, of := range b.p.chains {
		of.tracker = of.log.Tracker(b.p.Lost > 0)
	}
	b.p.chained = map[chainKey]joined{}
	if b.tasks == nil {
		b.p.joinedFrames = b.limits.Frames - b.p.stacks.frames
	}
}

// AsyncFaults returns the number of buffers of the async profiler that cannot be read to
// their end, and the error of the first one, an *async.Error of package codec/clr/async.
// The stacks of their threads are NotCovered from there on.
func (p *Profile) AsyncFaults() (n int64, first error) {
	for _, process := range slices.Sorted(maps.Keys(p.chains)) {
		log := &p.chains[process].log
		if n += log.Faults; first == nil {
			first = log.First
		}
	}
	return n, first
}

// joins are the results of package logical as those of Options.Async.
var joins = [...]Join{
	logical.Physical: NotAsync, logical.Found: Joined, logical.Cut: Joined, logical.NotCovered: NotCovered, logical.BeganEarly: Unjoined, logical.Ambiguous: Ambiguous,
}

// chain returns a stack with the frames of the chain that a thread runs.
func (p *Profile) chain(thread int, r *record, id StackID) joined {
	row := &p.threads.rows[thread]
	of := p.chains[row.ProcessID]
	if of == nil {
		return joined{stack: id}
	}
	key := chainKey{id, thread, of.tracker.At(row.ID, r.ticks)}
	found, ok := p.chained[key]
	if !ok {
		found = p.findChain(of, key, r)
		p.chained[key] = found
	}
	return found
}

// findChain finds the result for a stack.
func (p *Profile) findChain(of *chains, key chainKey, r *record) joined {
	frames := p.stacks.get(key.stack)
	boundary := logical.BoundaryOf(len(frames), func(i int) logical.Role { return p.names.resumer(frames[i]) })
	switch depth := p.stacks.depth; {
	case boundary.Kind == async.NoKind && p.isOpen(frames, r):
		return joined{stack: key.stack, join: NotCovered}
	case boundary.Kind != async.NoKind && boundary.At >= depth: // in frames that repair has added
		return joined{stack: key.stack, join: Ambiguous}
	}
	running := FrameID(0)
	if boundary.At > 0 {
		running = frames[boundary.At-1]
	}
	at := chainNames{&p.names, of.frames, key.at.Begin()}
	same := func(f async.Frame) bool { return f.Address != 0 && p.names.sameMethod(at.frame(f), running) }
	equal := func(a, b async.Frame) bool {
		return a.Address == b.Address || a.Address != 0 && b.Address != 0 && p.names.sameMethod(at.frame(a), at.frame(b))
	}
	segments, result := of.tracker.Callers(of.callers[:0], key.at, boundary, same, equal)
	of.callers = segments
	if result != logical.Found && result != logical.Cut {
		return joined{stack: key.stack, join: joins[result]}
	}
	all := slices.Clone(frames[:boundary.At])
	for _, s := range segments {
		list := of.tracker.List(s.List)
		for _, f := range list[min(s.From, len(list)):] {
			if f.Address != 0 {
				all = append(all, p.waitingFrame(waitingFrame{at.frame(f), kindOf(s), f.State, s.Kind == async.Machine}))
			}
		}
	}
	if int64(len(all)) > p.joinedFrames {
		return joined{stack: key.stack, join: Unjoined}
	}
	made := len(p.stacks.stacks)
	id := p.another(key.stack, all)
	if len(p.stacks.stacks) > made {
		p.joinedFrames -= int64(len(all))
	}
	return joined{id, joins[result], result == logical.Cut}
}

// kindOf returns the kind of the frames of a segment.
func kindOf(s logical.Segment) FrameKind {
	if s.CreatedBy {
		return CreatedBy
	}
	return Awaits
}

// waitingFrame returns a frame that is not on the stack of the thread.
func (p *Profile) waitingFrame(key waitingFrame) FrameID {
	id, ok := p.waiting[key]
	if !ok {
		frame := p.names.frames[key.of]
		frame.Kind, frame.State, frame.HasState = key.kind, key.state, key.hasState
		id = FrameID(len(p.names.frames))
		p.names.frames = append(p.names.frames, frame)
		base, ok := p.names.bases[key.of]
		if !ok {
			base = key.of
		}
		p.names.bases[id] = base
		if p.waiting == nil {
			p.waiting = map[waitingFrame]FrameID{}
		}
		p.waiting[key] = id
	}
	return id
}

// chainNames names the frames of chains at a time.
type chainNames struct {
	names  *naming
	frames map[uint64]FrameID
	ticks  uint64
}

// frame returns the frame of an address.
func (c *chainNames) frame(f async.Frame) FrameID {
	id := c.frames[f.Address]
	if moved := c.names.at([]FrameID{id}, c.ticks); moved != nil {
		return moved[0]
	}
	return id
}

// resumer returns the role of a frame for package logical. It is looked up once for each
// function.
func (n *naming) resumer(f FrameID) logical.Role {
	id := n.frames[f].Function
	for int(id) >= len(n.resumers) {
		n.resumers = append(n.resumers, resumer{})
	}
	r := &n.resumers[id]
	if !r.known {
		r.known = true
		if s := n.sources[id].Symbol; s != nil {
			r.role = logical.RoleOf(s.Namespace, s.Method)
		}
	}
	return r.role
}

// resumer is the role of a function.
type resumer struct {
	role  logical.Role
	known bool
}

// isOpen reports whether a stack without a boundary may have one that is not recognized: its end is
// missing or has no name.
func (p *Profile) isOpen(frames []FrameID, r *record) bool {
	if len(frames) == 0 {
		return false
	}
	root := frames[len(frames)-1]
	return p.stacks.status(r.stack).status == Truncated || root >= madeUpFrames && p.names.sources[p.names.frames[root].Function].Symbol == nil
}
