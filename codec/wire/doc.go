// Package wire has the primitives and the number tables of the NetTrace format:
// block kinds, type codes, flag bits, variable-length integers, fixed-width
// little-endian integers, strings, GUIDs and calendar times.
//
// Functions that read take a byte slice and a position and return the value and
// the position after it, or a negative position if the bytes do not have a
// complete value: PastEnd or TooLarge. They never panic. They never allocate,
// except those that return a string.
//
// Spec: "Primitives" of the v6 text, "Assumptions of the Format" of the v4/v5
// text.
package wire
