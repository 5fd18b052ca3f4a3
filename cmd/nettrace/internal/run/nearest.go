package run

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name that a mistyped text most resembles without letter case, "" if it
// resembles none: if more than a third of its letters differ.
func Nearest(text string, names []string) string {
	nearest, least := "", len(text)/3+1
	for _, name := range names {
		if d := Distance(text, name); d < least {
			nearest, least = name, d
		}
	}
	return nearest
}

// Distance returns the number of letters that must be replaced, added or left out to make
// one name of the other, without letter case.
func Distance(a, b string) int {
	return levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b))
}
