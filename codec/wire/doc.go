// Package wire holds the primitives and the number tables of the NetTrace
// format: block kinds, type codes, flag bits, variable-length integers,
// fixed-width little-endian integers, strings, GUIDs and calendar times.
//
// Functions that read come in pairs: they take a byte slice and a position and
// return the value and the position behind it, or a negative position when the
// bytes do not hold one. They never panic and never allocate, except where a
// string is made.
//
// Spec: "Primitives" of the v6 text, "Assumptions of the Format" of the v4/v5
// text.
package wire
