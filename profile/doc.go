// Package profile turns the events of a trace into samples: where threads spent
// their time, what they allocated, waited for and threw.
//
//	p, err := profile.FromReader(ctx, r, profile.Options{})
//	for s := range p.Samples(profile.Wall) {
//		for _, id := range p.Stack(s.Stack) { // leaf first
//			use(p.Function(p.Frame(id).Function).Name, s.Value)
//		}
//	}
//
// One reading makes all types of samples, also of a pipe. The packages below
// this one write a Profile in the formats that people open.
//
// # Terms
//
// A Sample belongs to a thread and a [Type], which says what its value measures.
// Its stack is a list of frames, leaf first. A [Frame] is an address within a
// [Function]; ids of stacks, frames and functions are small numbers counted from
// 0, so that a table can be indexed by them. Equal ids mean equal things:
// memory where one method lay after another gives two frames for an address.
//
// # Wall time
//
// The runtime's sample profiler stops every managed thread about once a
// millisecond: a round. A sample owns the time up to the next sample of its thread
// if that is in the next round, otherwise up to the next round of the process; in
// the last round it owns the median interval, and at most that where events of the
// sampler are lost. The time in between was not sampled: [Profile.NotSampled]
// returns it by thread, and no sample counts it. Type 2 samples were taken in
// managed code, type 1 samples outside, which includes waiting; the part of wall
// time in the first is [CPUApprox].
//
// # Durations and windows
//
// Waits, contentions, pauses, context switches and wall time cover a time from a
// beginning to an end. [Options.Time] clips both, so that the values of a sample in
// two adjacent windows add up to its whole value; the sample counts in each.
// Samples without a duration count in the window that they are in.
//
// What has begun and not ended is counted up to the end of the recording and
// labelled unfinished ([Sample.Unfinished]), unless events of its thread are lost
// after the beginning. The recording ends where the final rundown begins, or at
// the bound that a slice records.
//
// # Processes and threads
//
// A [Thread] is identified by its process and its ID. Names of threads are those of
// the trace (v6) or follow from events, as in TraceEvent: finalizer, collector,
// workers of the pool. Names of processes are those of the command line or of
// Universal.System (v6).
//
// # Missing names
//
// A frame without a symbol is named by what is known of it: "[kernel]",
// "[libc.so.6]", "[stub called from A.B.M]"; or else it is an address. [Profile.Names]
// counts the addresses: without a rundown most methods have no name.
//
// # Truncated stacks
//
// The runtime keeps the 100 frames nearest to the leaf. A stack of the sample
// profiler with exactly that many frames is continued at its root end with the
// addresses that followed the same callers in whole stacks of the same trace;
// [Evidence] says on what grounds. Where the trace does not answer, the stack
// stays as it was recorded, below a frame that says so. Nothing is deleted, and
// within recursion, where a run of equal frames fits anywhere, nothing is
// guessed.
//
// # Limits and hostile input
//
// What a Profile holds is in proportion to its samples and distinct stacks.
// [Limits] bounds it; its defaults are safe for an agent with 64 MB. Beyond a
// limit the Profile has what came before, and FromReader says so with a
// [*LimitError].
package profile
