// Package runner judges readers and writers of NetTrace by the cases of package
// cases. A reader under test is a program: a trace on its standard input, the
// canonical lines on its standard output, an exit code that says what became of
// it (package adapter). A writer under test gets lines and gives a trace.
//
// # Comparison
//
// Lines are compared key by key, whatever their order: numbers as IEEE doubles
// bit for bit, "fieldsError" by being there or not, "lost" lines by their sums for
// each capture thread, "name" and "fields" only where the metadata has them. Keys
// that are not known are ignored, and a key that holds nothing (an empty string,
// array or object, a zero GUID) is as good as left out. On its trace line a reader
// can say "omits", keys that it does not know and that are not compared, and
// "order":"time": then events are compared as a multiset. A reader that prints no
// rows at all omits "rows".
//
// A valid case is to be read to its end, with the expected lines. An invalid one
// is to be rejected, and no event may be printed that does not stand before the
// fault. An either case, and an invalid one whose fault a reader need not notice,
// may be rejected; when it is read, the lines are compared. Every answer ends with
// an end line.
//
// # Known failures
//
// A file of known failures names cases that a reader does not pass, each with the
// reason. It is enforced both ways: a case that it names must fail.
package runner
