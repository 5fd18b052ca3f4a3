package profile

import (
	"iter"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// Profile has the samples of a trace. It is complete when FromReader returns
// it. It is for one goroutine. The caller must not modify anything that its
// methods return.
type Profile struct {
	// Trace is the header of the trace: process, clock, properties.
	Trace *codec.Trace
	// CommandLine is that of the process in the header, or else of the only
	// process that has one; "" if the trace does not have it. It can contain
	// secrets.
	CommandLine string
	// Start and End are the first and the last time of the recording, in ticks:
	// for a slice its bounds. The recording ends where the runtime's rundown
	// begins, if that is last, otherwise with the last event.
	Start, End uint64
	// Interval is the median of the intervals between samples of a thread, in
	// nanoseconds. If the trace has none, it is the sampling interval in the
	// header.
	Interval int64
	// Repaired counts the samples of all types by the result of repair, before
	// any filter. CountStacks counts the returned samples.
	Repaired RepairSummary
	// Lost is the number of events that the writer dropped.
	Lost uint64
	// Unnamed is the number of events about methods and modules that were
	// ignored because of Limits.Symbols.
	Unnamed int64

	opt           Options
	asked         [typeCount]bool // by Options.Types, CPUApprox as Wall
	workers       int             // goroutines that work on records
	window        codec.TimeRange // Options.Time, and the bounds of a slice
	rounds        int64           // of the sample profiler that have samples
	gaps          [][]gap         // by thread: when it was not sampled
	stacks        stackTable
	threads       threadTable
	processes     map[uint64]Process // processes with a name or a command line in the trace
	several       bool               // there are threads of several processes
	oneCode       map[uint64]bool    // processes whose runtime calls all samples external: .NET 9
	names         naming
	records       [typeCount]ofType
	details       pieces[detail] // 0 is that of samples that have none
	labels        pieces[labelRow]
	marks         []mark
	activityPairs []activityPair    // 0 is none
	typeNames     map[uint32]string // of types, by number of the text
	texts         textTable
	seen          [typeCount]int64 // samples before any filter
	bare          int64            // selected events without a stack
	nanos         scale
	others        map[shownKey]StackID       // stacks made when samples are returned
	contexts      stackCache[StackID]        // the stack with frames named by their context
	folded        map[StackID]StackID        // as Options.FoldRecursion has them
	helpers       [typeCount]blocking.Places // that are folded in the samples of a type
	helped        [typeCount]stackCache[StackID]
	filtering     filtering
	verdicts      [2]stackCache[blocking.Verdict] // by blocking.Code
	chains        map[uint64]*chains              // by process: of the async profiler; empty with Options.Physical
	chained       map[chainKey]joined             // stacks of them
	served        map[uint64]*served              // by process: with Options.Requests
	handling      map[StackID]incoming.Stack      // what stacks tell about requests
	waiting       map[waitingFrame]FrameID        // frames of Options.Async and of chains
	causality     *causality                      // nil without Options.Async
	joins         map[joinKey]joined
	links         map[cause]*link
	joinedFrames  int64                             // that joined stacks can still have
	switched      stackCache[blocking.Verdict]      // of context switches
	pauses        map[uint64]pauses                 // by process
	display       [typeCount]stackCache[shownStack] // without Options.Async
	cpu           *cpuTimes                         // nil if the trace has no times of threads
	measured      map[uint64]bool                   // processes with samples of type CPU, which have none of CPUApprox
	wall          *wallSums                         // nil until it is needed
	sums          [typeCount]*typeSums              // the same
	merged        [typeCount][][]merged             // the same, by thread
}

// Sample is one sample. It is a copy and stays valid.
type Sample struct {
	// Type defines what Value and Count are.
	Type   Type
	Thread int    // index in Threads
	Ticks  uint64 // time of the sample or, for a duration, the beginning of its part in Options.Time; see Profile.Nanos
	// Until is the end of a duration, or of its part in Options.Time, otherwise Ticks. A sample
	// of the sample profiler has no Value for the pauses of the garbage collector before it.
	Until uint64
	Value int64 // see Type.Value; for a duration, that of its part in Options.Time
	Count int64 // see Type.Count
	// Stack is the id for Profile.Stack. A sample without frames has an empty
	// stack.
	Stack StackID
	// Managed reports, for Wall and for events of the sample profiler, that the
	// thread was in managed code.
	Managed bool
	// Unfinished reports that the trace does not have the end of a duration,
	// which counts up to Profile.End.
	Unfinished bool
	// Status is the state of the stack. Repair only changes stacks of the
	// sample profiler; a truncated stack of another event is Truncated.
	Status Status
	// Evidence describes how a Repaired stack was extended.
	Evidence Evidence
	// Activity is the activity of the event, and Related the one that caused
	// it, or zero.
	Activity, Related wire.GUID
	// Metadata is that of the event, for type Event only, otherwise nil.
	Metadata *codec.Metadata
	// Offset is codec.Event.Offset of the event, for type Event only.
	Offset int64
	// Join is what was done to make the stack a logical one: see Profile.JoinedBy.
	Join Join
	// Cut reports that the outer end of a Joined stack is missing: the runtime keeps 255
	// frames of a chain, and 100 of a stack.
	Cut bool

	recorded StackID // before frames are left out or added

	atPoll bool   // the innermost frame is a GC poll, which may be folded
	code   uint32 // the codeBits
	detail uint32
}

// StackID identifies a stack of frames, from 0.
type StackID uint32

// FrameID identifies a frame, from 0.
type FrameID uint32

// FunctionID identifies a function, from 0.
type FunctionID uint32

// Types returns the types that have samples, in the order of the function
// Types.
func (p *Profile) Types() []Type {
	var present []Type
	for t := range typeCount {
		for range p.Samples(t) {
			present = append(present, t)
			break
		}
	}
	return present
}

// Samples iterates over the samples of a type, thread by thread, those of a
// thread in time order.
func (p *Profile) Samples(t Type) iter.Seq[Sample] {
	return func(yield func(Sample) bool) {
		for thread := range p.threads.rows {
			if !p.each(t, thread, p.opt.States, yield) {
				return
			}
		}
	}
}

// ThreadSamples iterates over the samples of a type on one thread, in time
// order. thread is an index in Threads.
func (p *Profile) ThreadSamples(t Type, thread int) iter.Seq[Sample] {
	return func(yield func(Sample) bool) { p.each(t, thread, p.opt.States, yield) }
}

// Threads returns the threads of the trace, in the order of their first event.
// Some may have no samples.
func (p *Profile) Threads() []Thread { return p.threads.rows }

// Stack returns the frames of a stack, leaf first. The caller must not modify
// it.
func (p *Profile) Stack(id StackID) []FrameID { return p.stacks.get(id) }

// Frame returns the frame with an id.
func (p *Profile) Frame(id FrameID) Frame { return p.names.frames[id] }

// Function returns the function with an id.
func (p *Profile) Function(id FunctionID) *Function { return p.names.name(p, id) }

// IsSynthesized reports whether a function has no address, such as the
// mark of a truncated stack. Options.Filter does not hide or group its frames.
func (p *Profile) IsSynthesized(id FunctionID) bool { return id < madeUpFrames }
