package shared

import "github.com/nettrace-go/nettrace/internal/tier"

// First returns the first n elements of a list, and all of them in make check.
func First[T any](list []T, n int) []T {
	if tier.Check {
		return list
	}
	return list[:min(n, len(list))]
}
