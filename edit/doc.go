// Package edit makes one stream of another. Block by block: Preserve copies it
// with the same bytes, Convert writes it in another version or more densely,
// Repair makes a whole stream of one that is cut or damaged. Event by event:
// Slice writes a part and Split several, with the events that name what those
// refer to (see Naming), Merge joins by time, a Redactor
// replaces text by asterisks. Diff compares two streams by meaning.
//
// # Memory
//
// One block is held at a time, beside the tables that the source's Reader holds
// anyway, so the Limits of that Reader bound what a stream can ask for. Compact
// conversion holds about one more block. Naming holds the addresses of the stacks
// of a slice and a few numbers for each naming event; Split also holds the naming
// events, at most 256 MB.
//
// # Contexts
//
// A context that is done ends a function with its cause after the current block,
// or within about a thousand events. What was written has no end mark then.
//
// # Errors
//
// A source is a codec.Reader of which at most the Trace block was read, as by
// Reader.Trace. Otherwise the error is codec.ErrStarted, and for a Reader with
// Options.NoStacks it is codec.ErrNoStacks.
//
// Where a source ends too early, the rows before that place are written, and an
// end mark after them. The Reader reports what is wrong with the source: Err,
// BadBlocks and Defects. The error that a function returns is one of writing, or
// says that the source is not what the function takes; the source's own error is
// returned only when nothing could be written.
//
// What the version that is written has no place for is left out and counted:
// see Change.
package edit
