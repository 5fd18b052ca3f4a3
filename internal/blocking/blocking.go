// Package blocking has the methods of .NET's libraries that determine what a thread
// does, and names by them what a thread waits for.
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
	LoggerIdle    Cause = "loggerIdle"    // the thread that writes to the console for ILogger
	RecorderIdle  Cause = "recorderIdle"  // a thread that works for a session of the recorder
	Host          Cause = "host"          // Main, for the end of the host of an application
	AsyncMainTask Cause = "asyncMain"     // the thread that runs a Main which is async
	SpinWait      Cause = "spinWait"      // uses the processor
	RuntimeIdle   Cause = "runtimeIdle"   // a thread of the runtime that runs no code of the program
	Futex         Cause = "futex"         // a lock, an event or a condition of native code
	Ready         Cause = "ready"         // a processor
	Unknown       Cause = "unknown"       // the frames have no names, or none in the table
)

// texts are the causes for users.
var texts = map[Cause]string{
	PoolIdle: "thread pool", TimerIdle: "timer", GateIdle: "thread pool gate", Handle: "wait handle", IO: "input or output", Finalizers: "finalizer",
	SocketIdle: "socket loop", WatcherIdle: "file watcher", FinalizerIdle: "finalizer", LoggerIdle: "console logger", RecorderIdle: "recorder",
	AsyncMainTask: "async Main", SpinWait: "spin wait", RuntimeIdle: "runtime",
}

// Text returns the cause for users, such as "thread pool".
func (c Cause) Text() string {
	if text, ok := texts[c]; ok {
		return text
	}
	return string(c)
}

// Wait returns the cause of the wait itself: Main waits for a task.
func (c Cause) Wait() Cause {
	if c == Host || c == AsyncMainTask {
		return Task
	}
	return c
}

// idle are the causes of threads that have nothing to do.
var idle = []Cause{PoolIdle, TimerIdle, GateIdle, SocketIdle, WatcherIdle, FinalizerIdle, LoggerIdle, RecorderIdle, RuntimeIdle}

// Idle reports whether the thread has nothing to do.
func (c Cause) Idle() bool { return slices.Contains(idle, c) }

// withoutEvents are the causes of waits for which the runtime logs no event.
var withoutEvents = []Cause{PoolIdle, Sleep, IO, Finalizers, SocketIdle, WatcherIdle, FinalizerIdle}

// WithoutEvents reports whether the runtime logs no event for waits with this cause.
func (c Cause) WithoutEvents() bool { return slices.Contains(withoutEvents, c) }

// row gives a cause to the waits in a place.
type row struct {
	cause Cause
	of    Places
}

// causes determine the cause by the frames. The first row with a frame in the
// stack wins: one wait has frames of several rows, because the classes use each
// other.
var causes = []row{
	{TimerIdle, TimerThread}, {GateIdle, GateThread}, {PoolIdle, PoolWait}, {Lock, LockWait | HandleLock}, {Task, TaskWait}, {Join, Joining},
	{Sleep, Sleeping}, {Semaphore, SemaphoreWait}, {Event, EventWait}, {Monitor, MonitorWait}, {Handle, HandleWait},
}

// threads determine the cause by a frame of the thread, wherever it is.
var threads = []row{{TimerIdle, TimerThread}, {GateIdle, GateThread}, {LoggerIdle, LoggerThread}, {RecorderIdle, RecorderThread}}

// leaves determine the cause by the innermost frame with a name, if it is outside
// of System.Threading.
var leaves = []row{
	{IO, Transfer}, {SocketIdle, SocketLoop}, {WatcherIdle, FileWatcher}, {FinalizerIdle, FinalizerLoop}, {Finalizers, FinalizerWait},
}

// Blocks are the places in which a thread is blocked by what it calls.
const Blocks = TaskWait | EventWait | SemaphoreWait | MonitorWait | LockWait | HandleWait | Sleeping | Joining

// PollFrames returns how many frames at the leaf are those in which the runtime stops
// a thread.
func PollFrames(frames []symbols.Frame) int { return leadingIn(frames, GCPoll) }

// LockFrames returns how many frames at the leaf belong to the lock that a thread
// waits for.
func LockFrames(frames []symbols.Frame) int {
	return leadingIn(frames, LockLeaf|LockFrame|EventWriting|Inner)
}

// WritingFrames returns how many frames at the leaf write the event that has the stack. They are the place of
// nothing.
func WritingFrames(frames []symbols.Frame) int { return leadingIn(frames, EventWriting) }

// leadingIn counts the frames at the leaf that are in a place.
func leadingIn(frames []symbols.Frame, of Places) int {
	return leading(frames, func(s *symbols.Symbol) bool { return PlacesOf(s)&of != 0 })
}

// libraries are the namespaces of the classes with which threads wait.
var libraries = []string{"System.Threading", "System.Runtime.CompilerServices.TaskAwaiter",
	"System.Runtime.CompilerServices.ConfiguredTaskAwaitable", "System.Runtime.CompilerServices.ValueTaskAwaiter", "System.Collections.Concurrent.BlockingCollection"}

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
	Main   bool // the thread of Main waits for the end of the host, or of a Main that is async
}

// Of returns the site of a wait by its stack, leaf first, and by its events.
func Of(frames []symbols.Frame, from Source) Site {
	places := make([]Places, len(frames))
	for i, f := range frames {
		places[i] = PlacesOf(f.Symbol)
	}
	cause := WaitCause(places, from)
	site := Site{Cause: cause.Wait(), Frames: libraryFrames(places), Pool: union(places)&PoolWorker != 0, Main: cause != cause.Wait()}
	if site.Frames == len(frames) { // a thread of the library: its own method is the one above the start of the thread
		site.Frames = max(0, len(frames)-2)
	}
	leaf := slices.IndexFunc(places, func(p Places) bool { return p&Named != 0 && p&EventWriting == 0 })
	if leaf < 0 {
		return site
	}
	if places[leaf]&Library != 0 {
		return site
	}
	switch site.Cause {
	case IO, WatcherIdle, SocketIdle:
		site.Frames = leaf
		site.findCaller(frames)
	case Finalizers:
		site.Frames = leaf + 1
	case FinalizerIdle:
		site.Frames = leaf
	}
	return site
}

// findCaller counts the frames of the libraries for input and output. The thread of a
// FileSystemWatcher is idle when it reads.
func (site *Site) findCaller(frames []symbols.Frame) {
	n := leading(frames, func(s *symbols.Symbol) bool { return within(s.Namespace, streams) })
	if i := slices.IndexFunc(frames[:n], func(f symbols.Frame) bool { return f.Symbol != nil && within(f.Symbol.Namespace, watchers) }); i >= 0 {
		site.Cause, site.Frames = WatcherIdle, i
		return
	}
	if site.Cause == IO {
		site.Frames = n
	}
}

// streams are the namespaces of the classes for input and output; watchers is that of
// the class whose thread reads the changes of files.
var (
	streams  = []string{"Interop", "System.IO", "System.Net.Sockets", "System.ConsolePal", "Microsoft.Win32.SafeHandles"}
	watchers = []string{"System.IO.FileSystemWatcher"}
)
