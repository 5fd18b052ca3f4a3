// Package conformance tests codec with the small streams and their expected results.
// The packages below it are for writers and readers of NetTrace: package check
// compares a stream with the rules of the format, and package conformancetest tests
// a writer written in Go.
package conformance
