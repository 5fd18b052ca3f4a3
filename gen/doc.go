// Package gen makes traces: legal ones by hand, at random or after the habits of
// real writers, and ones that break a rule on purpose.
//
// A Trace is a trace as a Go value: blocks of rows, in the form in which package
// codec gives and takes them. A Builder makes them from definitions and events,
// and sees to ids, sequence numbers and block borders, so that what it makes is
// legal unless its caller wants otherwise. NewFromGoFuzz and Random give small
// traces that use everything the format has. Profiles gives long ones that look
// like those of the .NET runtime and of one-collect. Faults gives streams with a
// fault each, and the same stream without it.
//
// Everything is deterministic: the same seed gives the same bytes on every
// platform. No map is ranged over, no clock is read, and no floating-point
// number is computed with.
package gen
