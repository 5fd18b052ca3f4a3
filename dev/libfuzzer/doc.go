// Package libfuzzer has the targets of package fuzz in the form that go-118-fuzz-build
// compiles for libFuzzer: each takes bytes. OSS-Fuzz runs them (fuzz/oss-fuzz).
//
// The targets have a package of their own because that tool compiles a package without
// its other test files.
package libfuzzer
