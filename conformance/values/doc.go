// Package values compares the payloads that codec decodes with other sources:
// another reader's values, the log of the program that wrote the events, counts
// and first events of public test inputs, and numbers of lost events. It has
// tests only; they need the shared material (see internal/shared) and are skipped
// without it.
//
// testdata/faults.tsv lists the faults of the other reader, with the bytes.
// testdata/unrecorded.tsv lists the events of the program's log that the trace
// does not have. A line that is wrong or missing fails a test.
package values
