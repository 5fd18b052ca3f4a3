// Package tier says to which of the three tiers of tests a test binary belongs. A target
// of the Makefile chooses the tier by a build tag: make test has none, make check has the
// tag check, make nightly the tag nightly, which includes check. A file of tests for one
// of them begins with the line //go:build check, or nightly; a test that does less in
// make test asks Check or Nightly.
//
// Only tests import this package.
package tier

import "testing"

// The reasons of skipped tests; the summary of a run counts such tests without a line for
// each.
const (
	inCheck   = "make check runs it"
	inNightly = "make nightly runs it"
)

// NeedsCheck skips the test in make test.
func NeedsCheck(tb testing.TB) {
	tb.Helper()
	if !Check {
		tb.Skip(inCheck)
	}
}

// NeedsNightly skips the test in make test and in make check.
func NeedsNightly(tb testing.TB) {
	tb.Helper()
	if !Nightly {
		tb.Skip(inNightly)
	}
}
