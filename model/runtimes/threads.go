package runtimes

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Threads finds the threads of the operating system that own locks, in one process. The events
// may come in any order: Owner knows those that were added before. Use NewThreads to create one.
type Threads struct {
	version Version
	begun   map[uint32][]life   // by managed id: ThreadCreated
	atEnd   map[uint32]uint64   // by managed id: ThreadDC
	ended   map[uint64][]uint64 // ticks by address of the thread: ThreadTerminated
	count   int                 // of all of them
	sorted  bool
}

// life is the time from which a thread has a managed id, which another one gets after its end.
type life struct {
	ticks   uint64 // it begins
	thread  uint64 // id of the operating system
	address uint64 // of the runtime's object
}

// maxLives bounds the threads that are known.
const maxLives = 1 << 20

// Why is why the owner of a lock is known or not.
type Why uint8

// The reasons that Threads.Owner returns.
const (
	Known     Why = iota // the owner is known, or the event has none
	NoVersion            // the trace has no event 187: the id may be a managed one
	NoThread             // .NET 11: the trace does not have the thread of the managed id
)

// String returns the sentence for users, "" for Known.
func (w Why) String() string {
	switch w {
	case NoVersion:
		return "the owner cannot be known: the trace does not have the version of the runtime, and since .NET 11 the ids of owners are managed ones"
	case NoThread:
		return "the owner cannot be known: .NET 11 writes managed ids of owners, and the trace does not have the threads with these ids"
	}
	return ""
}

// IsThread reports whether the events of a metadata row, which can be nil, are for Threads.Add.
func IsThread(m *codec.Metadata) bool {
	switch clr.KindOf(m) {
	case clr.KindThreadCreated, clr.KindThreadTerminated, clr.KindThreadDC, clr.KindRuntimeInformationStart, clr.KindRuntimeInformationDCStart:
		return true
	}
	return false
}

// Add adds an event for which IsThread reports true.
func (t *Threads) Add(ev *codec.Event) {
	kind := clr.KindOf(ev.Metadata())
	if kind == clr.KindRuntimeInformationStart || kind == clr.KindRuntimeInformationDCStart {
		if v := ReadVersion(ev); v != Unknown {
			t.version = v
		}
		return
	}
	if t.count++; t.count > maxLives {
		return
	}
	if kind == clr.KindThreadTerminated {
		if e := clr.ThreadTerminated(ev); !e.Short() {
			t.ended[e.ManagedThreadID()] = append(t.ended[e.ManagedThreadID()], ev.Timestamp)
		}
		return
	}
	e := clr.ThreadCreated(ev)
	managed, thread := e.ManagedThreadIndex(), uint64(e.OSThreadID())
	switch {
	case thread == 0:
	case kind == clr.KindThreadDC:
		t.atEnd[managed] = thread
	default:
		t.begun[managed] = append(t.begun[managed], life{ev.Timestamp, thread, e.ManagedThreadID()})
		t.sorted = false
	}
}

// NewThreads returns a Threads without events.
func NewThreads() *Threads {
	return &Threads{begun: map[uint32][]life{}, atEnd: map[uint32]uint64{}, ended: map[uint64][]uint64{}}
}

// Version returns the version of the runtime.
func (t *Threads) Version() Version { return t.version }

// Owner returns the operating system's id of the thread that owned a lock at a time, by the
// LockOwnerThreadID of ContentionStart; 0 if it is not known, with the reason. firstSeen returns
// the time from which the trace has a thread of the operating system, and false for none.
//
// A managed id of .NET 11 belongs to the last thread that was created with it, if that has not
// ended. One that is older than the session is in the rundown alone. Where the session does not
// record new threads, the thread of the rundown can have got the id later, so that the trace must
// have it before.
func (t *Threads) Owner(id, ticks uint64, firstSeen func(thread uint64) (uint64, bool)) (uint64, Why) {
	r := t.version.rules()
	switch {
	case id == 0:
		return 0, Known
	case r == nil:
		return 0, NoVersion
	case !r.managedOwner:
		return id, Known
	case id > 1<<32-1:
		return 0, NoThread
	}
	t.sort()
	lives := t.begun[uint32(id)]
	n, _ := slices.BinarySearchFunc(lives, ticks, func(l life, ticks uint64) int { return cmp.Compare(l.ticks, ticks) })
	if n > 0 {
		if l := &lives[n-1]; !t.hasEnded(l, ticks) {
			return l.thread, Known
		}
		return 0, NoThread
	}
	thread, ok := t.atEnd[uint32(id)]
	if !ok || len(lives) > 0 { // the one at the end was created later
		return 0, NoThread
	}
	if len(t.begun) == 0 {
		if first, ok := firstSeen(thread); !ok || first > ticks {
			return 0, NoThread
		}
	}
	return thread, Known
}

// hasEnded reports whether a thread has ended before a time.
func (t *Threads) hasEnded(l *life, ticks uint64) bool {
	return slices.ContainsFunc(t.ended[l.address], func(end uint64) bool { return l.ticks < end && end <= ticks })
}

// sort puts the threads that had one id in the order of their begins.
func (t *Threads) sort() {
	if t.sorted {
		return
	}
	for _, lives := range t.begun {
		slices.SortFunc(lives, func(a, b life) int { return cmp.Compare(a.ticks, b.ticks) })
	}
	t.sorted = true
}
