// Package edit makes one stream from another. Block by block: [Preserve] copies
// a stream byte for byte, [Convert] writes it in another version or with fewer
// bytes, [Repair] makes a complete stream from a truncated or malformed one.
// Event by event: [Slice] writes a part and [Split] several, with the events
// that name what those refer to (see [Naming]), [Merge] joins streams by time,
// and a [Redactor] replaces text by asterisks. [Diff] compares two streams by
// meaning.
//
// # Memory
//
// Apart from the tables of the source's Reader, which its Limits bound, one
// block is in memory at a time. Compact conversion needs about one more block.
// Naming keeps the addresses of the stacks of a slice and a few numbers for
// each naming event; Split also keeps the naming events, at most 256 MB.
//
// # Contexts
//
// If the context is done, a function returns its cause after the current block,
// or within about a thousand events. The output then has no end mark.
//
// # Errors
//
// A source is a codec.Reader or codec.BlockReader from which nothing was read;
// its method Trace may have been called. Otherwise the functions return
// codec.ErrStarted. They return codec.ErrNoStacks for a source with
// Options.NoStacks; Diff accepts one if it does not compare stacks.
//
// If a source ends too early, the functions write the rows before that place
// and an end mark. The Reader reports what is wrong with the source: Err,
// BadBlocks and Defects. The functions return the errors of dst, and an
// error if they do not support the source, for example because of its version. They return the
// error of a malformed source only if they could not write anything.
//
// They leave out and count whatever the written version cannot express: see
// [Change].
package edit
