// Package nettrace is the front door of a library and a program for NetTrace,
// the trace format of .NET (versions 3 to 6). It holds no code: this page is
// the plan of the house. Most programs want package codec, which reads and
// writes traces and needs nothing but the standard library.
//
// # Rooms
//
// A package may import packages of its own room and of lower levels, never of
// its own level's neighbours or of a level above. A test walks the imports and
// fails on any arrow that points up or sideways.
//
//	6   cmd/nettrace                  the program: record, show, profile, check, convert, cut, merge, repair, compare
//	        |
//	5   bench   fuzz   conformance    is it fast? is it robust? is it right?
//	        |
//	4   gen   profile   corpora       make traces; traces as profiles; real traces, kept
//	        |
//	3   clr   eventpipe   codec/edit  the runtime's own events; the stream of a live process; a trace made of another
//	        |
//	2   codec                         Reader and Writer: events, tables, time order, losses
//	        |
//	1   codec/raw                     blocks and framing, whatever is in them
//	        |
//	0   codec/wire   codec/rule       primitives and tables of the format; the rules by number
//
// Three more walls stand where levels do not. Everything below codec imports
// the standard library and its own kind only, so that the folder can be copied
// whole. Neither codec nor the program imports corpora, which would put
// megabytes of traces into every binary. And internal holds helpers of tests,
// which nothing but tests imports.
//
// Rooms are built one after another; a folder appears with its first real
// content.
//
// # The path of an event
//
// Framing (codec/raw) cuts the stream into blocks. The row loop of the
// stream's version (codec) decodes one row after another, and the ids in a row
// are looked up in tables that earlier blocks filled. The caller gets a view
// of the event, good until the next one; what it wants to keep, it clones.
package nettrace
