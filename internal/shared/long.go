package shared

import (
	"os"
	"testing"
)

// Long reports whether tests read all traces and try all random cases. The
// environment variable NETTRACE_LONG asks for it, which make check sets; with
// -short the answer is always no.
func Long() bool { return os.Getenv("NETTRACE_LONG") != "" && !testing.Short() }

// First returns the first n elements of a list, and all of them where Long reports
// true.
func First[T any](list []T, n int) []T {
	if Long() {
		return list
	}
	return list[:min(n, len(list))]
}
