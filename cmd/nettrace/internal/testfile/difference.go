package testfile

import (
	"fmt"
	"strings"
)

// shownLines is the number of lines of each side that Difference prints.
const shownLines = 20

// Difference returns the lines in which two texts differ: those of want with a minus, those of
// got with a plus, without the equal lines at the beginning and at the end.
func Difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	first := 0
	for first < min(len(w), len(g)) && w[first] == g[first] {
		first++
	}
	w, g = w[first:], g[first:]
	for len(w) > 0 && len(g) > 0 && w[len(w)-1] == g[len(g)-1] {
		w, g = w[:len(w)-1], g[:len(g)-1]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "from line %d:\n", first+1)
	for _, side := range []struct {
		sign  string
		lines []string
	}{{"-", w}, {"+", g}} {
		for _, line := range side.lines[:min(len(side.lines), shownLines)] {
			fmt.Fprintf(&b, "%s %s\n", side.sign, line)
		}
		if more := len(side.lines) - shownLines; more > 0 {
			fmt.Fprintf(&b, "%s and %d more lines\n", side.sign, more)
		}
	}
	return b.String()
}
