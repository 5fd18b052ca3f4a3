// Package profile turns the events of a trace into samples: where threads spent
// their time, how much they allocated, how long they waited, and which
// exceptions they threw.
//
//	p, err := profile.FromReader(ctx, r, profile.Options{})
//	for s := range p.Samples(profile.Wall) {
//		for _, id := range p.Stack(s.Stack) { // leaf first
//			use(p.Function(p.Frame(id).Function).Name, s.Value)
//		}
//	}
//
// FromReader makes the samples of all types in one pass; the source can be a
// pipe. FromChunks reads a file with several goroutines. To add up samples,
// [Profile.Totals] is faster than Samples. The subpackages write a Profile in the
// formats of common viewers.
//
// # Terms
//
// A [Sample] belongs to a thread and has a [Type], which defines what its value
// measures. Its stack is a list of frames, leaf first. A [Frame] is an address
// within a [Function]. Ids of stacks, frames and functions are small numbers
// from 0, so they can be used as indexes of a table. Equal ids mean the same
// stack, frame or function. An address where two methods were compiled one
// after the other has two frames.
//
// # Wall time
//
// The runtime's sample profiler stops all managed threads about once a
// millisecond: a round. The value of a sample is the time up to the next sample
// of its thread, if that is in the next round, otherwise the time up to the
// next round of the process. In the last round the value is the median
// interval; if events of the sampler are lost, no value exceeds the median
// interval. The time in between was not sampled: [Profile.NotSampled] returns
// it by thread, and no sample counts it. Type 2 samples were taken in managed
// code, type 1 samples outside, which includes waiting; [CPUApprox] is the wall
// time of the type 2 samples.
//
// [Profile.State] returns what a thread did in a sample: it runs, spins, waits, is
// blocked on a lock, is idle, or is in native code that may run or wait. The
// state follows from the type of the sample and from the innermost frame that
// has a name. Options.States selects states.
//
// [Profile.TimeLine] combines the states of the samples of a thread with its waits,
// contentions, context switches and the pauses of the garbage collector: each
// instant has one [State], and the states add up to the time that the thread was
// observed.
//
// The sampler has a bias that no reader can remove. Compared with the processor
// time that a program measured, plain loops have 1.1 times their share of the
// managed samples, copies of arrays of bytes a tenth, and native code a quarter
// at most: their samples are external. Samples of copies count as [Running].
//
// # Processor time
//
// On Linux, the program that records can add the processor time that each thread
// used between two readings of the system's counters (nettrace collect does; the
// events are those of the provider Nettrace-Collector). The samples of type
// [CPUApprox] then have this time as their value: what a thread used between two
// readings is divided among its samples of that time which may run (states
// Running, Native and Spinning; if there are none, all others), in proportion to
// their wall time. Samples in native code therefore count too, and samples that
// did not run have no value. The sum of a thread's samples is its processor time;
// how it is divided among the methods between two readings stays an estimate.
//
// Time without a sample belongs to a stack of one frame: "[garbage collector]" for
// all threads of the garbage collector, "[NAME]" for other threads that run no
// managed code, "[not sampled]" for the rest. [Profile.ThreadTime] returns the time
// of a thread, [Profile.HasThreadTimes] whether a trace has such times. A merged
// trace has none.
//
// # Helpers of the runtime
//
// A frame of the runtime that does no work of its own is folded into its caller:
// in samples of the sample profiler the polls for the garbage collector, in
// exceptions the dispatch, in locks the methods that wait for the lock. The
// function [RuntimeHelpers] lists them, Options.RuntimeHelpers keeps them. No
// value changes. [Profile.GCPolls] counts the samples at polls: their caller is
// where the thread could be stopped, and the time just before may count there.
//
// # Logical stacks
//
// The stack of an async method after an await ends in the runtime that resumed it. If
// the trace has records of the async profiler of .NET 11, the stack continues with the
// methods that wait for it, and above their chain with those that created it
// ([Frame.Kind]); Options.Physical leaves stacks as they were recorded. Package
// model/logical describes how the frames are found.
//
// For other traces Options.Async continues the stack of a task, and of an async method after an
// await, with the stack of the method that
// scheduled or awaited it, without the frames that ran that method, and so on, at
// most 32 times; an await whose method was itself continued counts only if it
// adds frames. Stacks are joined only by events about tasks (TaskScheduled to
// TaskStarted, TaskWaitBegin to TaskWaitEnd, AwaitTaskContinuationScheduled to
// TaskContinuationStarted), by the id of the task within a process, and only if
// the methods on both stacks are the same. A trace without such events is the
// error [ErrNoTaskEvents]. There are none about the awaits of methods that are
// compiled with runtime-async: what they resumed stays as recorded.
//
// [Sample.Join] is the result, and [Profile.JoinedBy] the source. A stack
// stays as recorded if several methods await one task, if the trace does not have
// the records or the event, or if some are lost in between.
//
// # Filters
//
// Options.Filter selects samples by the methods on their stacks, and hides frames
// or replaces them by modules, namespaces or assemblies. A hidden frame counts
// for its caller; a stack whose frames are all hidden has the frame "[hidden
// frames]". Hiding changes no value and no state.
//
// # Durations and windows
//
// Waits, contentions, pauses, context switches and wall time are durations.
// Options.Time clips both ends of a duration, so that the values of a sample in
// two adjacent windows add up to its full value; the sample counts in each
// window. Samples without a duration count in the window that contains them.
//
// A duration whose end is missing counts up to the end of the recording and has
// the label unfinished (Sample.Unfinished), unless events of its thread are
// lost after its beginning. The recording ends where the final rundown begins,
// or at the bound that a slice records.
//
// # Processes and threads
//
// A [Thread] is identified by its process and its ID. Names of threads come
// from the trace (v6) or are derived from events, as in TraceEvent: finalizer,
// garbage collector, thread pool workers. Names of processes come from the
// command line or from Universal.System (v6).
//
// # Missing names
//
// The name of a frame without a symbol describes its mapping or caller:
// "[kernel]", "[libc.so.6]", "[stub called from A.B.M]"; otherwise it is the
// address. [Profile.Names] counts the addresses: without a rundown most methods
// have no name.
//
// # Truncated stacks
//
// The runtime records at most the 100 frames nearest to the leaf. Repair
// extends a stack of the sample profiler with exactly that many frames at its
// root end: it adds the addresses that followed the same callers in complete
// stacks of the same trace. [Evidence] describes the basis of the extension. If
// the trace has no such stacks, the stack stays as recorded, below a frame that
// marks it as truncated. Repair removes no frames. Within recursion, where a
// run of equal frames could be inserted at several places, it adds nothing.
//
// # Limits and untrusted input
//
// The size of a Profile is in proportion to its samples and distinct stacks.
// [Limits] bounds it; the defaults are safe for an agent with 64 MB. If a trace
// exceeds a limit, the Profile has the samples before that place, and
// FromReader returns a *[LimitError].
package profile
