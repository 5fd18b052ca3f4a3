// Package check holds a NetTrace stream against the rules of the format (package
// rule) and tells every way in which it departs from them.
//
// It reads a stream once, block by block, through a codec.BlockReader: what
// a row says comes from there, what a rule demands of it stands here, one file
// for each group of rules. Framing that a reader cannot follow ends the check,
// apart from a size of version 6 that overflowed: there it goes on with the size
// that was meant.
//
// A cause is told once: a Finding has the first place and a count. Where one
// fault would break several rules, the one that names the cause is told and the
// others are silent for the same bytes.
//
// One rule of the catalogue has no check, NT6-STK-014: that the upper half of an
// address is not zero tells nothing, since kernels live there and some processors
// sign addresses in it. The rules of group LIM, and some about framing, come from
// the Reader.
//
// What is held is bounded by the tables of one region, the live metadata and
// threads, and Limits. No input makes the check panic or loop.
package check
