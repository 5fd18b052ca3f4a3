// Package raw reads the framing of a NetTrace stream: its header, then one
// block after another, with no opinion on what a block holds.
//
// Two framings exist: objects with tags and type names (v3, v4, v5) and blocks
// with a four-byte header (v6). Both come out as Block values whose Kind uses
// the numbers of v6.
//
// The Reader works from memory, where a Body is a view into the caller's
// bytes, or from an io.Reader, where it is a view into one buffer that the
// next block overwrites. Under the race detector memory input is copied too
// and every spent body is overwritten, so that no program comes to rely on
// stale bytes. A size in the stream never sizes an allocation by itself: the
// buffer grows as bytes arrive.
//
// Spec: "Stream header", "Block header" of the v6 text; "Stream Header",
// "Objects" of the v4/v5 text.
package raw
