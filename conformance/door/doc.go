// Package door is the door that readers under test go through: a trace comes in,
// canonical NDJSON goes out, and an exit code says what became of it. It is all
// that an adapter in Go needs beside the reader itself:
//
//	func main() {
//		door.Main(func(trace []byte, out io.Writer) door.Exit { ... })
//	}
//
// A program made so reads one trace from its standard input, or with the argument
// --stream one request after another: a length of four bytes, little-endian, and
// the trace. It answers with a length, the lines and one byte, the exit code,
// until its input ends.
//
// Codec is that function for package codec.
package door
