// Package blocking names what a thread waits for by the frames of .NET's libraries at
// the leaf of its stack.
package blocking

import (
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Cause is what a thread waits for.
type Cause string

// The causes.
const (
	PoolIdle      Cause = "poolIdle"      // a worker of the thread pool without work
	TimerIdle     Cause = "timerIdle"     // the thread of the timers
	GateIdle      Cause = "gateIdle"      // the thread that watches the thread pool
	Lock          Cause = "lock"          // a contended lock
	Task          Cause = "task"          // the end of a task
	Join          Cause = "join"          // the end of a thread
	Semaphore     Cause = "semaphore"     // a SemaphoreSlim
	Event         Cause = "event"         // a ManualResetEventSlim
	Monitor       Cause = "monitor"       // Monitor.Wait
	Handle        Cause = "handle"        // an event, a semaphore or a mutex of the operating system
	Sleep         Cause = "sleep"         // Thread.Sleep
	IO            Cause = "io"            // a file, a pipe, a socket or the console
	Finalizers    Cause = "finalizers"    // GC.WaitForPendingFinalizers
	SocketIdle    Cause = "socketIdle"    // the thread that waits for the events of all sockets
	WatcherIdle   Cause = "watcherIdle"   // the thread of a FileSystemWatcher
	FinalizerIdle Cause = "finalizerIdle" // the finalizer without objects
	Unknown       Cause = "unknown"       // the frames have no names, or none in the table
)

// idle are the causes of threads that have nothing to do.
var idle = []Cause{PoolIdle, TimerIdle, GateIdle, SocketIdle, WatcherIdle, FinalizerIdle}

// Idle reports whether the thread has nothing to do.
func (c Cause) Idle() bool { return slices.Contains(idle, c) }

// withoutEvents are the causes of waits for which the runtime logs no event.
var withoutEvents = []Cause{PoolIdle, Sleep, IO, Finalizers, SocketIdle, WatcherIdle, FinalizerIdle}

// WithoutEvents reports whether the runtime logs no event for waits with this cause.
func (c Cause) WithoutEvents() bool { return slices.Contains(withoutEvents, c) }

// causes are the frames that determine the cause. The first row with a frame in the
// stack wins: one wait has frames of several rows, because the classes use each
// other. The types are those of System.Private.CoreLib.
var causes = []struct {
	cause   Cause
	typ     string
	methods []string
}{
	{TimerIdle, "System.Threading.TimerQueue", []string{"TimerThread"}},
	{GateIdle, "System.Threading.PortableThreadPool+GateThread", []string{"GateThreadStart"}},
	{PoolIdle, "System.Threading.LowLevelLifoSemaphore", []string{"Wait", "WaitForSignal", "WaitCore", "WaitNative"}},
	{Lock, "System.Threading.Monitor", enters},
	{Lock, "System.Threading.Lock", []string{"TryEnterSlow", "Enter"}},
	{Task, "System.Threading.Tasks.Task", []string{"InternalWaitCore", "SpinThenBlockingWait", "WaitAllBlockingCore"}},
	{Join, "System.Threading.Thread", []string{"Join"}},
	{Sleep, "System.Threading.Thread", []string{"Sleep", "SleepInternal"}},
	{Semaphore, "System.Threading.SemaphoreSlim", []string{"WaitUntilCountOrTimeout"}},
	{Event, "System.Threading.ManualResetEventSlim", []string{"Wait"}},
	{Monitor, "System.Threading.Monitor", []string{"Wait"}},
	{Handle, "System.Threading.WaitHandle", []string{
		"WaitOneNoCheck", "WaitOneCore", "WaitMultiple", "WaitAnyMultiple", "WaitMultipleIgnoringSyncContext",
	}},
}

// leaves are the methods outside of System.Threading in which a thread waits if they
// are the innermost frame with a name. method is a prefix.
var leaves = []struct {
	cause       Cause
	typ, method string
}{
	{IO, "Interop+Sys", "Read"}, {IO, "Interop+Sys", "Poll"}, {IO, "Interop+Sys", "Accept"}, {IO, "Interop+Sys", "Connect"},
	{IO, "Interop+Sys", "Receive"}, {IO, "Interop+Sys", "Send"},
	{IO, "System.ConsolePal+WindowsConsoleStream", "ReadFileNative"},
	{IO, "System.IO.Stream+<>c", "<BeginReadInternal>"},
	{SocketIdle, "System.Net.Sockets.SocketAsyncEngine", "EventLoop"},
	{WatcherIdle, "System.IO.FileSystemWatcher", "WatchForFileSystemEvents"},
	{WatcherIdle, "System.IO.FileSystemWatcher+RunningInstance", "<Start>g__WatchForFileSystemEvents"},
	{FinalizerIdle, "System.GC", "RunFinalizers"},
	{Finalizers, "System.GC", "WaitForPendingFinalizers"},
	{Finalizers, "System.GC", "_WaitForPendingFinalizers"},
}

// enters are the methods of Monitor that wait for a lock.
var enters = []string{"Enter_Slowpath", "Enter", "ReliableEnter", "TryEnter_Slowpath"}

// lockFrames are the frames at the leaf of a stack of a contended lock: they
// belong to the lock, not to the method that takes it.
var lockFrames = map[string][]string{
	"System.Threading.Monitor":                            append([]string{"Wait", "TryEnter"}, enters...),
	"System.Threading.Lock":                               {"TryEnterSlow", "EnterAndGetCurrentThreadId", "EnterScope", "Enter", "TryEnter"},
	"System.Diagnostics.Tracing.NativeRuntimeEventSource": {"ContentionStart", "ContentionLockCreated"},
	"System.Threading.WaitHandle":                         {"WaitOneNoCheck"},
}

// polls are the frames in which the runtime stops a thread to take its stack. They do
// no work.
var polls = map[string][]string{"System.Threading.Thread": {"PollGC", "<PollGC>g__PollGCWorker"}}

// PollFrames returns how many frames at the leaf are those in which the runtime stops
// a thread.
func PollFrames(frames []symbols.Frame) int {
	return leading(frames, func(s *symbols.Symbol) bool {
		return slices.ContainsFunc(polls[s.Namespace], func(prefix string) bool { return s.Method == prefix || strings.HasPrefix(s.Method, prefix+"|") })
	})
}

// LockFrames returns how many frames at the leaf belong to the lock that a thread
// waits for.
func LockFrames(frames []symbols.Frame) int {
	return leading(frames, func(s *symbols.Symbol) bool { return slices.Contains(lockFrames[s.Namespace], s.Method) })
}

// libraries are the namespaces of the classes with which threads wait.
var libraries = []string{"System.Threading", "System.Diagnostics.Tracing.NativeRuntimeEventSource", "System.Runtime.CompilerServices.TaskAwaiter",
	"System.Runtime.CompilerServices.ConfiguredTaskAwaitable", "System.Runtime.CompilerServices.ValueTaskAwaiter", "System.Collections.Concurrent.BlockingCollection"}

// waitFrames returns how many frames at the leaf belong to the classes with which
// threads wait.
func waitFrames(frames []symbols.Frame) int {
	return leading(frames, func(s *symbols.Symbol) bool { return within(s.Namespace, libraries) })
}

// within reports whether a type belongs to one of some namespaces or types.
func within(typ string, list []string) bool {
	return slices.ContainsFunc(list, func(prefix string) bool {
		rest, ok := strings.CutPrefix(typ, prefix)
		return ok && (rest == "" || strings.ContainsAny(rest[:1], ".`+"))
	})
}

// leading counts the frames at the leaf that belong to a library. Frames without a
// name, such as stubs, are skipped between them and in front of them.
func leading(frames []symbols.Frame, belongs func(*symbols.Symbol) bool) int {
	n := 0
	for i := range frames {
		switch s := frames[i].Symbol; {
		case s == nil:
		case belongs(s):
			n = i + 1
		default:
			return n
		}
	}
	return n
}

// Site is where and for what a thread waits.
type Site struct {
	Cause  Cause
	Frames int  // at the leaf that belong to the libraries
	Pool   bool // the thread is a worker of the thread pool
	// MonitorWait is set if the leaf is Monitor.Wait: the thread waits for a pulse, or
	// takes its lock again after it.
	MonitorWait bool
}

// Of returns the site of a wait by its stack, leaf first.
func Of(frames []symbols.Frame) Site {
	site := Site{Cause: Unknown, Frames: waitFrames(frames)}
	if site.Frames == len(frames) { // a thread of the library: its own method is the one above the start of the thread
		site.Frames = max(0, len(frames)-2)
	}
	site.Pool = slices.ContainsFunc(frames, isWorker)
	if i := slices.IndexFunc(frames, func(f symbols.Frame) bool { return f.Symbol != nil }); i >= 0 {
		site.MonitorWait = frames[i].Symbol.Namespace == "System.Threading.Monitor" && frames[i].Symbol.Method == "Wait"
	}
	for _, row := range causes {
		if slices.ContainsFunc(frames[:min(len(frames), site.Frames+1)], func(f symbols.Frame) bool {
			return f.Symbol != nil && f.Symbol.Namespace == row.typ && slices.Contains(row.methods, f.Symbol.Method)
		}) {
			site.Cause = row.cause
			return site
		}
	}
	site.findLeaf(frames)
	return site
}

// findLeaf sets the cause by the innermost frame with a name.
func (site *Site) findLeaf(frames []symbols.Frame) {
	i := slices.IndexFunc(frames, func(f symbols.Frame) bool { return f.Symbol != nil })
	if i < 0 {
		return
	}
	s := frames[i].Symbol
	for _, row := range leaves {
		if s.Namespace != row.typ || !strings.HasPrefix(s.Method, row.method) {
			continue
		}
		switch site.Cause, site.Frames = row.cause, i; row.cause {
		case IO:
			site.findCaller(frames)
		case Finalizers:
			site.Frames++
		}
		return
	}
}

// findCaller counts the frames of the libraries for input and output. The thread of a
// FileSystemWatcher is idle when it reads.
func (site *Site) findCaller(frames []symbols.Frame) {
	n := leading(frames, func(s *symbols.Symbol) bool { return within(s.Namespace, streams) })
	if i := slices.IndexFunc(frames[:n], func(f symbols.Frame) bool { return f.Symbol != nil && within(f.Symbol.Namespace, watchers) }); i >= 0 {
		site.Cause, site.Frames = WatcherIdle, i
		return
	}
	site.Frames = n
}

// streams are the namespaces of the classes for input and output; watchers is that of
// the class whose thread reads the changes of files.
var (
	streams  = []string{"Interop", "System.IO", "System.Net.Sockets", "System.ConsolePal", "Microsoft.Win32.SafeHandles"}
	watchers = []string{"System.IO.FileSystemWatcher"}
)

// isWorker reports whether a frame is the root of a worker of the thread pool.
func isWorker(f symbols.Frame) bool {
	return f.Symbol != nil && f.Symbol.Method == "WorkerThreadStart" && f.Symbol.Namespace == "System.Threading.PortableThreadPool+WorkerThread"
}
