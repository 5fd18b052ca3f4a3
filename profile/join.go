package profile

import (
	"slices"

	"github.com/nettrace-go/nettrace/model/logical"
)

// Join describes what Options.Async did with the stack of a sample.
type Join uint8

// The results of Options.Async.
const (
	// NotAsync is a sample whose thread runs no task and no continuation of an
	// async method. Without Options.Async it is every sample.
	NotAsync Join = iota
	// Joined is a stack that continues with the frames of those that scheduled
	// or awaited the code.
	Joined
	// Ambiguous is a stack as recorded: several methods awaited the task.
	Ambiguous
	// Unjoined is a stack as recorded: the trace does not have the event that
	// scheduled or awaited the code, or events are lost, or joined stacks have
	// more frames than Limits.Frames allows.
	Unjoined
	// NotCovered is a stack as recorded: records of the async profiler about the
	// thread at that time are missing.
	NotCovered
)

var joinNames = [...]string{"not async", "joined", "ambiguous", "unjoined", "not covered", "?"}

// String returns the name of the result, such as "joined".
func (j Join) String() string { return joinNames[min(int(j), len(joinNames)-1)] }

// JoinSummary counts samples by their Join.
type JoinSummary struct {
	Joined    int64 // samples with this Join
	Ambiguous int64 // samples with this Join
	Unjoined  int64 // samples with this Join
	// NotCovered is the number of samples with this Join.
	NotCovered int64
	// Physical is the number of samples that are NotAsync.
	Physical int64
}

// CountJoins counts the returned samples of some types by their Join. Samples of
// CPUApprox are also samples of Wall and count once.
func (p *Profile) CountJoins(of ...Type) JoinSummary {
	var sum JoinSummary
	for _, t := range distinct(of) {
		one := &p.typeSums(t).joins
		sum.Joined += one.Joined
		sum.Ambiguous += one.Ambiguous
		sum.Unjoined += one.Unjoined
		sum.NotCovered += one.NotCovered
		sum.Physical += one.Physical
	}
	return sum
}

// add adds samples.
func (s *JoinSummary) add(j Join, samples int64) {
	switch j {
	case Joined:
		s.Joined += samples
	case Ambiguous:
		s.Ambiguous += samples
	case Unjoined:
		s.Unjoined += samples
	case NotCovered:
		s.NotCovered += samples
	default:
		s.Physical += samples
	}
}

// JoinSource is what stacks are continued by.
type JoinSource uint8

// The sources of joins.
const (
	NoJoins         JoinSource = iota // all stacks are as recorded
	ByAsyncProfiler                   // the records of the async profiler of .NET 11
	ByTasks                           // events of System.Threading.Tasks.TplEventSource
)

// String returns the name of the source, such as "async-profiler", "" for none.
func (s JoinSource) String() string {
	return [...]string{"", logical.ProfilerSource, logical.TasksSource}[min(int(s), 2)]
}

// JoinedBy returns what stacks are continued by. Events about tasks are used only with
// Options.Async, and only in a trace without records of the async profiler: they do not
// show the awaits of methods that are compiled with runtime-async.
func (p *Profile) JoinedBy() JoinSource {
	switch {
	case len(p.chains) > 0:
		return ByAsyncProfiler
	case p.causality != nil && p.causality.complete():
		return ByTasks
	}
	return NoJoins
}

// maxJoins is how many stacks are appended to one.
const maxJoins = 32

// joinKey identifies a stack and what caused it.
type joinKey struct {
	stack StackID
	cause cause
}

// joined is a stack and its Join.
type joined struct {
	stack StackID
	join  Join
	cut   bool // the outer end of the chain is missing
}

// logical returns the stack of a sample, with Options.Async joined with the
// stacks of those that scheduled or awaited its code.
func (p *Profile) logical(thread int, r *record) joined {
	id := p.named(r)
	if len(p.chains) > 0 {
		return p.chain(thread, r, id)
	}
	if p.causality == nil {
		return joined{stack: id}
	}
	key := joinKey{id, p.causality.at(thread, r.ticks)}
	found, ok := p.joins[key]
	if !ok {
		found = p.join(key)
		p.joins[key] = found
	}
	return found
}

// join finds the result for a stack.
func (p *Profile) join(key joinKey) joined {
	frames := p.stacks.get(key.stack)
	edge := p.names.edgeOf(frames)
	switch {
	case key.cause == noCause && edge.role != resumedCode && edge.role != taskCode && edge.role != runtimeCode:
		return joined{stack: key.stack, join: NotAsync}
	case key.cause == ambiguousCause:
		return joined{stack: key.stack, join: Ambiguous}
	case key.cause < 0 || !p.fits(edge, frames, key.cause):
		return joined{stack: key.stack, join: Unjoined}
	}
	own := edge.at
	if edge.role == resumedCode && edge.method >= 0 {
		own = edge.method + 1
	}
	all := slices.Clone(frames[:own])
	if edge.role == resumedCode && edge.method < 0 {
		all = append(all, p.linkStart(key.cause).frames[0])
	}
	added, last := p.appendCallers(all, key.cause)
	switch {
	case int64(len(added)) > p.joinedFrames:
		return joined{stack: key.stack, join: Unjoined}
	case len(added) > len(all):
		p.joinedFrames -= int64(len(added))
		return joined{stack: p.another(key.stack, added), join: Joined, cut: slices.Contains(added, frameTruncated)}
	case last == ambiguousCause:
		return joined{stack: key.stack, join: Ambiguous}
	}
	return joined{stack: key.stack, join: Unjoined}
}

// appendCallers appends the frames of a cause, and of its cause, and so on. It
// returns the cause that has no stack, or the last one.
func (p *Profile) appendCallers(frames []FrameID, of cause) ([]FrameID, cause) {
	created := false
	for range maxJoins {
		of = p.skipEmpty(of)
		l := p.link(of)
		kind := Awaits
		if p.causality.events[of].kind == taskScheduled {
			created = true
		}
		if created {
			kind = CreatedBy
		}
		for _, f := range l.callers {
			if f != frameTruncated { // which is no method
				f = p.waitingFrame(waitingFrame{of: f, kind: kind})
			}
			frames = append(frames, f)
		}
		if of = l.next; of < 0 {
			break
		}
	}
	return frames, of
}

// skipEmpty returns the first cause that has frames to append. An async method
// that awaits in a loop has many without: their only frame is the method itself.
func (p *Profile) skipEmpty(of cause) cause {
	var empty []*link
	for {
		l := p.link(of)
		if len(l.callers) > 0 || l.next < 0 {
			break
		}
		empty = append(empty, l)
		of = l.next
	}
	for _, l := range empty {
		l.next = of
	}
	return of
}

// link is what a cause appends to a stack.
type link struct {
	frames  []FrameID // of the event, from the method that awaits, or from what schedules the task
	awaits  bool      // frames has the method that awaits: it is on the stack of the continuation too
	known   bool      // the following are
	callers []FrameID // of the method that awaits, or all frames: up to what started them
	next    cause     // what caused the last of the callers to run
}

// link returns the link of a cause.
func (p *Profile) link(of cause) *link {
	l := p.linkStart(of)
	if l.known {
		return l
	}
	l.known = true
	edge := p.names.edgeOf(l.frames)
	l.callers = l.frames[:edge.at]
	if l.awaits {
		l.callers = l.callers[1:]
	}
	if l.next = p.causality.parents[of]; l.next >= 0 && !p.fits(edge, l.frames, l.next) {
		l.next = unknownCause
	}
	return l
}

// linkStart returns the link of a cause, of which only the first two fields must
// be known.
func (p *Profile) linkStart(of cause) *link {
	l := p.links[of]
	if l == nil {
		e := &p.causality.events[of]
		l = &link{frames: p.stacks.get(p.named(&e.row))}
		if e.kind == taskScheduled {
			l.frames = p.names.withoutTracing(l.frames)
		} else {
			l.frames = p.names.fromMethod(l.frames)
			l.awaits = len(l.frames) > 0
		}
		p.links[of] = l
	}
	return l
}

// fits reports whether a stack with an edge can be what a cause started: code of
// a task after taskScheduled, the method that awaits after taskAwaited and
// posted.
func (p *Profile) fits(e edge, frames []FrameID, of cause) bool {
	if p.causality.events[of].kind == taskScheduled {
		return e.role == taskCode
	}
	l := p.linkStart(of)
	return e.role == resumedCode && l.awaits && (e.method < 0 || p.names.sameMethod(frames[e.method], l.frames[0]))
}
