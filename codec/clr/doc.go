// Package clr has the schemas of .NET's own events. The metadata of a trace
// describes the runtime's native events without names and fields. This package
// has them: names, tasks, opcodes, levels, keywords, fields and enumerations.
//
// # Finding an event
//
// [Lookup] takes the provider, id and version of a metadata row. A few sources
// are self-describing and assign ids dynamically, different ones in each
// process; their events are found by name ([LookupName]). [Describe] selects
// one of the two for a codec.Metadata. All callers share the same Event values
// and must not modify them.
//
// If an event in a trace has fields in its metadata, those should be used. The
// schemas are for the other events.
//
// # Names
//
// The name of an event is that in the runtime's source, without the version
// suffix: GCStart_V2 is GCStart. All versions of an id have the name of the
// newest one. TraceEvent and PerfView show other names, made from task and
// opcode ("GC/Start"). Field names are those of the runtime's manifest.
//
// # Versions
//
// New versions of an event append fields (the first versions in the .NET
// Framework did not always). For an unknown version, Lookup returns the highest
// known version below it, whose fields are the beginning of the payload; the
// rest stays bytes. For a version lower than all known ones it returns none.
//
// # Types
//
// Schemas use wire.Pointer, whose width is the trace's pointer size,
// wire.NullTerminatedUTF8String and wire.CountedUTF8String, which are not in
// the format, and arrays with a count in an earlier field (CountField of
// codec.Type). Boolean has four bytes. Where the runtime copies structures from
// its memory, the schema has fields for the padding.
//
// # Events by name
//
// A [Kind] is an event that this repository interprets. [KindOf] finds it once for
// a metadata row. Such an event has a function that reads its fields without
// allocation, and a type that encodes them:
//
//	if clr.KindOf(ev.Metadata()) == clr.KindGCStart {
//		use(clr.GCStart(ev).Number())
//	}
//
// A field that the event's version does not have, or that is past the end of the
// payload, is zero. A method with the name of a field of a later version after Has
// reports whether the field is there. Kinds with the same fields share a function.
//
// # Sources
//
// The command internal/clrmanifest writes manifest.txt from an ETW manifest of
// the CLR's providers (all versions of an event up to about .NET Core 2), from
// a list read by reflection in .NET 10 (the newest version of each id), from a
// list of managed event sources, and from facts.txt in its folder, which has
// what the others lack. It writes the constants, readers and encoders of the
// events in events.txt there. The tests decode every such event in every trace
// to its last byte, and compare the values with another reader's.
package clr
