// Package bench measures the speed of the codec on the traces of corpora, and
// compares it with other readers.
//
// The benchmarks are in the test files, with benchstat's keys in one order:
// BenchmarkRead/version=4/trace=net10-deep/source=stream. A pass reads a complete
// stream: metadata, stacks, sequence points and each event. It starts with a
// Reader that has read the stream before, which is the steady state of a program
// that reads many streams. Every benchmark body also runs once as a test that
// checks its counts.
//
// Families: Read, Order, Resolve, Fields, Write, Transcode, Check, Index
// and Open here, Rows in package codec, because its loops are not exported.
//
// Folder peer, a separate module, has the same loop for another library, and the
// program versus, which compares both. Folder cgo has the row loop in C, and
// report measures all speed targets. On a machine with other load only ratios
// from one run are meaningful.
package bench
