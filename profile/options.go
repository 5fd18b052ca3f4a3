package profile

import (
	"fmt"
	"math"

	"github.com/nettrace-go/nettrace/codec"
	sources "github.com/nettrace-go/nettrace/symbols"
)

// Options configure a Profile. The zero value is right for most programs.
type Options struct {
	// NoRepair leaves truncated stacks as they were recorded.
	NoRepair bool
	// FoldRecursion keeps only one of several equal runs of frames that follow
	// each other.
	FoldRecursion bool
	// RuntimeHelpers keeps the innermost frames that the function
	// RuntimeHelpers lists, also those of events that have type Event. Default:
	// such a frame is folded into its caller.
	// The sum of the samples is the same.
	RuntimeHelpers bool
	// NoLabels leaves out the labels of samples: Profile.Labels returns those of the
	// thread and of the owner of a lock only.
	NoLabels bool
	// Async continues the stack of a task, and of an async method after an
	// await, with the stacks of those that scheduled or awaited it. It requires
	// records of the async profiler of .NET 11, which continue stacks without this option too, or
	// events of System.Threading.Tasks.TplEventSource (keywords 0x7f, level 5):
	// see Profile.JoinedBy.
	Async bool
	// Physical leaves stacks as they were recorded, also if the trace has records of
	// the async profiler. Async has no effect then.
	Physical bool
	// Types, if set, are the only types that are kept. Default: all.
	Types []Type
	// Threads, if set, are the operating system's ids of the threads whose
	// samples are returned. Repair uses the stacks of all threads.
	Threads []IDRange
	// Processes, if set, are the operating system's ids of the processes whose
	// samples are returned. Samples of processes without an id are then left
	// out. Repair uses the stacks of all processes.
	Processes []IDRange
	// States, if set, are the states of the samples of types Wall, CPUApprox and
	// Event that are returned. Of type Event, only events of the sample profiler
	// have a state, and the others are left out. Other types have no state.
	States []State
	// Time selects the samples and marks that are returned. A duration counts
	// with its part inside of Time, a sample without a duration if it is
	// inside. Repair uses the stacks of all times. The zero value selects all.
	Time codec.TimeRange
	// Provider, if set, makes samples of type Event from the events of this
	// provider that have a stack.
	Provider string
	// Event is the only event id of Provider that is selected, if HasEvent is
	// set.
	Event uint32
	// HasEvent restricts Provider to the id Event.
	HasEvent bool
	// Select, if set, makes samples of type Event from those events with a
	// stack for which it returns true. It must not keep the event.
	Select func(*codec.Event) bool
	// Marks keeps the events of event sources as marks and spans for a timeline
	// (Profile.Marks). Default: off.
	Marks bool
	// Requests finds the requests that ASP.NET Core served, and whose work a sample is
	// (Profile.Request). Default: off.
	Requests bool
	// Filter selects samples by their frames, and leaves out frames.
	Filter Filter
	// Lines, if set, finds the source lines of frames: see Profile.Location. It must not be
	// used by others until the Profile is no longer used.
	Lines *sources.Resolver
	// Limits bounds the memory of the Profile.
	Limits Limits
}

// Limits bounds the memory of a Profile. In each field 0 means the default and
// -1 means no limit. A trace that exceeds one ends the reading with a
// *LimitError.
type Limits struct {
	Samples int64 // samples, marks, rounds of the sampler and events of tasks (Options.Async), 24 to 112 bytes each, and 16 for each time in which a thread was not sampled. Default 400,000
	Frames  int64 // frames of the distinct stacks, 4 bytes each, and those that repair and Options.Async add. Default 2,000,000
	Stacks  int64 // distinct stacks and addresses, about 32 bytes each. Default 200,000
	Threads int64 // threads. Default 20,000
	Text    int64 // bytes of names, messages and labels. Default 4 MiB
	Symbols int64 // bytes of methods and modules. Default 16 MiB
	// Repair is how many times repair compares two stacks. Default 50,000,000,
	// about a second. Exceeding it is no error: the remaining stacks stay
	// truncated.
	Repair int64
}

// LimitError reports that a trace exceeds one of the Limits.
type LimitError struct {
	What string // name of the field of Limits
	// Limit is the value that the trace exceeds.
	Limit int64
}

// Error names the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("profile: limit %s = %d exceeded", e.What, e.Limit)
}

// LargeLimits returns limits for a program in which a user waits for the result: about
// 100 times the defaults.
func LargeLimits() Limits {
	return Limits{Samples: 50e6, Frames: 200e6, Stacks: 20e6, Threads: 1 << 20, Text: 256 << 20, Symbols: 512 << 20, Repair: 2e9}
}

// withDefaults replaces 0 by the default and negative numbers by no limit.
func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		value *int64
		def   int64
	}{
		{&l.Samples, 400_000}, {&l.Frames, 2_000_000}, {&l.Stacks, 200_000}, {&l.Threads, 20_000},
		{&l.Text, 4 << 20}, {&l.Symbols, 16 << 20}, {&l.Repair, 50_000_000},
	} {
		switch {
		case *f.value == 0:
			*f.value = f.def
		case *f.value < 0:
			*f.value = math.MaxInt64
		}
	}
	return l
}
