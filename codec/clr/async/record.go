package async

// Provider is the name of the provider of the events with buffers.
const Provider = "System.Runtime.CompilerServices.AsyncProfilerEventSource"

// EventID is the id of the events with buffers.
const EventID = 1

// ID says what happened. The values are those of .NET 11.0; the provider writes an
// id if the session has its keyword.
type ID uint8

// The ids of records, with the names of the runtime. Those without a dispatcher in the
// payload are about the dispatcher that the thread runs, the innermost one.
const (
	CreateRuntimeContext    ID = 1 + iota // a dispatcher of runtime-async methods; keyword 0x1
	ResumeRuntimeContext                  // the thread runs a dispatcher; 0x2
	SuspendRuntimeContext                 // the dispatcher waits; 0x4
	CompleteRuntimeContext                // the dispatcher is done; 0x8
	UnwindRuntimeException                // an exception leaves methods; 0x10
	CreateRuntimeCallstack                // the frames of a new dispatcher; 0x20
	ResumeRuntimeCallstack                // the frames of a resumed dispatcher; 0x40
	SuspendRuntimeCallstack               // the frames of a dispatcher that waits; 0x80
	ResumeRuntimeMethod                   // the next method runs; 0x100
	CompleteRuntimeMethod                 // the method is done; 0x200
	CreateMachineContext                  // a dispatcher of state machines; 0x400
	ResumeMachineContext                  // the thread runs a dispatcher; 0x800
	SuspendMachineContext                 // the dispatcher waits, and comes back; 0x1000
	CompleteMachineContext                // the dispatcher is done, its chain may not be; 0x2000
	UnwindMachineException                // an exception leaves a method; 0x4000
	ResumeMachineCallstack                // the frames of a resumed dispatcher; 0x8000
	ResumeMachineMethod                   // the next method runs; 0x10000
	CompleteMachineMethod                 // the method is done; 0x20000
	AppendMachineCallstack                // more frames of the dispatcher that runs; 0x8000
	ResetThread                           // the thread's list of running dispatchers begins anew; any keyword
	ResetWrapperIndex                     // the numbers of wrappers begin at 0 again; any keyword
	WriteMetadata                         // see Metadata; any keyword
	SyncClock                             // a pair of times, about once a minute; any keyword

	knownIDs
)

// Kind is a kind of async method.
type Kind uint8

// The kinds of async methods.
const (
	NoKind  Kind = iota // of records that are about none
	Runtime             // compiled with runtime-async
	Machine             // a state machine
)

// Kind returns the kind of async method that a record is about.
func (id ID) Kind() Kind {
	switch {
	case id >= CreateRuntimeContext && id <= CompleteRuntimeMethod || id == ResetWrapperIndex:
		return Runtime
	case id >= CreateMachineContext && id <= AppendMachineCallstack:
		return Machine
	}
	return NoKind
}

// Record is one record of a buffer. Fields that its ID does not have are zero.
type Record struct {
	ID    ID     // what happened
	Ticks uint64 // time by the clock of the trace
	// Payload has the bytes after the length, also of an ID that this package does
	// not know. It is a part of the event's payload.
	Payload    []byte
	Dispatcher uint64 // number of the dispatcher, in Create, Resume, Suspend and Append records
	Parent     uint64 // number of the dispatcher that created it, 0 for none
	Frames     Frames // of the records with a call stack
	Unwound    uint64 // frames that an exception left
	// UTC is the time of SyncClock at Clock: 100 ns since 1601-01-01.
	UTC uint64
	// Clock is the time of SyncClock in ticks of the provider's clock.
	Clock uint64
}

// Metadata is what the runtime writes after each change of its configuration.
type Metadata struct {
	Frequency  uint64 // ticks of the provider's clock in a second
	Clock, UTC uint64 // as in Record
	BufferSize uint64 // bytes of a full buffer
	Wrappers   uint8  // number of wrappers of runtime-async methods; 0: the trace has no metadata yet
}

// shape says which fields the payload of an id has.
type shape uint8

const (
	noFields shape = iota
	parentAndDispatcher
	dispatcherAlone
	unwoundFrames
	callstack
	createdCallstack
	callstackWithStates
	metadata
	clockPair
)

var shapes = [256]shape{
	CreateRuntimeContext: parentAndDispatcher, ResumeRuntimeContext: dispatcherAlone, UnwindRuntimeException: unwoundFrames,
	CreateRuntimeCallstack: createdCallstack, ResumeRuntimeCallstack: callstack, SuspendRuntimeCallstack: callstack,
	CreateMachineContext: parentAndDispatcher, ResumeMachineContext: dispatcherAlone, UnwindMachineException: unwoundFrames,
	ResumeMachineCallstack: callstackWithStates, AppendMachineCallstack: callstackWithStates, WriteMetadata: metadata, SyncClock: clockPair,
}

// firstWidths are the widths of the lengths of .NET 11.0, plus one.
var firstWidths = [knownIDs]uint8{
	CreateRuntimeContext: 2, ResumeRuntimeContext: 2, SuspendRuntimeContext: 1, CompleteRuntimeContext: 1, UnwindRuntimeException: 2,
	CreateRuntimeCallstack: 3, ResumeRuntimeCallstack: 3, SuspendRuntimeCallstack: 3, ResumeRuntimeMethod: 1, CompleteRuntimeMethod: 1,
	CreateMachineContext: 2, ResumeMachineContext: 2, SuspendMachineContext: 1, CompleteMachineContext: 1, UnwindMachineException: 2,
	ResumeMachineCallstack: 3, ResumeMachineMethod: 1, CompleteMachineMethod: 1, AppendMachineCallstack: 3,
	ResetThread: 1, ResetWrapperIndex: 1, WriteMetadata: 3, SyncClock: 2,
}
