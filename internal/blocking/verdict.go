package blocking

import "slices"

// State is what a sampled thread does.
type State uint8

// The states of threads.
const (
	Running  State = iota // runs
	Native                // is in native code: it runs or waits there
	Waiting               // waits for an event, a task, a time or data
	Blocked               // waits for a lock
	Spinning              // uses the processor while it waits
	Idle                  // has nothing to do
)

// Code is the kind of code in which the writer says that a thread was sampled.
type Code uint8

// The kinds of code.
const (
	External Code = iota // native code
	Managed              // managed code
	NotTold              // the writer calls all samples external: .NET 9
)

// Verdict is what a thread with a stack does, and for what it waits.
type Verdict struct {
	State State
	Cause Cause // Unknown if it does not wait
}

// blocking places are those in which a thread is not running, if they are at the leaf.
const (
	pulse    = MonitorWait | EventWait | SemaphoreWait
	waitLeaf = HandleWait | pulse | LockWait | Sleeping | Joining | SocketLoop | FileWatcher | FinalizerLoop | FinalizerWait | Inner
)

// Judge returns what a thread does by the places of its frames, leaf first, and by the kind of code.
// A sample has the kind from when the sampler began to stop the thread, and the stack from where
// it then stopped. A managed sample in a wait therefore ran just before it: it has the state of the
// wait, because the stack of its work is not known.
func Judge(places []Places, code Code) Verdict {
	leaf := slices.IndexFunc(places, func(p Places) bool { return p&Named != 0 && p&(GCPoll|EventWriting) == 0 })
	if leaf < 0 {
		return running(places, code)
	}
	at := leaf // the innermost frame that tells for what the thread waits
	for at < len(places) && (places[at]&Named == 0 || places[at]&Inner != 0) {
		at++
	}
	if at == len(places) {
		return Verdict{Waiting, Unknown}
	}
	here, next := places[at], Places(0)
	for i := at + 1; i < len(places) && next == 0; i++ {
		next = places[i]
	}
	switch {
	case here&Spin != 0 && next&(PoolWait|PoolWorker) != 0, here&PoolWorker != 0:
		return Verdict{Spinning, PoolIdle}
	case here&Spin != 0:
		return Verdict{Spinning, SpinWait}
	case here&PoolWait != 0 && code == Managed:
		return Verdict{Spinning, PoolIdle}
	case here&Transfer != 0:
		return transfer(places[at:], code)
	case here&(waitLeaf|PoolWait) != 0 || at > leaf:
		return wait(places[leaf:], code)
	case here&Copying != 0:
		return Verdict{Running, Unknown}
	}
	return running(places, code)
}

// running returns the verdict on a thread in a frame that says nothing.
func running(places []Places, code Code) Verdict {
	if code == Managed || code == NotTold && len(places) > 0 && places[0]&Named != 0 {
		return Verdict{Running, Unknown}
	}
	return Verdict{Native, Unknown}
}

// transfer returns the verdict on a thread that reads or writes.
func transfer(places []Places, code Code) Verdict {
	under := union(own(places))
	switch {
	case under&SocketLoop != 0:
		return Verdict{Idle, SocketIdle}
	case under&FileWatcher != 0:
		return Verdict{Idle, WatcherIdle}
	case code == Managed:
		return Verdict{Running, Unknown}
	}
	return Verdict{Waiting, IO}
}

// wait returns the verdict on a thread that waits.
func wait(places []Places, code Code) Verdict {
	cause := causeOf(places)
	switch {
	case cause == Lock && code == Managed:
		return Verdict{Running, Unknown}
	case cause == Lock:
		return Verdict{Blocked, cause}
	case cause.Idle():
		return Verdict{Idle, cause}
	}
	return Verdict{Waiting, cause}
}

// own returns the frames of a thread's own wait: not those below a method of the program, which a thread of .NET's
// calls, such as the handler of an event.
func own(places []Places) []Places {
	if i := slices.IndexFunc(places, func(p Places) bool { return p&Program != 0 }); i >= 0 {
		return places[:i]
	}
	return places
}

// union returns the places of all frames.
func union(places []Places) Places {
	all := Places(0)
	for _, p := range places {
		all |= p
	}
	return all
}

// causeOf returns what a thread waits for, by its frames in a wait. Those of the libraries and the
// one that calls them tell the kind, the frames below whose thread it is.
func causeOf(places []Places) Cause {
	met := union(places[:min(libraryFrames(places)+1, len(places))])
	under := union(own(places))
	if met&(HandleWait|pulse|Sleeping|TaskWait|Inner) != 0 {
		if i := slices.IndexFunc(threads, func(r row) bool { return r.of&under != 0 }); i >= 0 {
			return threads[i].cause
		}
	}
	i := slices.IndexFunc(causes, func(r row) bool { return r.of&met != 0 })
	switch {
	case i < 0:
		return leafCause(places)
	case causes[i].cause == Task && under&HostRun != 0:
		return Host
	case causes[i].cause == Task && under&AsyncMain != 0:
		return AsyncMainTask
	}
	return causes[i].cause
}

// leafCause returns the cause by the innermost frame with a name, if it is outside of the libraries.
func leafCause(places []Places) Cause {
	i := slices.IndexFunc(places, func(p Places) bool { return p&Named != 0 && p&(EventWriting|Inner) == 0 })
	if i < 0 {
		return Unknown
	}
	at := slices.IndexFunc(leaves, func(r row) bool { return r.of&places[i] != 0 })
	switch {
	case at < 0:
		return Unknown
	case leaves[at].cause == IO:
		if v := transfer(places[i:], External); v.Cause != IO {
			return v.Cause
		}
	}
	return leaves[at].cause
}

// libraryFrames returns how many frames at the leaf belong to the classes with which threads wait.
// Frames without a name, such as stubs, are skipped between them and in front of them.
func libraryFrames(places []Places) int {
	n := 0
	for i, p := range places {
		switch {
		case p&Named == 0:
		case p&(Library|EventWriting) != 0:
			n = i + 1
		default:
			return n
		}
	}
	return n
}

// Source is what the events of a wait say of it.
type Source struct {
	OnMonitor bool // its WaitSource is Monitor.Wait
	OfTask    bool // it is within a wait for a task of the task library
	ByTask    bool // there is none of the runtime itself, but that of the task library
	BySample  bool // there is none: it is a sample outside of managed code
}

// WaitCause returns what a thread waits for, by the places of the stack of a wait, leaf first, and
// by its events. After Monitor.Wait a thread takes its lock again: the leaf is the same, and the
// source another.
func WaitCause(places []Places, from Source) Cause {
	if from.BySample {
		v := Judge(places, External)
		if v.State == Spinning || from.OfTask { // the wait has the event of the task library
			return Unknown
		}
		return v.Cause
	}
	cause := causeOf(places)
	leaf := slices.IndexFunc(places, func(p Places) bool { return p&Named != 0 && p&EventWriting == 0 })
	switch {
	case leaf >= 0 && places[leaf]&MonitorWait != 0 && !from.OnMonitor && !from.ByTask:
		return Lock
	case cause.Idle() || cause == Lock:
		return cause
	case from.OfTask && cause.Wait() != Task:
		return Task
	case cause == Unknown && from.OnMonitor:
		return Monitor
	}
	return cause
}
