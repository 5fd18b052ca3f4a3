// Package runner runs readers and writers of NetTrace on the cases of package
// cases. A reader under test is a program that reads a trace from standard
// input, writes canonical lines to standard output, and reports the result by
// its exit code (package adapter). A writer under test reads lines and writes a
// trace.
//
// # Comparison
//
// Lines are compared key by key in any order: numbers as IEEE doubles bit by
// bit, "fieldsError" only by its presence, "lost" lines by their sums for each
// capture thread, "name" and "fields" only if the metadata has them. Unknown
// keys are ignored. A key with an empty value (an empty string, array or
// object, a zero GUID) is equal to a missing key. In its trace line a reader
// can set "omits", a list of keys that it does not support, which are then not
// compared, and "order":"time": then events are compared as a multiset. A
// reader that prints no rows at all omits "rows".
//
// A reader must read a valid case to its end and print the expected lines. It
// must reject an invalid case, and must not print an event that comes after the
// fault. It may reject an either case, and an invalid one whose fault a reader
// need not detect; if it reads the case, the lines are compared. Every output
// ends with an end line.
//
// # Known failures
//
// A file of known failures lists cases that a reader fails, each with the
// reason. A listed case that passes is also an error.
package runner
