// Package check compares a NetTrace stream with the rules of the format
// (package rule) and reports every violation.
//
// It reads a stream once, block by block, with a codec.BlockReader, which
// decodes the rows. Each group of rules has one file, which tests the rows. The
// check ends at framing that a reader cannot follow, except for the size of a
// version 6 block that exceeded 24 bits: there it continues with the intended
// size.
//
// A [Finding] has the first place and a count. If one fault would break several
// rules, only the rule that names the cause is reported for these bytes.
//
// One rule has no check, NT6-STK-014: an address whose upper half is not zero
// is no sign of a fault, as kernels use such addresses and some processors sign
// addresses in these bits. The Reader reports the rules of group LIM and some
// about framing.
//
// The memory of a check is bounded by the tables of one region, the current
// metadata and threads, and Limits. No input makes it panic or run without end.
package check
