//go:build check || nightly

package traces

// Check reports whether the tests of make check run.
const Check = true
