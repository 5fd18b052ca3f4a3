// Package model derives what happened in a recorded process from the events of a
// trace, each fact once: the facts that reports, profiles, tables, pages and
// triggers show. What an event says is in package codec/clr, which reads it by name.
//
// # Reading
//
// [Read] reads a trace once, in the order of time, from a file, a pipe or a running
// process. The [Trace] has what all facts share: the clock, the bounds of the
// recording, its losses, one table of stacks, one of symbols, and the [Limits].
//
// # Trackers
//
// A tracker derives one kind of fact from the events of a few kinds: it pairs starts
// with stops, assigns owners, closes what is open at the end of the recording and
// forgets what a loss of events makes uncertain. Nothing else does. A tracker has a
// file of its own, named with its noun, and a test that feeds it a handful of events.
// It is a [Consumer] that no other package makes; its Begin does nothing.
//
// # Consumers
//
// A [Consumer] asks for trackers in its method Begin. A tracker that nobody asks for
// costs nothing; one that several ask for exists once. A tracker gets each event
// before the consumers do. A fact is complete when it is handed out; one that is open
// at the end of the recording ends with it and is marked unfinished. Facts borrow
// nothing from events and are valid after the reading.
package model
