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
// A reader must read a valid case to its end, print the expected lines and no defect
// line. It must report the fault of an invalid case of kind stops or tells, by exit code
// 1 or a defect line; it must print the events of the blocks before the fault, and no
// events but those of the trace without the fault, in their order. It may report the
// fault of kind silent; otherwise the lines are compared. An either case lists the
// accepted answers. Every output ends with an end line, except for exit code 3.
//
// Exit code 3 means that the reader does not support the version. It is a failure if the
// reader reads the version in another case. Cases of basis choice are not counted.
//
// # Known failures
//
// A file of known failures lists cases that a reader fails, each with the
// reason. A listed case that passes is also an error.
package runner
