package profile

import (
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Names of the runtime's own threads, which are those of TraceEvent and of the
// .NET continuous profiler.
const (
	finalizerThread  = ".NET Finalizer Thread"
	backgroundThread = ".NET Background GC Thread"
	serverThread     = ".NET Server GC Thread("
	workerThread     = ".NET ThreadPool Worker"
)

// Flags of ThreadCreated.
const (
	createdForGC     = 1 // a suspendable thread of the collector: it collects in the background
	createdFinalizer = 2
	createdWorker    = 4
)

// threadCreated names a thread by the purpose that the runtime created it for.
func (b *builder) threadCreated(ev *codec.Event) {
	b.ownerThread(ev)
	e := clr.ThreadCreated(ev)
	if e.Short() {
		return
	}
	at, flags := b.p.threads.find(threadKey{process: symbols.Process(ev), thread: uint64(e.OSThreadID())}), e.Flags()
	switch {
	case flags&createdForGC != 0:
		b.p.threads.name(at, backgroundThread)
	case flags&createdFinalizer != 0:
		b.p.threads.name(at, finalizerThread)
	case flags&createdWorker != 0:
		b.p.threads.name(at, workerThread)
	}
}

// poolThread names the thread of an event that only workers of the pool write.
func (b *builder) poolThread(ev *codec.Event) {
	b.p.threads.name(b.thread(ev), workerThread)
	if b.tasks != nil && clr.KindOf(ev.Metadata()) == clr.KindThreadPoolWorkerThreadWait {
		b.addTask(ev, taskEvent{kind: poolIdle})
	}
}

// finalizing names the thread that runs finalizers.
func (b *builder) finalizing(ev *codec.Event) { b.p.threads.name(b.thread(ev), finalizerThread) }

// backgroundGC names the thread of an event that only background collections
// write.
func (b *builder) backgroundGC(ev *codec.Event) { b.p.threads.name(b.thread(ev), backgroundThread) }

// marked notes which heap a thread marks handles for.
func (b *builder) marked(ev *codec.Event) {
	const handles = 2
	if e := clr.GCMarkWithType(ev); e.Type() == handles {
		b.p.threads.heaps[b.thread(ev)] = e.HeapNum()
	}
}

// nameServerThreads names the threads of the collector in processes where
// several heaps are marked: with server garbage collection each heap has a thread.
func (t *threadTable) nameServerThreads() {
	server := map[uint64]bool{}
	for at, heap := range t.heaps {
		if heap > 0 {
			server[t.rows[at].ProcessID] = true
		}
	}
	for at, heap := range t.heaps {
		if server[t.rows[at].ProcessID] {
			t.name(at, serverThread+strconv.FormatUint(uint64(heap), 10)+")")
		}
	}
}
