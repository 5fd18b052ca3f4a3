//go:build !check && !nightly

package tier

// Check reports whether the tests of make check run.
const Check = false
