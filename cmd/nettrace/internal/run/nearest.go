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
		if d := levenshtein.ComputeDistance(strings.ToLower(text), strings.ToLower(name)); d < least {
			nearest, least = name, d
		}
	}
	return nearest
}
