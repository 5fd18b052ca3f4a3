package edit_test

import "github.com/nettrace-go/nettrace/internal/shared"

// less is how many of many cases a test tries: under the race detector, which
// makes all ten times slower, only few.
func less(many, few int) int {
	if shared.Race {
		return few
	}
	return many
}
