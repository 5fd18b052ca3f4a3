// Package ndjson writes a trace as canonical NDJSON: one JSON object on each
// line, in UTF-8, with keys in one fixed order, so that the output of two
// readers can be compared line by line, and two runs of this package print the
// same bytes.
//
// # Lines
//
// A trace line comes first, then event and lost lines in the order in which the
// reader returns them, with a defect line for each fault that Defect is called for,
// then an end line. With Options.Rows, metadata, thread,
// removeThread and sequencePoint lines for the rows of the stream are between
// them.
//
// # Values
//
// Integers of 64 bits are decimal strings; addresses and keywords are
// lower-case hex strings with 0x; GUIDs are lower-case with dashes; bytes are
// lower-case hex. Keys with an empty or default value are omitted: the methods
// describe which. If Options.Rows is set, event lines end with "metadata" and,
// if the row has the flag, "sorted":true.
//
// # Text
//
// Only the quotation mark, the backslash and U+0000 to U+001F are escaped. An
// unpaired surrogate, which package codec represents as three bytes in the
// manner of UTF-8, is printed as \udxxx. Any other byte that is not valid UTF-8
// is printed as U+FFFD.
package ndjson
