package profile

import (
	"iter"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Profile holds the samples of a trace. It is complete when FromReader returns
// it and is for one goroutine. Everything it returns is shared: do not change
// it.
type Profile struct {
	// Trace is the header of the trace: process, clock, properties.
	Trace *codec.Trace
	// CommandLine is that of the process that the header names, or else of the only
	// process that has one; "" when the trace does not report it. It may hold secrets.
	CommandLine string
	// Start and End are the first and the last time of the recording, in ticks: of
	// a slice its bounds. The recording ends where the runtime's list of methods
	// (rundown) begins, if that comes last, else with the last event.
	Start, End uint64
	// Interval is the median of the intervals between samples of a thread in
	// nanoseconds; of a trace with none, what the header promises.
	Interval int64
	// Repaired counts what became of the samples whose stacks the runtime cut, of
	// all types and before any filter; CountStacks counts those that are returned.
	Repaired RepairSummary
	// Lost is the number of events that the writer dropped.
	Lost uint64
	// Unnamed is the number of events about methods and modules that were passed
	// over because of Limits.Symbols.
	Unnamed int64

	opt       Options
	window    codec.TimeRange // Options.Time, and the bounds of a slice
	rounds    int64           // of the sample profiler that have samples
	gaps      map[int][]gap   // by thread: when it was not sampled
	stacks    stackTable
	threads   threadTable
	processes map[uint64]Process // of which the trace reports a name or a command line
	several   bool               // there are threads of several processes
	names     naming
	records   [typeCount]ofType
	details   []detail // 0 is that of samples that have none
	labels    []labelRow
	marks     []mark
	acts      []activityPair    // 0 is none
	typeNames map[uint32]string // of types, by number of the text
	texts     textTable
	seen      [typeCount]int64 // samples before any filter
	bare      int64            // selected events without a stack
	nanos     scale
	others    map[shownKey]StackID // stacks made when samples are given out
	contexts  []StackID            // by stack, plus one: the same with frames named by their context; 0 is unknown
	folded    map[StackID]StackID  // as Options.FoldRecursion has them
}

// Sample is one sample. It is a copy: keep it as you like.
type Sample struct {
	Type   Type
	Thread int    // index in Threads
	Ticks  uint64 // when it was taken or, of a duration, the part in Options.Time began; see Profile.Nanos
	Value  int64  // see Type.Value; of a duration, of the part in Options.Time
	Count  int64  // see Type.Count
	Stack  StackID
	// Managed says of Wall that the thread was in managed code.
	Managed bool
	// Unfinished reports that the trace does not have the end of a duration, which
	// is counted up to Profile.End.
	Unfinished bool
	// Status says whether the stack is whole. Only stacks of the sample profiler
	// are ever repaired; a stack of another event that is truncated is Truncated.
	Status Status
	// Evidence tells why a Repaired stack goes on as it does.
	Evidence Evidence
	// Activity is the activity that the event belonged to, and Related the one
	// that caused it, or zero.
	Activity, Related wire.GUID
	// Metadata is that of the event, of type Event only.
	Metadata *codec.Metadata

	detail uint32
}

// StackID is a stack of frames, counted from 0.
type StackID uint32

// FrameID is a frame, counted from 0.
type FrameID uint32

// FunctionID is a function, counted from 0.
type FunctionID uint32

// Types returns the types of which there are samples, in the order of Types.
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
// thread in order of time.
func (p *Profile) Samples(t Type) iter.Seq[Sample] {
	return func(yield func(Sample) bool) {
		for thread := range p.threads.rows {
			if !p.each(t, thread, yield) {
				return
			}
		}
	}
}

// ThreadSamples iterates over the samples of a type on one thread, in order of
// time.
func (p *Profile) ThreadSamples(t Type, thread int) iter.Seq[Sample] {
	return func(yield func(Sample) bool) { p.each(t, thread, yield) }
}

// Threads returns the threads that were met, in the order first met. Not all of
// them have samples.
func (p *Profile) Threads() []Thread { return p.threads.rows }

// Stack returns the frames of a stack, leaf first.
func (p *Profile) Stack(id StackID) []FrameID { return p.stacks.get(id) }

// Stacks is the number of stacks there are now: ids are smaller.
func (p *Profile) Stacks() int { return len(p.stacks.stacks) }

// Frame returns a frame.
func (p *Profile) Frame(id FrameID) Frame { return p.names.frames[id] }

// Function returns what is known of a function.
func (p *Profile) Function(id FunctionID) *Function { return p.names.name(p, id) }
