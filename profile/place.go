package profile

import (
	"path"
	"strings"
	"sync"
)

// places is a set of the places of placeMethods.
type places uint32

// The places in the class library that determine the state of a sample or the
// frames that are folded.
const (
	poolWait places = 1 << iota
	spinning
	poolWorker
	timerThread
	gateThread
	handleWait
	monitorWait
	taskWait
	hostRun
	asyncMain
	lockEnter
	lockHandle
	sleeping
	joining
	transfer
	socketLoop
	fileWatcher
	finalizerLoop
	finalizerWait
	copying
	gcPoll
	throwing
	unwinding
	lockWait
	contentionEvent
)

// placeMethods lists the methods of each place: type and method, where * stands
// for any characters. What the compiler adds to the name of a local function
// (|67_0) is left out.
var placeMethods = []struct {
	of      places
	methods []string
}{
	{poolWait, []string{
		"System.Threading.LowLevelLifoSemaphore.Wait", "System.Threading.LowLevelLifoSemaphore.WaitForSignal",
		"System.Threading.LowLevelLifoSemaphore.WaitCore", "System.Threading.LowLevelLifoSemaphore.WaitNative",
	}},
	{spinning, []string{
		"System.Threading.LowLevelSpinWaiter.Wait", "System.Threading.SpinWait.SpinOnceCore",
		"System.Threading.Thread.Yield*", "System.Threading.Thread.SpinWait*",
	}},
	{poolWorker, []string{"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart"}},
	{timerThread, []string{"System.Threading.TimerQueue.TimerThread"}},
	{gateThread, []string{"System.Threading.PortableThreadPool+GateThread.GateThreadStart"}},
	{handleWait, []string{
		"System.Threading.WaitHandle.WaitOneNoCheck", "System.Threading.WaitHandle.WaitOneCore", "System.Threading.WaitHandle.WaitMultiple",
		"System.Threading.WaitHandle.WaitAnyMultiple", "System.Threading.WaitHandle.WaitMultipleIgnoringSyncContext",
	}},
	{monitorWait, []string{
		"System.Threading.Monitor.Wait", "System.Threading.ManualResetEventSlim.Wait", "System.Threading.SemaphoreSlim.WaitUntilCountOrTimeout",
	}},
	{taskWait, []string{
		"System.Threading.Tasks.Task.SpinThenBlockingWait", "System.Threading.Tasks.Task.WaitAllBlockingCore",
		"System.Threading.Tasks.Task.InternalWaitCore",
	}},
	{hostRun, []string{"Microsoft.Extensions.Hosting.HostingAbstractionsHostExtensions.Run"}},
	{asyncMain, []string{"*.<Main>"}},
	{lockEnter, []string{
		"System.Threading.Monitor.Enter_Slowpath", "System.Threading.Monitor.Enter", "System.Threading.Monitor.ReliableEnter*",
		"System.Threading.Monitor.TryEnter_Slowpath*", "System.Threading.Lock.TryEnterSlow",
	}},
	{lockHandle, []string{"System.Threading.Lock.TryEnterSlow", "System.Threading.Lock.Enter"}},
	{sleeping, []string{"System.Threading.Thread.Sleep*"}},
	{joining, []string{"System.Threading.Thread.Join*"}},
	{transfer, []string{
		"Interop+Sys.Read", "Interop+Sys.Poll", "Interop+Sys.Accept", "Interop+Sys.Connect", "Interop+Sys.Receive*", "Interop+Sys.Send*",
		"System.ConsolePal+WindowsConsoleStream.ReadFileNative", "System.IO.Stream+<>c.<BeginReadInternal>*",
	}},
	{socketLoop, []string{"System.Net.Sockets.SocketAsyncEngine.EventLoop"}},
	{fileWatcher, []string{"System.IO.FileSystemWatcher*WatchForFileSystemEvents*"}},
	{finalizerLoop, []string{"System.GC.RunFinalizers"}},
	{finalizerWait, []string{"System.GC.WaitForPendingFinalizers", "System.GC._WaitForPendingFinalizers"}},
	{copying, []string{
		"System.Buffer.MemmoveInternal", "System.Buffer.BulkMoveWithWriteBarrier*", "System.Buffer.ZeroMemoryInternal",
		"System.Object.MemberwiseClone", "System.Array.CreateInstanceMDArray",
		"System.Runtime.CompilerServices.RuntimeHelpers.<GetHashCode>g__GetHashCodeWorker",
	}},
	{gcPoll, []string{"System.Threading.Thread.<PollGC>g__PollGCWorker", "System.Threading.Thread.PollGC"}},
	{throwing, []string{"System.Runtime.EH.*"}},
	{unwinding, []string{"System.Runtime.ExceptionServices.InternalCalls.*", "System.Runtime.InternalCalls.*"}},
	{lockWait, []string{
		"System.Threading.Monitor.Enter_Slowpath", "System.Threading.Monitor.Enter", "System.Threading.Monitor.TryEnter_Slowpath",
		"System.Threading.Monitor.Wait", "System.Threading.Lock.TryEnterSlow", "System.Threading.Lock.EnterAndGetCurrentThreadId",
		"System.Threading.Lock.EnterScope",
	}},
	{contentionEvent, []string{"System.Diagnostics.Tracing.NativeRuntimeEventSource.ContentionStart"}},
}

// placePattern is a pattern of placeMethods with an asterisk.
type placePattern struct {
	text string
	of   places
}

// placeIndex has the rows of placeMethods by name, and those with an asterisk.
type placeIndex struct {
	exact    map[string]places
	patterns []placePattern
}

var indexedPlaces = sync.OnceValue(func() *placeIndex {
	index := &placeIndex{exact: map[string]places{}}
	for _, row := range placeMethods {
		for _, method := range row.methods {
			if strings.Contains(method, "*") {
				index.patterns = append(index.patterns, placePattern{method, row.of})
			} else {
				index.exact[method] |= row.of
			}
		}
	}
	return index
})

// find returns the places of a method.
func (x *placeIndex) find(class, method string) places {
	method, _, _ = strings.Cut(method, "|")
	name := class + "." + method
	found := x.exact[name]
	for i := range x.patterns {
		if ok, _ := path.Match(x.patterns[i].text, name); ok {
			found |= x.patterns[i].of
		}
	}
	return found
}

// placesOf returns the places of a function, which are looked up once.
func (n *naming) placesOf(id FunctionID) places {
	if missing := int(id) + 1 - len(n.places); missing > 0 {
		n.places = append(n.places, make([]places, missing)...)
	}
	if n.places[id] == 0 {
		n.places[id] = lookedUp
		if s := n.sources[id].Symbol; s != nil {
			n.places[id] |= indexedPlaces().find(s.Namespace, s.Method)
		}
	}
	return n.places[id] &^ lookedUp
}

// lookedUp marks a function whose places are known.
const lookedUp places = 1 << 31
