// Package conformance tests package codec with small streams and their expected
// results. Its subpackages are for authors of NetTrace readers and writers:
// package check compares a stream with the rules of the format, package cases
// has the cases of the conformance suite, package runner runs a program on
// them, and package conformancetest runs a reader or writer in Go on them.
package conformance
