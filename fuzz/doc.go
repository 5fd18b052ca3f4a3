// Package fuzz holds the fuzz targets of the reader: one for each kind of block
// in each version that writes it, and one for whole streams.
//
//	go test -run='^$' -fuzz='^FuzzStack$' -fuzztime=2m ./fuzz
//
// All other files of the package are test files.
//
// A target takes the body of one block. It is put into a stream that is in
// order otherwise (wrap_test.go): a header, a Trace block, tables with rows to
// refer to, the body, events that refer to what it may have defined, an end mark.
// That stream is read by the API of package codec in ways that must agree
// (read_test.go, check_test.go, ordered_test.go): from memory and from a source
// that hands out crumbs, event by event and block by block, stopping at errors,
// skipping them, or strict, in the order of the file and in that of time.
//
// For event rows there is more: the fields that package codec/layout finds are
// added up to rows (rows_test.go), and a second account is kept of what the rows
// refer to and of what they say was lost (model_test.go). The reader must say the
// same.
//
// For the tables there is a second reading too (tables_test.go,
// tablestream_test.go): what events after the block refer to, and what a sequence
// point takes away. For payloads (unfold_test.go, decoded_test.go, values_test.go)
// a tree of all values is made under the reading that the text, or a known writer,
// means. An index (index_test.go) must list the blocks that reading through meets,
// and its slices their events.
//
// A script drives one Reader over a stream by all its methods in any order
// (script_test.go). What they deliver is compared with a plain reading, a call
// inside a loop over Events must panic, and an error must stay
// (script_check_test.go).
//
// Made traces (gen.NewFromGoFuzz), damaged or not, go through what stands around
// the reader: sources that are chopped, order, round trips and conversions (package
// edit), compression, the lines of package ndjson.
//
// Go's fuzzing engine does not report an input that takes for ever, or a
// gigabyte. Here both are failures (guard_test.go).
//
// The script run runs targets by time or number, two at a time. The script planted
// plants the bugs of testdata/planted in a copy, which the targets must find.
//
// What make fuzz-all finds worth keeping stays in testdata/corpus, which is not
// committed. The engine makes each input small when it finds it; the script
// minimise drops those that others outdo, and make fuzz-all ends with it. What
// fails is written to testdata/fuzz and committed with the mend, as a seed. One
// that breaks a rule of the format, or that readers do not agree on, becomes a
// case for all of them: a line of package conformance/casegen that makes the same
// fault by name (make cases).
//
// Seeds are bodies of real traces, of the small streams in ../shared where that
// folder is present, and a few written by hand. Without -fuzz they run as
// ordinary tests.
package fuzz
