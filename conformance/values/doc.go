// Package values holds what codec makes of payloads against what others know
// of them: another reader's values, the notes of the program that wrote the
// events, counts and first events of public test inputs, and numbers of lost
// events. It has tests only; they need the shared material (see
// internal/shared) and are skipped without it.
//
// Where the other reader is wrong, testdata/faults.tsv says so, with the bytes.
// What the program noted and the trace does not have is in testdata/unrecorded.tsv.
// A line of either that no longer holds fails, as one that is missing does.
package values
