package profile

import (
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/internal/blocking"
)

// State is what the thread of a sample of the sample profiler did: see
// Profile.State.
type State uint8

// The states of samples, in the order of States. Package blocking determines them.
const (
	// Running is the state of a sample in managed code that neither spins nor
	// stopped in a wait, and of one in native code that is known to work, such
	// as a copy.
	Running = State(blocking.Running)
	// Native is the state of a sample in native code whose innermost named frame
	// is no known place: the thread runs or waits there.
	Native = State(blocking.Native)
	// Waiting is the state of a thread that waits for an event, a task, a time or
	// data.
	Waiting = State(blocking.Waiting)
	// Blocked is the state of a thread that waits for a lock.
	Blocked = State(blocking.Blocked)
	// Spinning is the state of a thread that uses the processor while it waits:
	// most often a thread of the idle thread pool.
	Spinning = State(blocking.Spinning)
	// Idle is the state of a thread of the runtime or of the class library that
	// has nothing to do.
	Idle = State(blocking.Idle)

	stateCount = Idle + 1
)

// The states that no sample has, only a span of a time line.
const (
	// Stopped is the state of a thread that would run in a pause of the garbage
	// collector.
	Stopped State = stateCount + iota
	// NotSampled is the state of a thread of which the trace does not show what it
	// did.
	NotSampled
	// Runnable is the state of a thread that would run, but has no processor.
	Runnable
)

var stateNames = [...]string{
	Running: "running", Native: "native", Waiting: "waiting", Blocked: "blocked", Spinning: "spinning", Idle: "idle",
	Stopped: "stopped", NotSampled: "not sampled", Runnable: "runnable",
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

// stateOf are the States of blocking. Their order is the same.
func stateOf(v blocking.Verdict) State { return State(v.State) }

// State returns the state of a sample of type Wall or CPUApprox, or of an event of
// the sample profiler, and for threads that do not run the cause, such as "task" or "thread pool". It follows from
// Sample.Managed and from the innermost frame that has a name. The rules are
// applied once for each stack. The runtime of .NET 9 calls all samples external: there
// the innermost frame alone decides, and a thread in a method that is not known to wait
// is Running. A sample outside of managed code in a contention of its thread is Blocked:
// up to .NET 9 the frames of a thread that waits for a lock do not show that.
func (p *Profile) State(s *Sample) (State, string) {
	stack := s.Stack
	if original, ok := p.filtering.original.get(stack); ok {
		stack = original
	}
	code := s.code
	if s.Managed {
		code = managedBit
	}
	return p.stateIn(stack, code)
}

// stateIn returns the state of a sample with a stack, and the cause.
func (p *Profile) stateIn(stack StackID, code uint32) (State, string) {
	switch {
	case code&lockedBit != 0:
		return Blocked, blocking.Lock.Text()
	case code&ranBit != 0:
		return Running, ""
	}
	v := p.verdict(stack, code&managedBit != 0)
	return stateOf(v), causeText(v)
}

// causeText returns for what a thread waits, "" if it does not.
func causeText(v blocking.Verdict) string {
	if v.Cause == blocking.Unknown {
		return ""
	}
	return v.Cause.Text()
}

// verdict returns what a thread with a stack does, which is found once.
func (p *Profile) verdict(stack StackID, managed bool) blocking.Verdict {
	in := blocking.External
	if managed {
		in = blocking.Managed
	}
	v, ok := p.verdicts[in].get(stack)
	if !ok {
		v = p.verdicts[in].set(stack, blocking.Judge(p.names.placesIn(p.stacks.get(stack)), in))
	}
	return v
}

// placesIn returns the places of frames. It is valid until the next call.
func (n *naming) placesIn(frames []FrameID) []blocking.Places {
	n.met = n.met[:0]
	for _, f := range frames {
		n.met = append(n.met, n.placesOf(n.frames[f].Function))
	}
	return n.met
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
	// ByRuntime reports that the runtime of the process calls all samples external, as
	// .NET 9 does: the innermost frame alone decides whether a thread is Running.
	ByRuntime bool
}

// minSamplesOfCode is the number of samples from which OneCode can be decided.
const minSamplesOfCode = 100

// OneCode returns the processes of which at least 99 % of the samples are in
// managed code, or at least 99 % in external code. Samples in external code that
// wait, are blocked or idle do not count: a process that only waits is
// external. A process counts only if that is true of the returned samples and of all
// samples: those that Options select can run all the time. A process whose runtime calls all
// samples external counts with its first sample.
func (p *Profile) OneCode() []OneCode {
	selected := p.wallSums().codes.one(p.oneCode)
	if len(selected) == 0 {
		return nil
	}
	all := p.allCodes().one(p.oneCode)
	return slices.DeleteFunc(selected, func(c OneCode) bool {
		return !slices.ContainsFunc(all, func(o OneCode) bool { return o.ProcessID == c.ProcessID })
	})
}
