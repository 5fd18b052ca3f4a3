package blocking

import (
	"strings"
	"sync"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Places is a set of places: what a method of .NET's libraries does that matters
// for the threads in it.
type Places uint64

// The places.
const (
	PoolWait       Places = 1 << iota // a worker of the thread pool waits for work
	PoolWorker                        // the root of a worker of the thread pool
	PoolRoot                          // the root of any thread of a thread pool
	Spin                              // uses the processor while it waits
	TimerThread                       // the root of the thread of the timers
	GateThread                        // the root of the thread that watches the thread pool
	HandleWait                        // waits for an object of the operating system
	MonitorWait                       // waits for a pulse, and takes its lock again after it
	EventWait                         // waits for a ManualResetEventSlim
	SemaphoreWait                     // waits for a SemaphoreSlim
	TaskWait                          // waits for the end of a task
	HostRun                           // runs the host of an application
	AsyncMain                         // runs a Main that is async
	LockWait                          // waits for a contended lock
	LockLeaf                          // the innermost method of a wait for a lock, folded into its caller
	LockFrame                         // another method of a lock
	HandleLock                        // a lock that waits for an object of the operating system
	Sleeping                          // Thread.Sleep
	Joining                           // waits for the end of a thread
	Transfer                          // reads or writes a file, a pipe, a socket or the console
	SocketLoop                        // waits for the events of all sockets
	FileWatcher                       // waits for the changes of files
	FinalizerLoop                     // runs the finalizers
	FinalizerWait                     // GC.WaitForPendingFinalizers
	Copying                           // native code of the runtime that works
	GCPoll                            // the runtime stops a thread to take its stack; does no work
	Throwing                          // dispatches an exception
	Unwinding                         // walks the stack for an exception
	Inner                             // what all waits of a version have at the leaf: it does not tell for what
	EventWriting                      // writes an event
	LoggerThread                      // the root of the thread that writes to the console for ILogger
	RecorderThread                    // the root of a thread that works for a session of the recorder
	Program                           // is the program's own: no place, and in no library of .NET
	Library                           // belongs to the classes with which threads wait
	Named                             // has a name

	LastPlace = Named
)

// method is a row of methods.
type method struct {
	of    Places
	typ   string
	names []string
}

// methods lists the methods, each once. * matches any characters. What the
// compiler adds to the name of a local function (|67_0) is left out. The types are
// those of System.Private.CoreLib, if they are in no other library.
var methods = []method{
	{PoolWait, "System.Threading.LowLevelLifoSemaphore", []string{"Wait", "WaitForSignal", "WaitCore", "WaitNative", "Block", "WaitSlow", "WaitAsWaiter"}},
	{Inner, "System.Threading.LowLevelThreadBlocker", []string{"TimedWait", "Wait"}},
	{Inner, "System.Threading.WaitSubsystem", []string{"Wait", "Sleep"}},
	{Inner, "System.Threading.WaitSubsystem+ThreadWaitInfo", []string{"Wait", "Sleep", "UninterruptibleSleep0"}},
	{Inner, "System.Threading.WaitSubsystem+WaitableObject", []string{"Wait*"}},
	{Inner, "System.Threading.LowLevelMonitor", []string{"Wait*"}},
	{PoolWorker | PoolRoot, "System.Threading.PortableThreadPool+WorkerThread", []string{"WorkerThreadStart"}},
	{PoolRoot, "System.Threading._ThreadPoolWaitCallback", []string{"PerformWaitCallback"}},
	{PoolRoot, "System.Threading.ThreadPoolWorkQueue", []string{"Dispatch"}},
	{PoolRoot, "System.Threading.WindowsThreadPool", []string{"DispatchCallback"}},
	{PoolRoot, "System.Threading.ThreadPoolBoundHandleOverlapped", []string{"CompletionCallback"}},
	{Spin, "System.Threading.Backoff", []string{"Exponential"}},
	{Spin, "System.Threading.LowLevelSpinWaiter", []string{"Wait"}},
	{Spin, "System.Threading.SpinWait", []string{"SpinOnceCore"}},
	{Spin, "System.Threading.Thread", []string{"Yield*", "SpinWait*"}},
	{TimerThread, "System.Threading.TimerQueue", []string{"TimerThread"}},
	{GateThread, "System.Threading.PortableThreadPool+GateThread", []string{"GateThreadStart"}},
	{HandleWait | LockFrame, "System.Threading.WaitHandle", []string{"WaitOneNoCheck"}},
	{HandleWait, "System.Threading.WaitHandle", []string{
		"WaitOneCore", "WaitMultiple", "WaitAnyMultiple", "WaitMultipleIgnoringSyncContext*", "WaitOne", "WaitAll", "WaitAny", "SignalAndWait*",
	}},
	{HandleWait, "System.Net.HttpListener", []string{"EndGetContext"}},
	{LockWait | LockLeaf, "System.Threading.Monitor", []string{"Enter_Slowpath", "Enter", "TryEnter_Slowpath"}},
	{LockWait | LockFrame, "System.Threading.Monitor", []string{"ReliableEnter*"}},
	{LockWait | LockFrame, "System.Threading.Monitor", []string{"TryEnter"}},
	{MonitorWait | LockLeaf, "System.Threading.Monitor", []string{"Wait", "ObjWait"}},
	{MonitorWait, "System.Threading.Condition", []string{"Wait"}},
	{LockWait | LockLeaf | HandleLock, "System.Threading.Lock", []string{"TryEnterSlow"}},
	{LockLeaf, "System.Threading.Lock", []string{"EnterAndGetCurrentThreadId", "EnterScope", "CreateWaitEvent"}},
	{LockFrame | HandleLock, "System.Threading.Lock", []string{"Enter"}},
	{LockFrame, "System.Threading.Lock", []string{"TryEnter", "TryEnter_Outlined"}},
	{EventWriting, "System.Diagnostics.Tracing.NativeRuntimeEventSource", []string{"*"}},
	{EventWriting, "System.Diagnostics.Tracing.EventSource*", []string{"*"}},
	{EventWriting, "System.Diagnostics.Tracing.EventProvider*", []string{"*"}},
	{EventWriting, "System.Diagnostics.Tracing.EventPipe*Provider*", []string{"*"}},
	{EventWriting, "System.Diagnostics.Tracing.EventPipeInternal", []string{"*"}},
	{EventWriting, "System.Diagnostics.Tracing.XplatEventLogger", []string{"*"}},
	{EventWriting, "System.Diagnostics.Tracing.TraceLogging*", []string{"*"}},
	{EventWriting, "System.Threading.Tasks.TplEventSource", []string{"*"}},
	{EventWait, "System.Threading.ManualResetEventSlim", []string{"Wait"}},
	{SemaphoreWait, "System.Threading.SemaphoreSlim", []string{"WaitUntilCountOrTimeout"}},
	{TaskWait, "System.Threading.Tasks.Task", []string{"SpinThenBlockingWait", "WaitAllBlockingCore", "InternalWaitCore"}},
	{HostRun, "Microsoft.Extensions.Hosting.HostingAbstractionsHostExtensions", []string{"Run", "WaitForShutdown"}},
	{HostRun, "Microsoft.AspNetCore.Hosting.WebHostExtensions", []string{"Run", "WaitForShutdown"}},
	{AsyncMain, "*", []string{"<Main>"}},
	{AsyncMain, "System.Runtime.CompilerServices.AsyncHelpers", []string{"HandleAsyncEntryPoint"}},
	{Sleeping, "System.Threading.Thread", []string{"Sleep*"}},
	{Joining, "System.Threading.Thread", []string{"Join*"}},
	{Transfer, "Interop+Sys", []string{"Read", "ReadStdin", "Poll", "Accept", "Connect", "Receive*", "Send*", "GetHostEntryForName", "GetNameInfo"}},
	{Transfer, "System.ConsolePal+WindowsConsoleStream", []string{"ReadFileNative"}},
	{Transfer, "System.IO.Stream+<>c", []string{"<BeginReadInternal>*"}},
	{Transfer, "Interop+Sys", []string{"WaitForSocketEvents"}},
	{SocketLoop, "System.Net.Sockets.SocketAsyncEngine", []string{"EventLoop"}},
	{LoggerThread, "Microsoft.Extensions.Logging.Console.ConsoleLoggerProcessor", []string{"ProcessLogQueue"}},
	{RecorderThread, "System.Diagnostics.Metrics.AggregationManager", []string{"CollectWorker*"}},
	{RecorderThread, "System.Diagnostics.Tracing.CounterGroup", []string{"PollForValues"}},
	{RecorderThread, "System.Diagnostics.Tracing.EventPipeEventDispatcher", []string{"DispatchEventsToEventListeners", "StartDispatchTask*"}},
	{FileWatcher, "System.IO.FileSystemWatcher*", []string{"*WatchForFileSystemEvents*", "ProcessEvents"}},
	{Transfer | FileWatcher, "System.IO.FileSystemWatcher*", []string{"TryReadEvent"}}, // Interop+Sys.Read is often inlined
	{FinalizerLoop, "System.GC", []string{"RunFinalizers"}},
	{FinalizerWait, "System.GC", []string{"WaitForPendingFinalizers", "_WaitForPendingFinalizers"}},
	{Copying, "System.Buffer", []string{"MemmoveInternal", "BulkMoveWithWriteBarrier*", "ZeroMemoryInternal"}},
	{Copying, "System.Buffer", []string{"_Memmove", "_BulkMoveWithWriteBarrier", "_ZeroMemory"}}, // .NET 8
	{Copying, "System.SpanHelpers", []string{"MemmoveNative", "ZeroMemoryNative"}},               // .NET 11
	{Copying, "System.Object", []string{"MemberwiseClone"}},
	{Copying, "System.Array", []string{"CreateInstanceMDArray"}},
	{Copying, "System.Runtime.CompilerServices.RuntimeHelpers", []string{"<GetHashCode>g__GetHashCodeWorker"}},
	{GCPoll, "System.Threading.Thread", []string{"<PollGC>g__PollGCWorker", "PollGC"}},
	{Throwing, "System.Runtime.EH", []string{"*"}},
	{Unwinding, "System.Runtime.ExceptionServices.InternalCalls", []string{"*"}},
	{Unwinding, "System.Runtime.InternalCalls", []string{"*"}},
}

// MethodsIn returns the methods in a place: type and method as in a name, where *
// matches any characters.
func MethodsIn(of Places) []string {
	var list []string
	for _, row := range methods {
		if row.of&of == 0 {
			continue
		}
		for _, name := range row.names {
			list = append(list, row.typ+"."+name)
		}
	}
	return list
}

// pattern is a method with an asterisk.
type pattern struct {
	typ, name glob
	of        Places
}

// glob is a text with asterisks: the parts between them.
type glob []string

// matches reports whether a text is as in a pattern.
func (g glob) matches(text string) bool {
	last := len(g) - 1
	if last == 0 {
		return text == g[0]
	}
	text, ok := strings.CutPrefix(text, g[0])
	for _, part := range g[1:last] {
		if ok {
			_, text, ok = strings.Cut(text, part)
		}
	}
	return ok && strings.HasSuffix(text, g[last])
}

// index has the methods by type and name, and those with an asterisk.
type index struct {
	exact    map[[2]string]Places
	patterns []pattern
}

var indexed = sync.OnceValue(func() *index {
	x := &index{exact: map[[2]string]Places{}}
	for _, row := range methods {
		for _, name := range row.names {
			if strings.Contains(row.typ+name, "*") {
				x.patterns = append(x.patterns, pattern{strings.Split(row.typ, "*"), strings.Split(name, "*"), row.of})
			} else {
				x.exact[[2]string{row.typ, name}] |= row.of
			}
		}
	}
	return x
})

// PlacesOf returns the places of a method, none for nil.
func PlacesOf(s *symbols.Symbol) Places {
	if s == nil {
		return 0
	}
	x := indexed()
	name, _, _ := strings.Cut(s.Method, "|")
	found := x.exact[[2]string{s.Namespace, name}] | Named
	if within(s.Namespace, libraries) {
		found |= Library
	}
	for _, p := range x.patterns {
		if p.typ.matches(s.Namespace) && p.name.matches(name) {
			found |= p.of
		}
	}
	if module := s.ModuleName(); found == Named && (s.Module != nil || module != "") && !IsFramework(s, module) {
		found |= Program
	}
	return found
}
