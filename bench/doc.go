// Package bench measures how fast the codec is, on the traces of corpora and
// beside other readers.
//
// The benchmarks are in the test files, with keys that benchstat knows, in one
// order: BenchmarkRead/version=4/trace=net10-deep/source=stream. A pass reads a
// whole stream: metadata, stacks and sequence points are taken in, and each
// event is looked at as it comes. It starts with a Reader that has read the
// stream before, so what is measured is the steady state of a program that
// reads many. Every benchmark body also runs once as a test that checks what
// it counted.
//
// Families: Read, Columns, Order, Resolve, Fields, Write, Transcode, Check, Index
// and Open here, Rows in package codec, whose loops nobody else can call.
//
// What is here beside them, folder peer shares: the same loop over another
// library, in a module of its own, and the program versus, which compares. Folder
// cgo has the row loop in C, and report judges all that is promised.
// Only ratios from one run mean anything on a machine that others use too.
package bench
