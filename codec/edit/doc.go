// Package edit makes one stream of another. Block by block: Preserve copies it
// with the same bytes, Convert writes it in another version or more densely,
// Repair makes a whole stream of one that is cut or damaged. Event by event:
// Slice keeps a part, Split cuts into parts, Merge joins by time, a Redactor
// takes out what would tell of a person. Diff compares two streams by what they
// say.
//
// # Memory
//
// One block is held at a time, beside the tables that the source's Reader holds
// anyway, so the Limits of that Reader bound what a stream can ask for. Compact
// conversion holds about one more block.
//
// # Trouble
//
// A source is given as a codec.Reader that nothing was read from, in file
// order. Whatever ends it too early, what stood before is written and the end
// mark put behind it; what was wrong the Reader tells (Err, BadBlocks,
// Defects). The error that is returned is one of writing, or says that the
// source is not what the function takes; the source's own is returned only when
// nothing could be written at all.
//
// What the version that is written has no place for is left out and counted:
// see Change.
package edit
