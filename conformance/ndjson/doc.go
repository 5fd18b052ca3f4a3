// Package ndjson writes a trace as canonical NDJSON: one JSON object a line,
// UTF-8, keys in one fixed order, so that two readers can be compared line by
// line and two runs of ours print the same bytes.
//
// # Lines
//
// A trace line comes first, then event and lost lines in the order in which
// the reader delivers them, then an end line. With Options.Rows the rows that
// the stream defines stand between them: metadata, thread, removeThread and
// sequencePoint lines.
//
// # Values
//
// Integers of 64 bits are decimal strings; addresses and keywords are
// lower-case hex strings with 0x; GUIDs are lower-case with dashes; bytes are
// lower-case hex. What a key would say nothing with is left out: each method
// tells which. Event lines end with "metadata" and, when the row says so,
// "sorted":true if Options.Rows is set.
//
// # Text
//
// Only the quotation mark, the backslash and U+0000 to U+001F are escaped. A
// surrogate without its partner, which package codec keeps as the three bytes
// that UTF-8 would give it if it could, is printed as \udxxx. Any other byte
// that is no part of valid UTF-8 is printed as U+FFFD.
package ndjson
