// Package clr knows what the events of .NET itself mean. The runtime's native
// events come with neither a name nor fields in a trace's metadata: they are
// numbers with bytes. This package has their manifest: names, tasks, opcodes,
// levels, keywords, fields and enumerations.
//
// # Finding an event
//
// [Lookup] takes what a metadata row tells: provider, id and version. A few
// sources are self-describing and hand out ids as they go, other ones in each
// process; their events are found by name ([LookupName]). [Describe] chooses
// for a [codec.Metadata]. An [Event] is the same value for every caller,
// shared and never to be changed.
//
// Events in a trace that carry fields of their own should be read by those.
// The schemas here are for the others.
//
// # Names
//
// An event is called what the runtime's source calls it, without the version
// that the source appends: GCStart_V2 is GCStart. All versions of an id have
// the name of the newest. It is not the name that TraceEvent and PerfView
// show, which they put together from task and opcode ("GC/Start"). Field names
// are those of the runtime's manifest.
//
// # Versions
//
// New versions of an event append fields (those after the very first, in the
// .NET Framework, did not always). An exact version is best; for one that is
// not known, the highest known one below it says what the payload begins with,
// and the rest stays bytes. For a version older than all known ones there is
// no answer.
//
// # Types
//
// Schemas use [wire.Pointer], whose width is the trace's pointer size,
// [wire.NullTerminatedUTF8String] and [wire.CountedUTF8String], which no
// stream holds, and arrays that an earlier field counts
// (CountField of [codec.Type]). Boolean has four bytes. Where the runtime
// copies arrays out of its memory, padding is told as it lies there.
//
// # Where the facts come from
//
// Package internal/clrmanifest writes manifest.txt from an ETW manifest of the
// CLR's providers (all versions of an event up to about .NET Core 2), from a
// list read by reflection in .NET 10 (the newest version of each id), from a
// list of managed event sources, and from facts.txt in its folder, which has
// what none of them tells. The tests decode every such event in every trace
// to its last byte, and compare the values with another reader's.
package clr
