// Package raw reads and writes the framing of a NetTrace stream: its header,
// then one block after another. It does not interpret the contents of blocks.
//
// Two framings exist: objects with tags and type names (v3, v4, v5) and blocks
// with a four-byte header (v6). A Block describes both; its Kind uses the
// numbers of v6.
//
// The Reader reads from memory, where a Body is a view into the caller's bytes,
// or from an io.Reader, where it is a view into one buffer that the next block
// overwrites. Under the race detector it also copies memory input, and
// overwrites every body after use, to reveal programs that keep a view. A size
// in the stream never determines an allocation by itself: the buffer grows as
// bytes arrive.
//
// Spec: "Stream header", "Block header" of the v6 text; "Stream Header",
// "Objects" of the v4/v5 text.
package raw
