package profile

import (
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/internal/blocking"
)

// State is what the thread of a sample of the sample profiler did: see
// Profile.State.
type State uint8

// The states, in the order of States.
const (
	// Running is the state of a sample in managed code that neither spins nor
	// stopped in a wait, and of one in native code that is known to work, such
	// as a copy.
	Running State = iota
	// Native is the state of a sample in native code whose innermost named frame
	// is no known place: the thread runs or waits there.
	Native
	// Waiting is the state of a thread that waits for an event, a task, a time or
	// data.
	Waiting
	// Blocked is the state of a thread that waits for a lock.
	Blocked
	// Spinning is the state of a thread that uses the processor while it waits:
	// most often a thread of the idle thread pool.
	Spinning
	// Idle is the state of a thread of the runtime or of the class library that
	// has nothing to do.
	Idle

	stateCount
)

// The states that no sample has, only a span of a time line.
const (
	// Stopped is the state of a thread that would run in a pause of the garbage
	// collector, and of the thread that suspends the others.
	Stopped State = stateCount + iota
	// NotSampled is the state of a thread of which the trace does not show what it
	// did.
	NotSampled
)

var stateNames = [...]string{
	Running: "running", Native: "native", Waiting: "waiting", Blocked: "blocked", Spinning: "spinning", Idle: "idle",
	Stopped: "stopped", NotSampled: "not sampled",
}

// String returns the name of the state, such as "running".
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}

// States returns all states that samples have.
func States() []State {
	list := make([]State, stateCount)
	for i := range list {
		list[i] = State(i)
	}
	return list
}

// StateByName returns the state of samples with a name that String returns.
func StateByName(name string) (State, bool) {
	i := slices.Index(stateNames[:stateCount], name)
	return State(max(i, 0)), i >= 0
}

// code is a set of kinds of code that samples are taken in.
type code uint8

const (
	managedCode code = 1 << iota
	externalCode
	anyCode = managedCode | externalCode
)

// stateRule gives a state and its cause to the samples in a kind of code whose
// frames are in places, where these are set.
type stateRule struct {
	in    code
	at    blocking.Places // of the innermost named frame
	next  blocking.Places // of its caller
	under blocking.Places // of any of its callers
	also  blocking.Places // the same of another of them; under is set too
	state State
	cause string
}

// The places in which a thread waits.
const (
	pulseWait       = blocking.MonitorWait | blocking.EventWait | blocking.SemaphoreWait
	handleOrMonitor = blocking.HandleWait | pulseWait
)

// stateRules are tried in this order. The runtime writes whether a thread was in
// managed code when the sampler began to suspend it, and the stack where it then
// stopped. A managed sample in a wait therefore ran just before it: it has the
// state of the wait, because the stack of its work is not known.
var stateRules = []stateRule{
	{in: managedCode, at: blocking.PoolWait | blocking.PoolWorker, state: Spinning, cause: "thread pool"},
	{in: externalCode, at: blocking.PoolWorker, state: Spinning, cause: "thread pool"},
	{in: anyCode, at: blocking.Spin, next: blocking.PoolWait | blocking.PoolWorker, state: Spinning, cause: "thread pool"},
	{in: anyCode, at: blocking.Spin, state: Spinning, cause: "spin wait"},
	{in: externalCode, at: blocking.PoolWait, state: Idle, cause: "thread pool"},
	{in: externalCode, at: blocking.HandleWait, next: blocking.HandleLock, state: Blocked, cause: "lock"},
	{in: externalCode, at: blocking.LockWait, state: Blocked, cause: "lock"},
	{in: managedCode, at: blocking.HandleWait, next: blocking.HandleLock, state: Running},
	{in: anyCode, at: handleOrMonitor, under: blocking.TimerThread, state: Idle, cause: "timer"},
	{in: anyCode, at: handleOrMonitor | blocking.Sleeping, under: blocking.GateThread, state: Idle, cause: "thread pool gate"},
	{in: anyCode, at: handleOrMonitor, under: blocking.TaskWait, also: blocking.HostRun, state: Waiting, cause: "host"},
	{in: anyCode, at: handleOrMonitor, under: blocking.TaskWait, also: blocking.AsyncMain, state: Waiting, cause: "async Main"},
	{in: anyCode, at: handleOrMonitor, under: blocking.TaskWait, state: Waiting, cause: "task"},
	{in: anyCode, at: blocking.HandleWait, state: Waiting, cause: "wait handle"},
	{in: anyCode, at: pulseWait, state: Waiting, cause: "monitor"},
	{in: anyCode, at: blocking.Sleeping, state: Waiting, cause: "sleep"},
	{in: anyCode, at: blocking.Joining, state: Waiting, cause: "join"},
	{in: anyCode, at: blocking.SocketLoop, state: Idle, cause: "socket loop"},
	{in: anyCode, at: blocking.Transfer, under: blocking.SocketLoop, state: Idle, cause: "socket loop"},
	{in: anyCode, at: blocking.FileWatcher, state: Idle, cause: "file watcher"},
	{in: anyCode, at: blocking.Transfer, under: blocking.FileWatcher, state: Idle, cause: "file watcher"},
	{in: externalCode, at: blocking.Transfer, state: Waiting, cause: "input or output"},
	{in: anyCode, at: blocking.FinalizerLoop, state: Idle, cause: "finalizer"},
	{in: anyCode, at: blocking.FinalizerWait, state: Waiting, cause: "finalizer"},
	{in: externalCode, at: blocking.Copying, state: Running},
	{in: managedCode, state: Running},
	{in: externalCode, state: Native}, // the last one
}

// State returns the state of a sample of type Wall or CPUApprox, or of an event of
// the sample profiler, and for threads that do not run the cause, such as "task" or "thread pool". It follows from
// Sample.Managed and from the innermost frame that has a name. The rules are
// applied once for each stack.
func (p *Profile) State(s *Sample) (State, string) {
	in := externalCode
	if s.Managed {
		in = managedCode
	}
	stack := s.Stack
	if original, ok := p.filtering.original.get(stack); ok {
		stack = original
	}
	rule := p.ruleOf(stack, in)
	return rule.state, rule.cause
}

// ruleOf returns the rule for a stack, which it finds once.
func (p *Profile) ruleOf(stack StackID, in code) *stateRule {
	rule, ok := p.states[in].get(stack)
	if !ok {
		rule = p.states[in].set(stack, p.names.stateOf(p.stacks.get(stack), in))
	}
	return rule
}

// stateOf finds the rule for a stack.
func (n *naming) stateOf(frames []FrameID, in code) *stateRule {
	frames = n.innermostNamed(frames)
	at, next := n.placesIn(frames, 0, 1), n.placesIn(frames, 1, 2)
	for i := range stateRules {
		r := &stateRules[i]
		if r.in&in == 0 || !allows(r.at, at) || !allows(r.next, next) {
			continue
		}
		if r.under == 0 {
			return r
		}
		if under := n.placesIn(frames, 1, len(frames)); allows(r.under, under) && allows(r.also, under) {
			return r
		}
	}
	return &stateRules[len(stateRules)-1]
}

// placesIn returns the places of some frames.
func (n *naming) placesIn(frames []FrameID, from, to int) blocking.Places {
	found := blocking.Places(0)
	for i := from; i < min(to, len(frames)); i++ {
		found |= n.placesOf(n.frames[frames[i]].Function)
	}
	return found
}

// allows reports whether a condition holds for the places of a frame: an empty
// condition always holds.
func allows(condition, found blocking.Places) bool { return condition == 0 || condition&found != 0 }

// innermostNamed leaves out the innermost frames that have no name and the GC
// polls before the frame that determines the state.
func (n *naming) innermostNamed(frames []FrameID) []FrameID {
	for i, f := range frames {
		function := n.frames[f].Function
		if n.sources[function].Symbol != nil && n.placesOf(function)&blocking.GCPoll == 0 {
			return frames[i:]
		}
	}
	return nil
}

// StateTime is the time of the samples with one state.
type StateTime struct {
	State   State // of the samples
	Samples int64 // number of samples of type Wall
	Nanos   int64 // sum of their values
}

// TimeByState adds up the samples of type Wall by state, for every state.
// Options.States does not apply, so that the sum of Nanos is the sum of the
// values of all samples of type Wall.
func (p *Profile) TimeByState() []StateTime { return slices.Clone(p.wallSums().states[:]) }

// hasStates reports whether there are samples of type Wall, in any state.
func (p *Profile) hasStates() bool {
	return slices.ContainsFunc(p.wallSums().states[:], func(t StateTime) bool { return t.Samples > 0 })
}

// OneCode is a process whose samples the writer of the trace does not divide
// into managed and external code.
type OneCode struct {
	ProcessID uint64 // as in Thread.ProcessID
	Samples   int64  // number of samples of type Wall that neither wait nor are idle
	Managed   int64  // of them, those in managed code
}

// minSamplesOfCode is the number of samples from which OneCode can be decided.
const minSamplesOfCode = 100

// OneCode returns the processes of which at least 99 % of the samples are in
// managed code, or at least 99 % in external code. Samples in external code that
// wait, are blocked or idle do not count: a process that only waits is
// external. A process counts only if that is true of the returned samples and of all
// samples: those that Options select can run all the time.
func (p *Profile) OneCode() []OneCode {
	selected := p.wallSums().codes.one()
	if len(selected) == 0 {
		return nil
	}
	all := p.allCodes().one()
	return slices.DeleteFunc(selected, func(c OneCode) bool {
		return !slices.ContainsFunc(all, func(o OneCode) bool { return o.ProcessID == c.ProcessID })
	})
}
