// Package fuzz holds the fuzz targets of the reader: one for each kind of block
// in each version that writes it, and one for complete streams.
//
//	go test -run='^$' -fuzz='^FuzzStack$' -fuzztime=2m ./fuzz
//
// The test files have the targets with their seeds, the other files the functions that
// the targets call (targets.go). Run calls such a function with bytes: package
// dev/libfuzzer, which has the same targets for libFuzzer, and the folder oss-fuzz, which
// builds them for OSS-Fuzz, use it. make oss-fuzz-check builds and runs them.
//
// The input of a target is the body of one block. The target puts it into an
// otherwise valid stream (wrap.go): a header, a Trace block, tables, the body,
// events that refer to its possible definitions, an end mark. It reads that stream
// with the API of package codec in ways that must agree (read.go,
// check.go, ordered.go): from memory and from a source with short reads,
// event by event and block by block, stopping at errors, skipping them, or strict,
// in file order and in time order.
//
// Event rows are decoded a second time: from the fields that package codec/layout
// finds (rows.go), with a model of their references and losses
// (model.go). The reader must return the same.
//
// Tables are read a second time too (tables.go, tablestream.go): the rows
// that events after the block refer to, and the rows that a sequence point removes.
// For payloads (unfold.go, decoded.go, values.go) a tree of all
// values is made, by the text or in the way of a known writer. An index
// (index.go) must list the blocks of a complete reading, and its slices their
// events.
//
// A script drives one Reader over a stream by all its methods in any order
// (script.go). What they deliver is compared with a plain reading, a call
// inside a loop over Events must panic, and an error must stay
// (script_check.go).
//
// Generated traces (gen.FromBytes), damaged or not, test the code around the
// reader: sources with short reads, order, round trips and conversions (package
// edit), compression and its seek table, the lines of package ndjson.
//
// Go's fuzzing engine does not report an input that runs for ever, or needs a
// gigabyte. Here both are failures (guard.go).
//
// The script run runs targets by time or number, two at a time. The script planted
// applies the bugs of testdata/planted to a copy; the targets must find them.
//
// make fuzz-all keeps new inputs in testdata/corpus, which is not committed. The
// engine minimizes each input when it finds it; the script minimise removes inputs
// whose coverage others include, and make fuzz-all ends with it. A failing input is
// written to testdata/fuzz and committed with the fix, as a seed. An input that
// breaks a rule of the format, or that readers do not agree on, becomes a
// conformance case: a line of package conformance/casegen that makes the same fault
// (make cases).
//
// Seeds are bodies of real traces, of the small streams in ../shared where that
// folder is present, and a few written by hand. Without -fuzz they run as
// ordinary tests.
package fuzz
