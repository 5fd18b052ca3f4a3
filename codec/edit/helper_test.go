package edit_test

import "testing"

// less is how many of many cases a test tries: with -short, as under the race
// detector, which makes all ten times slower, only few.
func less(many, few int) int {
	if testing.Short() {
		return few
	}
	return many
}
