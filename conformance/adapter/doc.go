// Package adapter runs a reader as an adapter of the conformance suite: a program
// that reads a trace, writes it as canonical NDJSON, and reports the result by its
// exit code. An adapter in Go is the reader and one call:
//
//	func main() {
//		adapter.Main(func(trace []byte, out io.Writer) adapter.Exit { ... })
//	}
//
// Such a program reads one trace from its standard input. With the argument
// --stream it reads requests until its input ends: a length of four bytes,
// little-endian, and the trace. It answers each with a length, the lines and one
// byte, the exit code.
//
// Codec is the function for package codec.
package adapter
