//go:build nightly

package tier

// Nightly reports whether the tests of make nightly run.
const Nightly = true
