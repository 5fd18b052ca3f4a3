package blocking_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// modules are those of a program and of .NET.
var modules = map[bool]*symbols.Module{true: {Path: "/app/My.dll"}, false: {Path: "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll"}}

// framesOf makes a stack, leaf first, of "Type.Method"; "?" has no name.
func framesOf(text string) []symbols.Frame {
	var frames []symbols.Frame
	for _, name := range strings.Fields(text) {
		var f symbols.Frame
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			f.Symbol = &symbols.Symbol{Namespace: name[:dot], Method: name[dot+1:], Module: modules[strings.HasPrefix(name, "My.")]}
		}
		frames = append(frames, f)
	}
	return frames
}

// The frames that several stacks have.
const (
	monitor = " System.Threading.Monitor.Wait System.Threading.ManualResetEventSlim.Wait "
	task    = " System.Threading.Tasks.Task.SpinThenBlockingWait System.Threading.Tasks.Task.InternalWaitCore "
	worker  = " System.Threading.ThreadPoolWorkQueue.Dispatch System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart System.Threading.Thread.StartCallback"
)

// TestOf: what a thread waits for, which frames belong to the libraries, and whether the
// thread is a worker.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, stack string
		want        blocking.Site
	}{
		{"event", monitor + "My.Run", blocking.Site{Cause: blocking.Event, Frames: 2}},
		{"task in a worker", monitor + task + "My.Run" + worker, blocking.Site{Cause: blocking.Task, Frames: 4, Pool: true}},
		{"event in a task that runs in a wait", monitor + "My.Inner" + task + "My.Run",
			blocking.Site{Cause: blocking.Event, Frames: 2}},
		{"handle after a stub", "? System.Threading.WaitHandle.WaitOneNoCheck My.Run", blocking.Site{Cause: blocking.Handle, Frames: 2}},
		{"lock", "System.Threading.WaitHandle.WaitOneNoCheck System.Threading.Lock.TryEnterSlow System.Threading.Lock.Enter My.Run",
			blocking.Site{Cause: blocking.Lock, Frames: 3}},
		{"idle worker", "System.Threading.LowLevelLifoSemaphore.WaitNative System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart System.Threading.Thread.StartCallback",
			blocking.Site{Cause: blocking.PoolIdle, Frames: 1, Pool: true}},
		{"timers", "System.Threading.WaitHandle.WaitOneNoCheck System.Threading.TimerQueue.TimerThread System.Threading.Thread.StartCallback",
			blocking.Site{Cause: blocking.TimerIdle, Frames: 1}},
		{"sleep", "System.Threading.Thread.Sleep My.Run", blocking.Site{Cause: blocking.Sleep, Frames: 1}},
		{"read after a stub", "? Interop+Sys.Read My.Run", blocking.Site{Cause: blocking.IO, Frames: 2}},
		{"socket", "Interop+Sys.ReceiveMessage System.Net.Sockets.SocketPal.SysReceive System.Net.Sockets.Socket.Receive My.Run",
			blocking.Site{Cause: blocking.IO, Frames: 3}},
		{"watcher", "Interop+Sys.Read System.IO.FileSystemWatcher+RunningInstance.TryReadEvent System.Threading.Thread.StartCallback",
			blocking.Site{Cause: blocking.WatcherIdle, Frames: 1}},
		{"watcher, the read inlined", "System.IO.FileSystemWatcher+INotify.TryReadEvent System.IO.FileSystemWatcher+INotify.ProcessEvents System.Threading.Thread.StartCallback",
			blocking.Site{Cause: blocking.WatcherIdle}},
		{"read below", "My.Work Interop+Sys.Read My.Run", blocking.Site{Cause: blocking.Monitor}},
		{"sockets", "? System.Net.Sockets.SocketAsyncEngine.EventLoop System.Threading.Thread.StartCallback",
			blocking.Site{Cause: blocking.SocketIdle, Frames: 1}},
		{"a type of the program", "System.ThreadingTools.Wait My.Run", blocking.Site{Cause: blocking.Monitor}},
		{"Main for the host", monitor + task + "Microsoft.Extensions.Hosting.HostingAbstractionsHostExtensions.WaitForShutdown My.Main",
			blocking.Site{Cause: blocking.Task, Frames: 4, Main: true}},
		{"an async Main of .NET 11", monitor + task + "System.Runtime.CompilerServices.AsyncHelpers.HandleAsyncEntryPoint",
			blocking.Site{Cause: blocking.Task, Frames: 4, Main: true}},
		{"without names", "? ?", blocking.Site{Cause: blocking.Monitor}},
		{"no stack", "", blocking.Site{Cause: blocking.Monitor}},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "site", blocking.Of(framesOf(c.stack), blocking.Source{OnMonitor: true}), c.want)
		})
	}
}

// TestCalled: what a thread of .NET waits for in a method of the program that it calls is not that the thread is
// idle, or Main at its end.
func TestCalled(t *testing.T) {
	const read = "Interop+Sys.Read System.IO.RandomAccess.ReadAtOffset System.IO.File.ReadAllText "
	for stack, want := range map[string]blocking.Cause{
		read + "My.Changed System.IO.FileSystemWatcher.OnChanged System.IO.FileSystemWatcher+RunningInstance.ProcessEvents": blocking.IO,
		read + "My.Received System.Net.Sockets.SocketAsyncEngine.EventLoop":                                                 blocking.IO,
		monitor + "My.Measure System.Diagnostics.Tracing.CounterGroup.PollForValues":                                        blocking.Event,
		"System.Threading.Thread.Sleep My.Observe System.Diagnostics.Metrics.AggregationManager.CollectWorker":              blocking.Sleep,
		monitor + task + "My.Program+<Main>d__0.MoveNext My.Program.<Main>":                                                 blocking.Task,
		monitor + task + "My.Start Microsoft.Extensions.Hosting.HostingAbstractionsHostExtensions.Run My.Program.Main":      blocking.Task,
	} {
		var places []blocking.Places
		for _, f := range framesOf(stack) {
			places = append(places, blocking.PlacesOf(f.Symbol))
		}
		expect.Equal(t, stack, blocking.WaitCause(places, blocking.Source{OnMonitor: true}), want)
		expect.Equal(t, stack, blocking.Judge(places, blocking.External), blocking.Verdict{State: blocking.Waiting, Cause: want})
	}
}

// TestJudge: threads of a FileSystemWatcher are idle while they read, also where the read is inlined and
// whatever code the writer says, and not while they handle changes.
func TestJudge(t *testing.T) {
	const root = " System.IO.FileSystemWatcher+RunningInstance.ProcessEvents System.Threading.Thread.StartCallback"
	for stack, want := range map[string]blocking.State{
		"Interop+Sys.Read System.IO.FileSystemWatcher+RunningInstance.TryReadEvent" + root: blocking.Idle,
		"System.IO.FileSystemWatcher+RunningInstance.TryReadEvent" + root:                  blocking.Idle,
		"My.Changed" + root: blocking.Running,
	} {
		var places []blocking.Places
		for _, f := range framesOf(stack) {
			places = append(places, blocking.PlacesOf(f.Symbol))
		}
		for _, code := range []blocking.Code{blocking.External, blocking.Managed, blocking.NotTold} {
			if code == blocking.External && want == blocking.Running {
				continue // runs or waits
			}
			expect.Equal(t, stack, blocking.Judge(places, code).State, want)
		}
	}
}

// TestCopying: native code that copies or clears memory works, on each version of the runtime.
func TestCopying(t *testing.T) {
	for _, name := range []string{"System.Buffer._Memmove", "System.Buffer.MemmoveInternal", "System.SpanHelpers.MemmoveNative", "System.SpanHelpers.ZeroMemoryNative"} {
		places := []blocking.Places{blocking.PlacesOf(framesOf(name)[0].Symbol), blocking.PlacesOf(framesOf("My.Copy")[0].Symbol)}
		expect.Equal(t, name, blocking.Judge(places, blocking.External), blocking.Verdict{State: blocking.Running, Cause: blocking.Unknown})
	}
}

// TestIdle: idle threads, and waits for which the runtime logs no event.
func TestIdle(t *testing.T) {
	for _, c := range []struct {
		cause               blocking.Cause
		idle, withoutEvents bool
	}{
		{blocking.PoolIdle, true, true}, {blocking.TimerIdle, true, false}, {blocking.SocketIdle, true, true},
		{blocking.Sleep, false, true}, {blocking.Task, false, false}, {blocking.Unknown, false, false},
	} {
		t.Run(string(c.cause), func(t *testing.T) {
			expect.Equal(t, "idle", c.cause.Idle(), c.idle)
			expect.Equal(t, "without events", c.cause.WithoutEvents(), c.withoutEvents)
		})
	}
}

// TestFrames: the frames at the leaf of a contended lock, and those of GC polls.
func TestFrames(t *testing.T) {
	locked := framesOf("System.Threading.Monitor.Enter_Slowpath ? System.Threading.Monitor.Enter My.Run System.Threading.Monitor.Enter")
	expect.Equal(t, "frames of the lock", blocking.LockFrames(locked), 3)
	polled := framesOf("System.Threading.Thread.<PollGC>g__PollGCWorker|67_0 System.Threading.Thread.PollGC My.Run")
	expect.Equal(t, "frames of the poll", blocking.PollFrames(polled), 2)
	expect.Equal(t, "other methods of the thread", blocking.PollFrames(framesOf("System.Threading.Thread.Sleep")), 0)
}
