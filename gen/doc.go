// Package gen generates traces: valid ones from explicit definitions, at random
// or like those of real writers, and ones that break a chosen rule.
//
// A [Trace] is a trace as a Go value: blocks of rows in the form of package
// codec. A [Builder] makes the blocks from definitions and events. It assigns
// ids, sequence numbers and block boundaries, so that the trace is valid unless
// its caller overrides them. [FromBytes] and [Random] return small traces
// that use everything in the format. [Profiles] returns kinds of long traces
// like those of the .NET runtime and of one-collect. [Faults] returns faults,
// which make one faulty stream each, and the same stream without the fault.
//
// Everything is deterministic: the same seed gives the same bytes on every
// platform. The code does not range over maps, read clocks or use
// floating-point numbers.
package gen
